import { eq, sql } from 'drizzle-orm'
import type { Connection } from '../db/connect.ts'
import { apiKeys } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { Caller } from './caller.ts'
import {
  cacheCaller,
  cachedCaller,
  cachedCallerById,
  cacheUnknownKey,
  isUnknownKey,
} from './caller-cache.ts'
import { type ActedFor, readCaller, readSessionCaller } from './caller-d1.ts'
import { readStoredCaller, storeCaller } from './caller-kv.ts'
import type { ParsedKey } from './key.ts'

/** Where the caller was found, nearest first. */
export type CallerOrigin = 'isolate' | 'kv' | 'd1'

export interface CallerSources {
  kv: KVNamespace
  db: Connection
  /** For the write to KV: no answer waits for it. */
  waitUntil: (promise: Promise<unknown>) => void
}

export interface FoundCaller {
  /** Null when the tenant has no such key. */
  caller: Caller | null
  origin: CallerOrigin
}

/** The caller of a key or a session from this isolate's cache; null if the cache does not know it. */
export function recallCaller({ hash }: Pick<ParsedKey, 'hash'>): FoundCaller | null {
  const cached = cachedCaller(hash)
  if (cached) return { caller: cached, origin: 'isolate' }
  return isUnknownKey(hash) ? { caller: null, origin: 'isolate' } : null
}

/** The caller of a key that this isolate does not know. Revoked and expired keys have callers too. */
export async function lookUpCaller(sources: CallerSources, key: ParsedKey): Promise<FoundCaller> {
  const stored = await readStoredCaller(sources.kv, key)
  // Another request may have read the caller meanwhile; KV may be older.
  const refreshed = cachedCaller(key.hash)
  if (refreshed) return { caller: refreshed, origin: 'isolate' }
  if (stored) return { caller: cacheCaller(stored), origin: 'kv' }
  return { caller: await refreshCaller(sources, key), origin: 'd1' }
}

/** The caller of a key by the key's id. Does not ask KV, which stores callers by hash. */
export async function findCallerById(
  sources: CallerSources,
  tenant: string,
  id: string,
): Promise<FoundCaller> {
  const cached = cachedCallerById(tenant, id)
  if (cached) return { caller: cached, origin: 'isolate' }
  const caller = await readCaller(sources.db, tenant, eq(apiKeys.id, id))
  return { caller: caller && cacheCaller(caller), origin: 'd1' }
}

/** The caller of the person with this e-mail address whose access was not taken away. */
export async function findPersonCaller(
  { db }: CallerSources,
  tenant: string,
  email: string,
): Promise<FoundCaller> {
  const match = sql`${apiKeys.email} = ${email} and ${apiKeys.revoked_at} is null`
  return { caller: await readCaller(db, tenant, match), origin: 'd1' }
}

/** The caller of a session, by the hash of its token. Does not ask KV. */
export async function findSessionCaller(
  sources: CallerSources,
  { tenant, hash }: { tenant: string; hash: string },
): Promise<FoundCaller> {
  const known = recallCaller({ hash })
  if (known) return known
  return { caller: await refreshSession(sources, tenant, hash), origin: 'd1' }
}

/**
 * The caller of a key that acts for another. It is read each time: caches have what a key may do by itself. 400
 * SERVICE_ERROR if the partner is deleted: the request would pass through unmapped.
 */
export async function findActingCaller(
  { db }: CallerSources,
  { tenant, key }: Caller,
  actedFor: ActedFor,
): Promise<FoundCaller> {
  const caller = await readCaller(db, tenant, eq(apiKeys.id, key.id), actedFor)
  if (caller && actedFor.partner_id !== null && caller.partner === null) {
    throw new ApiError('SERVICE_ERROR', 'The partner of this request has been deleted.', {
      reason: 'PARTNER_DELETED',
    })
  }
  return { caller, origin: 'd1' }
}

/** Reads the caller from the tenant's database and updates both caches; null if there is no such key or session. */
export async function refreshCaller(
  sources: CallerSources,
  known: ParsedKey | Caller,
): Promise<Caller | null> {
  const { tenant, hash } = known
  if ('session' in known && known.session) return await refreshSession(sources, tenant, hash)
  const caller = await readCaller(sources.db, tenant, eq(apiKeys.hash, hash))
  if (caller) {
    cacheCaller(caller)
    sources.waitUntil(storeCaller(sources.kv, caller))
  } else {
    cacheUnknownKey(hash)
  }
  return caller
}

async function refreshSession({ db }: CallerSources, tenant: string, hash: string) {
  const caller = await readSessionCaller(db, tenant, hash)
  if (caller) cacheCaller(caller)
  else cacheUnknownKey(hash)
  return caller
}
