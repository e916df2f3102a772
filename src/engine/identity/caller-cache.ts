import { LRUCache } from 'lru-cache'
import { entriesAtMost, entriesFor } from '../limits/caches.ts'
import type { SavedRules } from '../mapping/saved-rule.ts'
import type { Caller, Mappings } from './caller.ts'

// Callers that an isolate remembers between requests. Each cache is bounded: an isolate has 128 MB for all of
// its tenants.

const CALLERS_MAX = 10_000
const CALLERS_BYTES_MAX = 10_000_000
const UNKNOWN_KEYS_MAX = 10_000
const UNKNOWN_FOR_MS = 30_000
const PARTNERS_MAX = 1000
const MAPPINGS_BYTES_MAX = 16 * 1024 * 1024

// Measured: what V8 takes for a compiled rule, and for a rule's small values per byte of their JSON.
const RULE_BYTES = 2000
const TIMES_TEXT = 12

/** The mappings of a partner after one change of them. All keys of the partner share the object. */
interface Held {
  mappings: Mappings
  /** The hashes of the keys whose callers hold these mappings, or have held them. */
  hashes: Set<string>
}

const callers = new LRUCache<string, Caller>({
  maxSize: CALLERS_BYTES_MAX,
  // Each caller holds a policy of its own, and what is compiled from it.
  sizeCalculation: ({ keep_documents }) =>
    CALLERS_BYTES_MAX / CALLERS_MAX +
    (keep_documents === null ? 0 : JSON.stringify(keep_documents).length * TIMES_TEXT),
})
// The hashes of the keys above, by tenant and key id.
const hashes = new LRUCache<string, string>(entriesAtMost(CALLERS_MAX))
const unknownKeys = new LRUCache<string, true>(entriesFor(UNKNOWN_FOR_MS, UNKNOWN_KEYS_MAX))
const partners = new LRUCache<string, Held>({
  max: PARTNERS_MAX,
  maxSize: MAPPINGS_BYTES_MAX,
  sizeCalculation: ({ mappings }) => bytesOf(mappings),
  dispose: forgetHolders,
})

export function cachedCaller(hash: string): Caller | undefined {
  const caller = callers.get(hash)
  // Marks the partner's mappings as used, so that they stay as long as the caller.
  if (caller?.partner) partners.get(nameOf(caller.tenant, caller.partner))
  return caller
}

export function cachedCallerById(tenant: string, id: string): Caller | undefined {
  return cachedCaller(hashes.get(`${tenant} ${id}`) ?? '')
}

/** Whether a look-up in the last 30 s found no key with this hash. */
export function isUnknownKey(hash: string): boolean {
  return unknownKeys.has(hash)
}

/** Remembers that no key has this hash. */
export function cacheUnknownKey(hash: string): void {
  callers.delete(hash)
  unknownKeys.set(hash, true)
}

/** Remembers the caller, with the same mappings object as its partner's other keys: it is compiled once. */
export function cacheCaller(caller: Caller): Caller {
  const { hash, tenant, partner, key } = caller
  if (partner) partner.mappings = sharedMappings(nameOf(tenant, partner), hash, partner.mappings)
  callers.set(hash, caller)
  if (!caller.session) hashes.set(`${tenant} ${key.id}`, hash)
  return caller
}

function sharedMappings(name: string, hash: string, read: Mappings): Mappings {
  const held = partners.get(name) ?? { mappings: read, hashes: new Set() }
  held.hashes.add(hash)
  partners.set(name, held)
  return held.mappings
}

/** Forgets the callers whose mappings have been evicted. */
function forgetHolders({ mappings, hashes: holders }: Held): void {
  for (const hash of holders) {
    if (callers.peek(hash)?.partner?.mappings === mappings) callers.delete(hash)
  }
}

function nameOf(tenant: string, { id, changed_as_of }: NonNullable<Caller['partner']>): string {
  return `${tenant} ${id} ${changed_as_of}`
}

function bytesOf(mappings: Mappings): number {
  const compiled = Object.values(mappings).reduce(
    (rules, { inbound, outbound }) => rules + rulesOf(inbound) + rulesOf(outbound),
    0,
  )
  return compiled * RULE_BYTES + JSON.stringify(mappings).length * TIMES_TEXT
}

function rulesOf(saved: SavedRules | null): number {
  return Object.keys(saved?.fields ?? {}).length
}
