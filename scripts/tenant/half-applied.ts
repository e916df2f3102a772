import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { query } from './databases.ts'
import type { Databases } from './environment.ts'
import { literal } from './rows.ts'
import { migrationFiles } from './state.ts'

// wrangler applies a migration and records it in one transaction. So a migration is there or not, unless somebody has run its
// statements by hand, or D1 has failed in a way that it should not. Then this finds it, before anything is applied twice.

const SCHEMA = `SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'd1_migrations'`

/** Tables, indexes and triggers by their names, as SQL. */
export type Schema = Map<string, string>

/** How far the pending migrations of a database have come, whatever it has recorded. */
export interface Progress {
  /** The first of the pending ones, which are there and not recorded. */
  unrecorded: string[]
  /** The one that is there in part; null if there is none. */
  half: { file: string; has: string[]; lacks: string[] } | null
}

/** Reads only. */
export async function progressOf(
  environment: Databases,
  database: string,
  { applied, pending }: { applied: string[]; pending: string[] },
): Promise<Progress> {
  const known = await migrationFiles()
  const isFolder = applied.every((file) => known.includes(file))
  // Of a database that is ahead of this folder nobody knows here what it should look like.
  if (!isFolder || applied.length === 0) return { unrecorded: [], half: null }
  const { results } = await query(environment, database, [SCHEMA])
  const schemas = await schemasAlong(applied, pending)
  return comparedWith(schemaIn(results[0] ?? []), schemas, pending)
}

/** Notes that the migrations are applied. */
export async function record(
  environment: Databases,
  database: string,
  files: string[],
): Promise<void> {
  const values = files.map((file) => `(${literal(file)})`).join(', ')
  await query(environment, database, [`INSERT INTO d1_migrations (name) VALUES ${values}`])
}

/** `schemas` are those before the first of the pending ones, and after each that can be applied. */
export function comparedWith(now: Schema, schemas: Schema[], pending: string[]): Progress {
  const [before = new Map()] = schemas
  const last = schemas.at(-1) ?? before
  const touched = differing(before, last, new Set(schemas.flatMap((schema) => [...schema.keys()])))
  const isAt = (schema: Schema) => touched.every((name) => now.get(name) === schema.get(name))
  const reached = schemas.findIndex(isAt)
  if (reached >= 0) return { unrecorded: pending.slice(0, reached), half: null }
  return { unrecorded: [], half: halfOf(now, schemas, pending) }
}

/** The first migration whose changes are not all there. */
function halfOf(now: Schema, schemas: Schema[], pending: string[]): Progress['half'] {
  for (const [at, file] of pending.slice(0, schemas.length - 1).entries()) {
    const [before, after] = [schemas[at] ?? new Map(), schemas[at + 1] ?? new Map()]
    const changes = differing(before, after, new Set([...before.keys(), ...after.keys()]))
    const has = changes.filter((name) => now.get(name) === after.get(name))
    if (has.length === changes.length) continue
    return { file, has, lacks: changes.filter((name) => !has.includes(name)) }
  }
  return null
}

function differing(one: Schema, other: Schema, names: Set<string>): string[] {
  return [...names].filter((name) => one.get(name) !== other.get(name)).toSorted()
}

/** The schema after the applied migrations, and after each of the pending ones, up to the first that fails. */
async function schemasAlong(applied: string[], pending: string[]): Promise<Schema[]> {
  const db = new DatabaseSync(':memory:')
  try {
    const run = async (file: string) => db.exec(await readFile(join('migrations', file), 'utf8'))
    for (const file of applied) await run(file)
    const schemas = [schemaIn(db.prepare(SCHEMA).all())]
    for (const file of pending) {
      // wrangler will meet the same error, and tell of it after it has applied those before.
      const runs = await run(file).then(
        () => true,
        () => false,
      )
      if (!runs) break
      schemas.push(schemaIn(db.prepare(SCHEMA).all()))
    }
    return schemas
  } finally {
    db.close()
  }
}

/** White space does not count: an import may write a table down in another way. */
function schemaIn(rows: Record<string, unknown>[]): Schema {
  return new Map(rows.map(({ name, sql }) => [`${name}`, `${sql}`.replace(/\s+/g, ' ').trim()]))
}
