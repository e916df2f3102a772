import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import type { ParsedKey } from '../identity/key.ts'
import {
  type CallerSources,
  type FoundCaller,
  findSessionCaller,
  lookUpCaller,
  recallCaller,
} from '../identity/look-up.ts'
import { Budget } from '../limits/budget.ts'
import { ClosedNetworks } from '../limits/closed-networks.ts'
import { networkOf } from '../limits/network.ts'

const AT_ONCE_MAX = 10
// Addresses cost nothing: these bound what all of them together ask one database, and all databases.
const TENANT_AT_ONCE_MAX = 50
const ALL_AT_ONCE_MAX = 200

// By tenant and network.
const closed = new ClosedNetworks('sent too many unknown API keys')
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
  closed.refuse(name)
  const share = await lookUps.take({ tenant: key.tenant, key: network }, 1)
  try {
    // While this one waited, other look-ups may have found the key or closed the network.
    const known = recallCaller(key)
    if (known) return known
    closed.refuse(name)
    const found = await lookUpCaller(sources, key)
    if (!found.caller) await closed.countFailure(c.env, name, c.get('exchange').request_id)
    return found
  } finally {
    share.leave()
  }
}
