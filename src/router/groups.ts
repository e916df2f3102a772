import { LRUCache } from 'lru-cache'
import { unavailable } from '../engine/errors.ts'
import { Budget } from '../engine/limits/budget.ts'
import { entriesAtMost, entriesFor } from '../engine/limits/caches.ts'
import { ClosedNetworks } from '../engine/limits/closed-networks.ts'
import { inTime } from '../engine/limits/deadline.ts'
import { groupNumbered, type RouterBindings } from './bindings.ts'

const TENANTS_MAX = 10_000
const UNKNOWN_FOR_MS = 30_000
const READ_MS_MAX = 2000
const AT_ONCE_MAX = 10
const ALL_AT_ONCE_MAX = 200

/** Who asks. */
export interface Visit {
  request_id: string
  /** Null if Cloudflare does not report it. */
  network: string | null
}

// By tenant. An entry of `numbers` holds until its group says that it has no such tenant, which is what makes the
// router ask again, at most once in the time that `askedAgain` remembers.
const numbers = new LRUCache<string, string>(entriesAtMost(TENANTS_MAX))
const unknown = new LRUCache<string, true>(entriesFor(UNKNOWN_FOR_MS, TENANTS_MAX))
const askedAgain = new LRUCache<string, true>(entriesFor(UNKNOWN_FOR_MS, TENANTS_MAX))
// By network. The names begin with `*`, which is no tenant: the groups count unknown keys by tenant, with the same binding.
const closed = new ClosedNetworks('asked for too many tenants that do not exist')
const lookUps = new Budget({
  bytes: ALL_AT_ONCE_MAX,
  keySharesMax: AT_ONCE_MAX,
  refusals: {
    key: 'Too many hosts are being looked up for your address. Try again.',
    all: 'Too many hosts are being looked up just now. Try again.',
  },
})

/**
 * The number of the tenant's group; null if there is no such tenant. 503 if KV does not answer or answers nonsense: that
 * tells nothing. 429, before any I/O, if this isolate does not know the tenant and the client's network has asked for too many
 * that do not exist.
 */
export async function groupNumber(
  env: RouterBindings,
  tenant: string,
  visit: Visit,
): Promise<string | null> {
  const known = recalled(tenant)
  if (known !== undefined) return known
  const { network } = visit
  if (network === null) return await lookUp(env, tenant, visit)
  const share = await lookUps.take({ tenant: network, key: network }, 1)
  try {
    // While this one waited, other look-ups may have found the tenant or closed the network.
    const found = recalled(tenant)
    if (found !== undefined) return found
    closed.refuse(`* ${network}`)
    const number = await lookUp(env, tenant, visit)
    if (number === null) await closed.countFailure(env, `* ${network}`, visit.request_id)
    return number
  } finally {
    share.leave()
  }
}

/**
 * The number of another group, if the tenant has moved there; null if there is none. To be asked when a group says that it does
 * not have the tenant.
 */
export async function otherNumberOf(
  env: RouterBindings,
  tenant: string,
  number: string,
  visit: Visit,
): Promise<string | null> {
  const known = numbers.get(tenant)
  // A request that came back earlier has found it.
  if (known !== undefined && known !== number) return known
  numbers.delete(tenant)
  if (!askedAgain.has(tenant)) {
    const found = await lookUp(env, tenant, visit)
    askedAgain.set(tenant, true)
    if (found !== number) return found
  }
  numbers.delete(tenant)
  unknown.set(tenant, true)
  return null
}

/** Undefined if it has to be looked up. */
function recalled(tenant: string): string | null | undefined {
  return numbers.get(tenant) ?? (unknown.has(tenant) ? null : undefined)
}

async function lookUp(
  env: RouterBindings,
  tenant: string,
  { request_id }: Visit,
): Promise<string | null> {
  const number = await inTime(env.GROUPS.get(tenant), READ_MS_MAX).catch(() => {
    console.error(JSON.stringify({ event: 'group_lookup_failed', request_id, tenant }))
    throw unavailable(
      'Where this tenant is served could not be looked up. Send the request again.',
      'TENANT_NOT_ROUTED',
    )
  })
  if (number === null) {
    unknown.set(tenant, true)
    return null
  }
  if (!groupNumbered(env, number)) {
    console.error(JSON.stringify({ event: 'group_unknown', request_id, tenant }))
    throw unavailable(
      'Where this tenant is served is not known yet. Send the request again.',
      'TENANT_NOT_ROUTED',
    )
  }
  numbers.set(tenant, number)
  return number
}
