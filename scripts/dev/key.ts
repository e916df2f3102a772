import { hintOf, type MintedKey, mintKey, parseKey } from '../../src/engine/identity/key.ts'
import { insertKey } from '../tenant/rows.ts'

/** A valid key of the tenant: the saved one, or a new one if that is malformed, revoked or expired. */
export async function ensureKey(
  db: D1Database,
  saved: unknown,
  name: string,
  scopes: string[],
): Promise<string> {
  const kept = await savedKey(saved)
  const ended = kept !== null && (await hasEnded(db, kept.hash))
  const key = kept === null || ended ? await mintKey('demo') : kept
  const insert = `${insertKey(key, name, scopes)} WHERE true ON CONFLICT (hash) DO NOTHING`
  await db.prepare(insert).run()
  return key.value
}

async function savedKey(value: unknown): Promise<MintedKey | null> {
  const parsed = typeof value === 'string' ? await parseKey(value) : null
  if (typeof value !== 'string' || parsed?.tenant !== 'demo') return null
  return { value, ...parsed, hint: hintOf(value) }
}

async function hasEnded(db: D1Database, hash: string): Promise<boolean> {
  const ended = await db
    .prepare(
      `select 1 from api_keys where hash = ? and (revoked_at is not null
       or expires_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`,
    )
    .bind(hash)
    .first()
  return ended !== null
}
