import type { MintedKey } from '../../src/engine/identity/key.ts'

/** What a new tenant keeps, if there is a bucket for it: without the document nobody sees why a request was refused. */
const KEPT = { of: 'errors', days: 14, redact: [] }

/**
 * SQL that inserts a tenant's workspace row. An ON CONFLICT clause may follow. `hasBucket`: refused requests and their
 * answers are kept from the first one on.
 */
export function insertWorkspace(tenant: string, name: string, hasBucket: boolean): string {
  const now = literal(new Date().toISOString())
  const kept = hasBucket ? literal(JSON.stringify(KEPT)) : 'NULL'
  return `INSERT INTO workspace (id, tenant, name, keep_documents, created_at, updated_at)
    VALUES (1, ${literal(tenant)}, ${literal(name)}, ${kept}, ${now}, ${now})`
}

/**
 * SQL that makes every cached caller of an earlier database of this tenant outdated. Seconds since 1970 exceed any
 * version that it can have had, and a step of more than one outdates all callers (workspace_leapt in migrations/).
 * A WHERE clause may follow.
 */
export const OUTDATE_CALLERS =
  'UPDATE workspace SET settings_version = max(settings_version + 2, unixepoch())'

/** SQL that inserts a key's row. It ends in a SELECT, so a WHERE clause may follow. */
export function insertKey({ hash, hint }: MintedKey, name: string, scopes: string[]): string {
  const id = crypto.randomUUID()
  const values = [id, hash, hint, name, JSON.stringify(scopes), new Date().toISOString()]
  return `INSERT INTO api_keys (id, hash, hint, name, scopes, created_at)
    SELECT ${values.map(literal).join(', ')}`
}

/** The text as an SQL string literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
