import type { Context } from 'hono'
import { LRUCache } from 'lru-cache'
import * as z from 'zod'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'
import type { ParsedKey } from '../identity/key.ts'
import {
  type CallerSources,
  type FoundCaller,
  findSessionCaller,
  lookUpCaller,
  recallCaller,
} from '../identity/look-up.ts'
import { Budget } from '../limits/budget.ts'
import { entriesAtMost, LAZY_CLOCK } from '../limits/caches.ts'
import { inTime } from '../limits/deadline.ts'
import { networkOf } from '../limits/network.ts'

const CLOSED_MAX = 10_000
// The same as the period of the binding (wrangler.toml).
const CLOSED_FOR_MS = 60_000
const COUNT_MS_MAX = 1000
const AT_ONCE_MAX = 10
// Addresses cost nothing: these bound what all of them together ask one database, and all databases.
const TENANT_AT_ONCE_MAX = 50
const ALL_AT_ONCE_MAX = 200

const Counted = z.object({ success: z.boolean() })

// By tenant and network. Asking the binding also counts, so it is asked only after a failure, and its
// answer is remembered here.
const closed = new LRUCache<string, true>({
  ...entriesAtMost(CLOSED_MAX),
  ttl: CLOSED_FOR_MS,
  ...LAZY_CLOCK,
})
// Keys that arrive at once are looked up few at a time, so that the first failures are counted before
// the others are looked up.
const lookUps = new Budget({
  bytes: ALL_AT_ONCE_MAX,
  timesFreeMax: 1,
  tenantBytesMax: TENANT_AT_ONCE_MAX,
  keySharesMax: AT_ONCE_MAX,
  refusals: {
    key: 'Too many API keys from your address are being looked up. Try again.',
    all: 'Too many API keys are being looked up just now. Try again.',
  },
})

/**
 * The caller of a key, even of a revoked or expired one; null if the tenant has no such key. 429
 * RATE_LIMITED, before any I/O, if this isolate does not know the key and the client's network has sent
 * too many unknown keys in this minute.
 */
export async function findCaller(
  c: Context<AppEnv>,
  sources: CallerSources,
  key: ParsedKey,
): Promise<FoundCaller> {
  const network = networkOf(c.req.raw.headers)
  return (
    recallCaller(key) ??
    (network === null
      ? await lookUpCaller(sources, key)
      : await lookUpFor(c, network, sources, key))
  )
}

/** The caller of a session, by the hash of its token. If many requests arrive at once, a few look it up, and the others find it in the cache. */
export async function findSession(
  sources: CallerSources,
  session: { tenant: string; hash: string },
): Promise<FoundCaller> {
  const known = recallCaller(session)
  if (known) return known
  const share = await lookUps.take({ tenant: session.tenant, key: session.hash }, 1)
  try {
    return await findSessionCaller(sources, session)
  } finally {
    share.leave()
  }
}

async function lookUpFor(
  c: Context<AppEnv>,
  network: string,
  sources: CallerSources,
  key: ParsedKey,
): Promise<FoundCaller> {
  const name = `${key.tenant} ${network}`
  refuseClosed(name)
  const share = await lookUps.take({ tenant: key.tenant, key: network }, 1)
  try {
    // While this one waited, other look-ups may have found the key or closed the network.
    const known = recallCaller(key)
    if (known) return known
    refuseClosed(name)
    const found = await lookUpCaller(sources, key)
    if (!found.caller) await countFailure(c, name)
    return found
  } finally {
    share.leave()
  }
}

function refuseClosed(name: string): void {
  if (!closed.has(name)) return
  const seconds = Math.max(1, Math.ceil(closed.getRemainingTTL(name) / 1000))
  const message = `Your address has sent too many unknown API keys. Try again in ${seconds} s.`
  throw new ApiError('RATE_LIMITED', message, { retryAfter: seconds, reason: 'UNKNOWN_KEYS' })
}

/** A failure that cannot be counted closes nothing. */
async function countFailure(c: Context<AppEnv>, name: string): Promise<void> {
  try {
    const counted = await inTime(c.env.FAILED_LOOKUPS.limit({ key: name }), COUNT_MS_MAX)
    if (!Counted.parse(counted).success) closed.set(name, true)
  } catch {
    const { request_id } = c.get('exchange')
    console.error(JSON.stringify({ event: 'failed_lookup_uncounted', request_id }))
  }
}
