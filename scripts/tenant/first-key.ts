import { mintKey } from '../../src/identity/key.ts'
import { query } from './databases.ts'
import type { Environment } from './environment.ts'
import { insertKey, insertWorkspace } from './rows.ts'

const SCOPES = ['settings.*']
const NEVER_USED = "NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'audit_log' AND seq > 0)"

/**
 * Writes the workspace and its first settings key and gives the key's value. A first key that an
 * earlier run has written, and that nobody has seen since it was never used, is replaced.
 */
export async function writeWorkspace(
  environment: Environment,
  database: string,
  slug: string,
  name: string,
): Promise<string> {
  const key = await mintKey(slug)
  await query(
    environment,
    database,
    [
      insertWorkspace(slug, name),
      `DELETE FROM api_keys WHERE ${NEVER_USED}`,
      `${insertKey(key, 'First settings key', SCOPES)} WHERE ${NEVER_USED}`,
    ].join('; '),
  )
  return key.value
}

/** One more settings key, for a tenant that has lost its own. */
export async function addSettingsKey(
  environment: Environment,
  database: string,
  slug: string,
): Promise<string> {
  const key = await mintKey(slug)
  await query(environment, database, insertKey(key, 'Settings key made by the operator', SCOPES))
  return key.value
}
