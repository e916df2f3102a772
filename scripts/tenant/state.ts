import { readdir } from 'node:fs/promises'
import * as z from 'zod'
import { Failure } from '../failure.ts'
import { nameOfWebhookKey } from '../secrets.ts'
import { query } from './databases.ts'
import type { Databases } from './environment.ts'
import { UNSHOWN } from './first-key.ts'
import { literal } from './rows.ts'

const Facts = z.object({
  tenant: z.string().nullable(),
  name: z.string().nullable(),
  integration_enabled: z
    .number()
    .nullable()
    .transform((flag) => flag === 1),
  last_request_at: z.string().nullable(),
  live_keys: z.number(),
  unshown_keys: z.number(),
})

const NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"

const STATEMENTS = [
  'SELECT name FROM d1_migrations ORDER BY id',
  `SELECT tenant, name, integration_enabled,
    (SELECT created_at FROM audit_log ORDER BY seq DESC LIMIT 1) AS last_request_at,
    (SELECT count(*) FROM api_keys WHERE revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > ${NOW})) AS live_keys,
    (SELECT count(*) FROM api_keys WHERE name = ${literal(UNSHOWN)}) AS unshown_keys
  FROM (SELECT 1) LEFT JOIN workspace`,
]

/** How many secrets of webhooks that have not ended each key has sealed, by its number. */
const SECRETS = `SELECT substr(sealed, 3, instr(substr(sealed, 3), '.') - 1) AS key, count(*) AS secrets FROM (
    SELECT secret.value ->> 'sealed' AS sealed FROM api_keys, json_each(webhook_secrets) AS secret
    WHERE revoked_at IS NULL AND coalesce(secret.value ->> 'ends_at' > ${NOW}, true))
  GROUP BY key ORDER BY key + 0 DESC`

const Sealed = z.array(z.object({ key: z.string(), secrets: z.number() }))

/** What a tenant's database says about the tenant. */
export interface State {
  /** Names of files in migrations/, in order. */
  applied: string[]
  pending: string[]
  /** Null before the workspace has been written. */
  workspace: { tenant: string; name: string; integration_enabled: boolean } | null
  /** Whether the tenant is complete: its first key has been shown. */
  made: boolean
  last_request_at: string | null
  live_keys: number
  /** How many secrets of webhooks each key of the Worker has encrypted, by the name of the key, the newest first. */
  webhook_secrets: Record<string, number>
  /** In bytes. */
  size: number | null
}

/** Reads the state of a database, which may be empty. */
export async function readState(environment: Databases, database: string): Promise<State> {
  const known = await migrationFiles()
  try {
    const { results, size } = await facts(environment, database)
    const applied = (results[0] ?? []).map(({ name }) => String(name))
    const { tenant, name, integration_enabled, unshown_keys, ...rest } = Facts.parse(
      results[1]?.[0],
    )
    return {
      applied,
      pending: known.filter((file) => !applied.includes(file)),
      workspace: tenant === null || name === null ? null : { tenant, name, integration_enabled },
      made: tenant !== null && unshown_keys === 0,
      size,
      webhook_secrets: byKey(results[2] ?? []),
      ...rest,
    }
  } catch (error) {
    if (!(error instanceof Failure && /no such table/.test(error.message))) throw error
    return {
      applied: [],
      pending: known,
      workspace: null,
      made: false,
      last_request_at: null,
      live_keys: 0,
      webhook_secrets: {},
      size: null,
    }
  }
}

/** A database that lacks a migration may have no secrets of webhooks yet. */
async function facts(environment: Databases, database: string) {
  try {
    return await query(environment, database, [...STATEMENTS, SECRETS])
  } catch (error) {
    if (!(error instanceof Failure && /no such column: webhook_secrets/.test(error.message)))
      throw error
    return await query(environment, database, STATEMENTS)
  }
}

function byKey(rows: unknown[]): Record<string, number> {
  const entries = Sealed.parse(rows).map(({ key, secrets }) => [nameOfWebhookKey(key), secrets])
  return Object.fromEntries(entries)
}

export async function migrationFiles(): Promise<string[]> {
  return (await readdir('migrations')).filter((file) => file.endsWith('.sql')).toSorted()
}
