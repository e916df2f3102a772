import { createHash, createHmac } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import * as z from 'zod'
import { Failure } from '../failure.ts'
import type { Environment, Tenant } from './environment.ts'
import { runWrangler, runWranglerJson } from './wrangler.ts'

// Where wrangler stores local D1 databases. Each is a Durable Object whose file is named after its id.
const LOCAL_CLASS = 'miniflare-D1DatabaseObject'
const LOCAL_FOLDER = `.wrangler/state/v3/d1/${LOCAL_CLASS}`

/** An environment by its name; null: this machine. */
export type Target = Pick<Environment, 'name'>

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
  for (const suffix of ['-wal', '-shm', ''])
    await rm(localFileOf(database.id) + suffix, { force: true })
}

/** Runs the statements as one batch: either all take effect or none. */
export async function query(
  environment: Environment,
  database: string,
  sql: string,
): Promise<Answer> {
  const args = ['d1', 'execute', database, ...targetOf(environment), '--command', sql]
  const answered = Answered.parse(await runWranglerJson(args))
  return {
    results: answered.map(({ results }) => results),
    size: answered.at(-1)?.meta?.size_after ?? null,
  }
}

/** Runs the statements of a file: either all take effect or none. */
export async function runFile(environment: Target, database: string, file: string): Promise<void> {
  await runWrangler(['d1', 'execute', database, ...targetOf(environment), '--file', file, '-y'])
}

/** The whole database as SQL, as of one moment. */
export async function exportDatabase(
  environment: Environment,
  database: string,
  file: string,
): Promise<void> {
  await runWrangler(['d1', 'export', database, ...targetOf(environment), '--output', file, '-y'])
}

/** The size in bytes with the write-ahead log; null before the first query. */
export async function localSizeOf({ database_id }: Tenant): Promise<number | null> {
  const file = localFileOf(database_id)
  const sizes = await Promise.all(
    [file, `${file}-wal`].map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size) || null
}

/** Which of the environment's databases wrangler means. */
export function targetOf({ name }: Target): string[] {
  return name === null ? ['--local'] : ['--remote', '--env', name]
}

/** The path of the database's file. Computes the Durable Object's id from its name as miniflare does. */
function localFileOf(database_id: string): string {
  const key = createHash('sha256').update(LOCAL_CLASS).digest()
  const sign = (message: string | Buffer) =>
    createHmac('sha256', key).update(message).digest().subarray(0, 16)
  const name = sign(database_id)
  return `${LOCAL_FOLDER}/${Buffer.concat([name, sign(name)]).toString('hex')}.sqlite`
}
