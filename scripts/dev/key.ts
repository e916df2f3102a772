import { hintOf, type MintedKey, mintKey, parseKey } from '../../src/engine/identity/key.ts'
import { insertKey, literal } from '../tenant/rows.ts'

/** Runs one statement and returns its rows. */
type Run = (sql: string) => Promise<unknown[]>

/** A valid key of the tenant: the saved one, or a new one if that is malformed, revoked or expired. */
export async function ensureKey(
  run: Run,
  saved: unknown,
  name: string,
  scopes: string[],
): Promise<string> {
  const kept = await savedKey(saved)
  const ended = kept !== null && (await hasEnded(run, kept.hash))
  const key = kept === null || ended ? await mintKey('demo') : kept
  await run(`${insertKey(key, name, scopes)} WHERE true ON CONFLICT (hash) DO NOTHING`)
  return key.value
}

async function savedKey(value: unknown): Promise<MintedKey | null> {
  const parsed = typeof value === 'string' ? await parseKey(value) : null
  if (typeof value !== 'string' || parsed?.tenant !== 'demo') return null
  return { value, ...parsed, hint: hintOf(value) }
}

async function hasEnded(run: Run, hash: string): Promise<boolean> {
  const ended = await run(
    `SELECT 1 FROM api_keys WHERE hash = ${literal(hash)} AND (revoked_at IS NOT NULL
       OR expires_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`,
  )
  return ended.length > 0
}
