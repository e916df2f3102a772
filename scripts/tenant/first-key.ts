import { mintKey } from '../../src/engine/identity/key.ts'
import { Failure } from '../failure.ts'
import { query } from './databases.ts'
import type { Environment } from './environment.ts'
import { insertKey, insertWorkspace, literal, OUTDATE_CALLERS } from './rows.ts'

// With those of the integrations API too: a key can grant only the scopes that it holds.
const SCOPES = ['settings.*', 'integrations.*']
const FIRST = 'First settings key'
/** The name of a tenant's first key until its value is shown. */
export const UNSHOWN = `${FIRST} (not shown yet)`

/**
 * Writes the workspace and its first settings key, and returns the key's value. Replaces the first key of an
 * earlier run if nobody has seen it.
 */
export async function writeWorkspace(
  environment: Environment,
  database: string,
  slug: string,
  name: string,
): Promise<string> {
  const key = await mintKey(slug)
  const sql = [
    `${insertWorkspace(slug, name, environment.bucket !== null)} ON CONFLICT (id) DO UPDATE SET name = excluded.name`,
    // A tenant with this slug may have been removed, and KV keeps callers for a day.
    OUTDATE_CALLERS,
    `UPDATE api_keys SET hash = ${literal(key.hash)}, hint = ${literal(key.hint)}
       WHERE name = ${literal(UNSHOWN)}`,
    `${insertKey(key, UNSHOWN, SCOPES)} WHERE NOT EXISTS (SELECT 1 FROM api_keys)`,
  ]
  await query(environment, database, sql)
  return key.value
}

/** Completes the tenant: no later run replaces its first key. */
export async function markShown(environment: Environment, database: string): Promise<void> {
  const sql = `UPDATE api_keys SET name = ${literal(FIRST)} WHERE name = ${literal(UNSHOWN)}`
  await query(environment, database, [sql])
}

/** Adds a settings key to a tenant that has lost its own, and returns its value. */
export async function addSettingsKey(
  environment: Environment,
  database: string,
  slug: string,
): Promise<string> {
  const key = await mintKey(slug)
  const insert = insertKey(key, 'Settings key made by the operator', SCOPES)
  const ofTenant = `WHERE (SELECT tenant FROM workspace) = ${literal(slug)}`
  const { results } = await query(environment, database, [`${insert} ${ofTenant} RETURNING id`])
  if (results[0]?.length === 1) return key.value
  throw new Failure(`The database ${database} does not belong to ${slug}.`)
}
