import { createHash, createHmac } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import * as z from 'zod'
import { Failure } from '../failure.ts'
import type { Environment, Tenant } from './environment.ts'
import { runWrangler, runWranglerJson } from './wrangler.ts'

// Where wrangler keeps D1 on this machine; Durable Objects of its own, whose files carry their ids.
const LOCAL_CLASS = 'miniflare-D1DatabaseObject'
const LOCAL_FOLDER = `.wrangler/state/v3/d1/${LOCAL_CLASS}`

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
  /** Null where it may be anywhere. */
  jurisdiction: string | null
}

/** Where Cloudflare is to put a database; nothing of it on this machine. */
export interface Placement {
  location?: string | undefined
  jurisdiction?: string | undefined
}

/** The rows of each statement, in order; `size` is the database's, in bytes. */
export interface Answer {
  results: Record<string, unknown>[][]
  size: number | null
}

/** All databases of the account; those of this machine are what wrangler.toml names. */
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

/** Makes the database and gives its id; on this machine any new id is a new, empty database. */
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
  if (!created) throw new Failure(`wrangler has made ${name}, and does not list it.`)
  return created.id
}

/**
 * Deletes the database with all that is in it. Where Cloudflare's answer is lost the account tells
 * whether it is gone: no later run would find anything to finish.
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

/** Runs the statements as one batch: all of them or none. */
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

/** Runs the statements of a file, all of them or none. */
export async function runFile(
  environment: Environment,
  database: string,
  file: string,
): Promise<void> {
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

export async function applyMigrations(environment: Environment, database: string): Promise<void> {
  await runWrangler(['d1', 'migrations', 'apply', database, ...targetOf(environment)])
}

/** The bookmark of this moment for D1's Time Travel; null on this machine, which has none. */
export async function restorePointOf(
  environment: Environment,
  { database_name }: Tenant,
): Promise<string | null> {
  if (environment.name === null) return null
  const args = ['d1', 'time-travel', 'info', database_name, '--env', environment.name]
  return z.object({ bookmark: z.string() }).parse(await runWranglerJson(args)).bookmark
}

/** In bytes, its write-ahead log included; null before anybody has asked it for anything. */
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

function targetOf({ name }: Environment): string[] {
  return name === null ? ['--local'] : ['--remote', '--env', name]
}

/** A Durable Object's id from its name, as miniflare computes it. */
function localFileOf(database_id: string): string {
  const key = createHash('sha256').update(LOCAL_CLASS).digest()
  const sign = (message: string | Buffer) =>
    createHmac('sha256', key).update(message).digest().subarray(0, 16)
  const name = sign(database_id)
  return `${LOCAL_FOLDER}/${Buffer.concat([name, sign(name)]).toString('hex')}.sqlite`
}
