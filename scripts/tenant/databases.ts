import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { Failure } from '../failure.ts'
import { deleteHere, localSizeOf, queryHere, runHere } from '../local/database.ts'
import type { Databases, Environment } from './environment.ts'
import { runWrangler, runWranglerJson } from './wrangler.ts'

const Listed = z.array(
  z.object({ uuid: z.string(), name: z.string(), jurisdiction: z.string().nullish() }),
)
const Answered = z.array(
  z.object({
    results: z.array(z.record(z.string(), z.unknown())),
    meta: z.object({ size_after: z.number().optional() }).optional(),
  }),
)

export interface Database {
  name: string
  id: string
  /** Null if it has none. */
  jurisdiction: string | null
}

/** Where Cloudflare puts a database. Not used on this machine. */
export interface Placement {
  location?: string | undefined
  jurisdiction?: string | undefined
}

/** The rows of each statement, in order, and the size of the database in bytes. */
export interface Answer {
  results: Record<string, unknown>[][]
  size: number | null
}

/** All databases of the account; on this machine those that wrangler.toml names. */
export async function listDatabases({ name, tenants }: Environment): Promise<Database[]> {
  if (name === null) {
    return tenants.map(({ database_name, database_id }) => ({
      name: database_name,
      id: database_id,
      jurisdiction: null,
    }))
  }
  const listed = Listed.parse(await runWranglerJson(['d1', 'list']))
  return listed.map(({ uuid, jurisdiction = null, ...database }) => ({
    ...database,
    id: uuid,
    jurisdiction,
  }))
}

/** Creates the database and returns its id. On this machine any new id is a new, empty database. */
export async function createDatabase(
  environment: Environment,
  name: string,
  { location, jurisdiction }: Placement,
): Promise<string> {
  if (environment.name === null) return crypto.randomUUID()
  const where = [
    ...(location ? ['--location', location] : []),
    ...(jurisdiction ? ['--jurisdiction', jurisdiction] : []),
  ]
  await runWrangler(['d1', 'create', name, ...where])
  const created = (await listDatabases(environment)).find((database) => database.name === name)
  if (!created) throw new Failure(`wrangler created ${name} but does not list it. Run this again.`)
  return created.id
}

/**
 * Deletes the database and everything in it. If Cloudflare's answer is lost, looks whether the database is gone,
 * because a later run would not find the tenant any more.
 */
export async function deleteDatabase(environment: Environment, database: Database): Promise<void> {
  if (environment.name !== null) {
    try {
      await runWrangler(['d1', 'delete', database.name, '-y'])
    } catch (error) {
      if ((await listDatabases(environment)).some(({ id }) => id === database.id)) throw error
    }
    return
  }
  await deleteHere(database.id)
}

/** Runs the statements as one batch: either all take effect or none. */
export async function query(
  environment: Databases,
  database: string,
  statements: string[],
): Promise<Answer> {
  const id = idHere(environment, database)
  if (id !== undefined) {
    return { results: queryHere(id, statements), size: await localSizeOf(id) }
  }
  const sql = statements.join('; ')
  const args = ['d1', 'execute', database, ...targetOf(environment), '--command', sql]
  const answered = Answered.parse(await runWranglerJson(args))
  return {
    results: answered.map(({ results }) => results),
    size: answered.at(-1)?.meta?.size_after ?? null,
  }
}

/** Runs the statements of a file: either all take effect or none. */
export async function runFile(
  environment: Databases,
  database: string,
  file: string,
): Promise<void> {
  const id = idHere(environment, database)
  if (id !== undefined) return runHere(id, await readFile(file, 'utf8'))
  await runWrangler(['d1', 'execute', database, ...targetOf(environment), '--file', file, '-y'])
}

/** The id of a tenant's database on this machine. */
function idHere({ name, tenants }: Databases, database: string): string | undefined {
  if (name !== null) return undefined
  return tenants.find(({ database_name }) => database_name === database)?.database_id
}

/** The whole database as SQL, as of one moment. */
export async function exportDatabase(
  environment: Environment,
  database: string,
  file: string,
): Promise<void> {
  await runWrangler(['d1', 'export', database, ...targetOf(environment), '--output', file, '-y'])
}

/** Which of the environment's databases wrangler means. */
export function targetOf({ name }: Databases): string[] {
  return name === null ? ['--local'] : ['--remote', '--env', name]
}
