import type { MintedKey } from '../../src/identity/key.ts'

/** A tenant's one workspace row; what to do on a conflict may follow. */
export function insertWorkspace(tenant: string, name: string): string {
  const now = literal(new Date().toISOString())
  return `INSERT INTO workspace (id, tenant, name, created_at, updated_at)
    VALUES (1, ${literal(tenant)}, ${literal(name)}, ${now}, ${now})`
}

/** A key's row, as a SELECT: a condition may follow. */
export function insertKey({ hash, hint }: MintedKey, name: string, scopes: string[]): string {
  const id = crypto.randomUUID()
  const values = [id, hash, hint, name, JSON.stringify(scopes), new Date().toISOString()]
  return `INSERT INTO api_keys (id, hash, hint, name, scopes, created_at)
    SELECT ${values.map(literal).join(', ')}`
}

/** Text as SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
