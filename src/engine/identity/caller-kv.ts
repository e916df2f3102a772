import { inTime } from '../limits/deadline.ts'
import { Caller } from './caller.ts'
import type { ParsedKey } from './key.ts'

const KV_TTL_SECONDS = 86_400
const KV_READ_MS_MAX = 1000
const KV_WRITE_MS_MAX = 10_000

// KV holds `caller:<format>:<sha256 of the key>` -> Caller as JSON, for a day. Raise the format with each
// change of Caller's shape, so that a deployment never reads what another one wrote.
const kvName = (hash: string) => `caller:12:${hash}`

/** The caller from KV. A failure, timeout or bad value counts as a cache miss. */
export async function readStoredCaller(kv: KVNamespace, key: ParsedKey): Promise<Caller | null> {
  try {
    const value = await inTime(kv.get(kvName(key.hash), 'json'), KV_READ_MS_MAX)
    const stored = Caller.parse(value)
    return stored.hash === key.hash && stored.tenant === key.tenant ? stored : null
  } catch {
    return null
  }
}

/** Stores the caller for a day. Ignores a failure: the next refresh writes again. */
export async function storeCaller(kv: KVNamespace, caller: Caller): Promise<void> {
  const options = { expirationTtl: KV_TTL_SECONDS }
  const put = kv.put(kvName(caller.hash), JSON.stringify(caller), options)
  await inTime(put, KV_WRITE_MS_MAX).catch(() => {
    // For example, KV refuses a second write of a name within a second.
  })
}
