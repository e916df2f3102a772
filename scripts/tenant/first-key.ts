import { type MintedKey, mintKey } from '../../src/identity/key.ts'
import { query } from './databases.ts'
import type { Environment } from './environment.ts'

const SCOPES = '["settings.*"]'
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
  const now = literal(new Date().toISOString())
  await query(
    environment,
    database,
    `INSERT OR IGNORE INTO workspace (id, tenant, name, created_at, updated_at)
       VALUES (1, ${literal(slug)}, ${literal(name)}, ${now}, ${now});
     DELETE FROM api_keys WHERE ${NEVER_USED};
     ${insertKey(key, 'First settings key')} WHERE ${NEVER_USED}`,
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
  await query(environment, database, insertKey(key, 'Settings key made by the operator'))
  return key.value
}

function insertKey({ hash, hint }: MintedKey, name: string): string {
  const id = crypto.randomUUID()
  const values = [id, hash, hint, name, SCOPES, new Date().toISOString()].map(literal)
  return `INSERT INTO api_keys (id, hash, hint, name, scopes, created_at) SELECT ${values.join(', ')}`
}

/** Text as SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
