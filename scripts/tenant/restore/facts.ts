import * as z from 'zod'
import { Failure } from '../../failure.ts'
import { query } from '../databases.ts'
import type { Environment } from '../environment.ts'
import type { Dump } from '../loaded-dump.ts'

/** Runs the statements in one batch and gives the rows of each. */
export type Ask = (statements: string[]) => Promise<Record<string, unknown>[][]>

/** A key without its hash. */
export const Key = z.looseObject({
  id: z.string(),
  name: z.string(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
})
export type Key = z.output<typeof Key>

/** What a restore must not lose or repeat of a tenant's database. */
export const Facts = z.object({
  tenant: z.string(),
  created_at: z.string(),
  integration_enabled: z.boolean(),
  settings_version: z.number(),
  /** The highest seq of the audit log. */
  log_seq: z.number(),
  /** The highest seq that each table has given. */
  sequences: z.record(z.string(), z.number()),
  keys: z.array(Key),
  read_at: z.string(),
})
export type Facts = z.output<typeof Facts>

const STATEMENTS = [
  'SELECT tenant, created_at, integration_enabled, settings_version FROM workspace',
  'SELECT coalesce(max(seq), 0) AS log_seq FROM audit_log',
  'SELECT name, seq FROM sqlite_sequence',
  'SELECT * FROM api_keys ORDER BY seq',
]
// As SQLite says it, whichever way the message comes.
const UNREADABLE = /SQLITE_(?:ERROR|CORRUPT|NOTADB)|no such (?:table|column)|malformed/i

export function askDatabase(environment: Environment, database: string): Ask {
  return async (statements) => (await query(environment, database, statements)).results
}

export function askDump({ db }: Dump): Ask {
  return async (statements) => statements.map((sql) => db.prepare(sql).all())
}

/** Null if the database holds no tenant, or is damaged. Throws a Failure if it cannot be reached. */
export async function readFacts(ask: Ask): Promise<Facts | null> {
  const read_at = new Date().toISOString()
  try {
    const [[workspace] = [], [log] = [], sequences = [], keys = []] = await ask(STATEMENTS)
    if (!workspace) return null
    return Facts.parse({
      ...workspace,
      ...log,
      integration_enabled: workspace.integration_enabled === 1,
      sequences: Object.fromEntries(sequences.map(({ name, seq }) => [name, seq])),
      keys: keys.map(({ hash: _, ...key }) => key),
      read_at,
    })
  } catch (error) {
    if (isDamage(error)) return null
    throw error
  }
}

export function isDamage(error: unknown): boolean {
  return error instanceof Failure && UNREADABLE.test(error.message)
}

export function isLive({ revoked_at, expires_at }: Key): boolean {
  return revoked_at === null && (expires_at === null || expires_at > new Date().toISOString())
}
