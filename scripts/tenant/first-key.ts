import { mintKey } from '../../src/identity/key.ts'
import { Failure } from '../failure.ts'
import { query } from './databases.ts'
import type { Environment } from './environment.ts'
import { insertKey, insertWorkspace, literal } from './rows.ts'

const SCOPES = ['settings.*']
const FIRST = 'First settings key'
/** The name of a first key until its value is about to be shown. */
export const UNSHOWN = `${FIRST} (not shown yet)`

/**
 * Writes the workspace and its first settings key and gives the key's value. The first key of an
 * earlier run, which nobody has seen, is replaced.
 */
export async function writeWorkspace(
  environment: Environment,
  database: string,
  slug: string,
  name: string,
): Promise<string> {
  const key = await mintKey(slug)
  const sql = [
    `${insertWorkspace(slug, name)} ON CONFLICT (id) DO UPDATE SET name = excluded.name`,
    `UPDATE api_keys SET hash = ${literal(key.hash)}, hint = ${literal(key.hint)}
       WHERE name = ${literal(UNSHOWN)}`,
    `${insertKey(key, UNSHOWN, SCOPES)} WHERE NOT EXISTS (SELECT 1 FROM api_keys)`,
  ]
  await query(environment, database, sql.join('; '))
  return key.value
}

/** The tenant is made from now on, and its first key is never replaced again. */
export async function markShown(environment: Environment, database: string): Promise<void> {
  const sql = `UPDATE api_keys SET name = ${literal(FIRST)} WHERE name = ${literal(UNSHOWN)}`
  await query(environment, database, sql)
}

/** One more settings key, for a tenant that has lost its own. */
export async function addSettingsKey(
  environment: Environment,
  database: string,
  slug: string,
): Promise<string> {
  const key = await mintKey(slug)
  const insert = insertKey(key, 'Settings key made by the operator', SCOPES)
  const ofTenant = `WHERE (SELECT tenant FROM workspace) = ${literal(slug)}`
  const { results } = await query(environment, database, `${insert} ${ofTenant} RETURNING id`)
  if (results[0]?.length === 1) return key.value
  throw new Failure(`The database ${database} is not that of ${slug}.`)
}
