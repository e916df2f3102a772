import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../../failure.ts'
import { runFile } from '../databases.ts'
import { differencesOf, extentsOf } from '../dump/dump.ts'
import { dumpSql } from '../dump/sql.ts'
import { extentsIn } from '../dump/verified-export.ts'
import type { Environment } from '../environment.ts'
import type { Dump } from '../loaded-dump.ts'
import { withCleanup } from '../stop.ts'
import type { Ask } from './facts.ts'

const OURS = `name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`

/** Puts the dump in the place of all that the database holds: either everything takes effect or nothing. */
export async function replaceBy(
  environment: Environment,
  database: string,
  ask: Ask,
  dump: Dump,
): Promise<void> {
  const drops = await dropsOf(ask)
  const folder = await mkdtemp(join(tmpdir(), 'crossdock-'))
  await withCleanup(
    () => rm(folder, { recursive: true, force: true }),
    async () => {
      const file = join(folder, 'restore.sql')
      await writeFile(file, sqlOf(drops, dump), { mode: 0o600 })
      await runFile(environment, database, file)
    },
  )
}

/** Throws a Failure unless the database holds the dump. */
export async function verifyReplaced(
  environment: Environment,
  database: string,
  dump: Dump,
): Promise<void> {
  const lost = differencesOf(extentsOf(dump), await extentsIn(environment, database, dump))
  if (lost.length > 0) throw new Failure(`The restore is not complete: ${lost.join('; ')}.`)
}

function* sqlOf(drops: string[], dump: Dump): Generator<string> {
  yield 'PRAGMA defer_foreign_keys = TRUE;\n'
  for (const statement of [...drops, ...dumpSql(dump)]) yield `${statement};\n`
}

/** Triggers first, then tables, those that refer to others before these. */
async function dropsOf(ask: Ask): Promise<string[]> {
  const [objects = [], references = []] = await ask([
    `SELECT type, name FROM sqlite_master WHERE type IN ('table', 'trigger', 'view') AND ${OURS}`,
    `SELECT DISTINCT master.name AS name, keys."table" AS parent
      FROM sqlite_master AS master, pragma_foreign_key_list(master.name) AS keys
      WHERE master.type = 'table' AND ${OURS.replaceAll('name', 'master.name')}`,
  ])
  const namesOf = (type: string) =>
    objects.filter((object) => object.type === type).map(({ name }) => String(name))
  const tables = childrenFirst(
    namesOf('table'),
    references.map(({ name, parent }) => [String(name), String(parent)]),
  )
  return [
    ...namesOf('trigger').map((name) => `DROP TRIGGER "${name}"`),
    ...namesOf('view').map((name) => `DROP VIEW "${name}"`),
    ...tables.map((name) => `DROP TABLE "${name}"`),
  ]
}

function childrenFirst(tables: string[], references: [child: string, parent: string][]): string[] {
  const sorted: string[] = []
  for (let left = tables; left.length > 0; ) {
    const isReferred = (table: string) =>
      references.some(
        ([child, parent]) => parent === table && child !== table && left.includes(child),
      )
    const free = left.filter((table) => !isReferred(table))
    // In a circle the order cannot matter.
    const next = free.length > 0 ? free : left
    sorted.push(...next)
    left = left.filter((table) => !next.includes(table))
  }
  return sorted
}
