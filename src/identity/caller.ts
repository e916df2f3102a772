import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import QuickLRU from 'quick-lru'
import * as z from 'zod'
import type { Connection } from '../db/connect.ts'
import { q } from '../db/prepared.ts'
import { apiKeys, fieldMappings, partners, workspace } from '../db/tables.ts'
import { rethrow } from '../db/violations.ts'
import { inTime } from '../deadline.ts'
import { isObject } from '../fields.ts'
import { RESOURCES } from '../mapping/identifier.ts'
import type { Mapping } from '../mapping/schema.ts'
import type { ParsedKey } from './key.ts'

const CALLERS_MAX = 10_000
const PARTNERS_MAX = 1000
const UNKNOWN_KEYS_MAX = 10_000
const UNKNOWN_FOR_MS = 30_000
const KV_TTL_SECONDS = 86_400
const KV_READ_MS_MAX = 1000
const KV_WRITE_MS_MAX = 10_000

/**
 * A snapshot of everything that settings say about a key, as of one `settings_version`. It may be
 * stale wherever it comes from; the tenant's database confirms the version with each request.
 */
const Caller = z.object({
  hash: z.string(),
  tenant: z.string(),
  settings_version: z.number(),
  integration_enabled: z.boolean(),
  key: z.object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    expires_at: z.string().nullable(),
    revoked_at: z.string().nullable(),
    release: z.string(),
    rate_limit: z.number().nullable(),
  }),
  partner: z
    .object({
      id: z.string(),
      name: z.string(),
      default_identifier_field: z.string().nullable(),
      mappings: z.partialRecord(z.enum(RESOURCES), z.custom<Mapping>(isObject)),
    })
    .nullable(),
})
export type Caller = z.output<typeof Caller>

type Mappings = NonNullable<Caller['partner']>['mappings']

/** Where the caller was found, nearest first. */
export type CallerOrigin = 'isolate' | 'kv' | 'd1'

// KV: `caller:<format>:<sha256 of the key>` -> Caller as JSON, for a day. A new shape of Caller is
// a new format, so that a deployment never reads what another one wrote.
const kvName = (hash: string) => `caller:3:${hash}`

const callers = new QuickLRU<string, Caller>({ maxSize: CALLERS_MAX })
// All keys of a partner share its mappings, and so what is compiled of them.
const mappings = new QuickLRU<string, Mappings>({ maxSize: PARTNERS_MAX })
// Of the callers above, by tenant and id of the key.
const hashes = new QuickLRU<string, string>({ maxSize: CALLERS_MAX })
const unknownKeys = new QuickLRU<string, true>({
  maxSize: UNKNOWN_KEYS_MAX,
  maxAge: UNKNOWN_FOR_MS,
})

export interface CallerSources {
  kv: KVNamespace
  db: Connection
  /** For the write to KV, which no answer waits for. */
  waitUntil: (promise: Promise<unknown>) => void
}

/** The caller of a key, revoked and expired ones included; null when the tenant has no such key. */
export async function findCaller(
  sources: CallerSources,
  key: ParsedKey,
): Promise<{ caller: Caller | null; origin: CallerOrigin }> {
  const cached = callers.get(key.hash)
  if (cached) return { caller: cached, origin: 'isolate' }
  if (unknownKeys.has(key.hash)) return { caller: null, origin: 'isolate' }
  const stored = await readKv(sources.kv, key)
  // Another request may have looked the caller up meanwhile, and KV is the one that lags behind.
  const refreshed = callers.get(key.hash)
  if (refreshed) return { caller: refreshed, origin: 'isolate' }
  if (stored) return { caller: remember(stored), origin: 'kv' }
  return { caller: await refreshCaller(sources, key), origin: 'd1' }
}

/** As `findCaller`, of a key that is known by its id; past KV, which knows keys by their hash. */
export async function findCallerById(
  sources: CallerSources,
  tenant: string,
  id: string,
): Promise<{ caller: Caller | null; origin: CallerOrigin }> {
  const cached = callers.get(hashes.get(`${tenant} ${id}`) ?? '')
  if (cached) return { caller: cached, origin: 'isolate' }
  const caller = await readD1(sources.db, tenant, eq(apiKeys.id, id))
  return { caller: caller && remember(caller), origin: 'd1' }
}

/** Reads the caller from the tenant's database, past both caches, and renews them. */
export async function refreshCaller(
  sources: CallerSources,
  key: ParsedKey,
): Promise<Caller | null> {
  const caller = await readD1(sources.db, key.tenant, eq(apiKeys.hash, key.hash))
  if (caller) {
    remember(caller)
    sources.waitUntil(writeKv(sources.kv, caller))
  } else {
    callers.delete(key.hash)
    unknownKeys.set(key.hash, true)
  }
  return caller
}

function remember(caller: Caller): Caller {
  const { tenant, settings_version, partner } = caller
  if (partner) {
    const name = `${tenant} ${settings_version} ${partner.id}`
    partner.mappings = mappings.get(name) ?? partner.mappings
    mappings.set(name, partner.mappings)
  }
  callers.set(caller.hash, caller)
  hashes.set(`${tenant} ${caller.key.id}`, caller.hash)
  return caller
}

/** A failure of KV, its silence, or nonsense from it, is a miss: KV is a cache, its word is never a verdict. */
async function readKv(kv: KVNamespace, key: ParsedKey): Promise<Caller | null> {
  try {
    const value = await inTime(kv.get(kvName(key.hash), 'json'), KV_READ_MS_MAX)
    const stored = Caller.parse(value)
    return stored.hash === key.hash && stored.tenant === key.tenant ? stored : null
  } catch {
    return null
  }
}

async function writeKv(kv: KVNamespace, caller: Caller): Promise<void> {
  const options = { expirationTtl: KV_TTL_SECONDS }
  const put = kv.put(kvName(caller.hash), JSON.stringify(caller), options)
  await inTime(put, KV_WRITE_MS_MAX).catch(() => {
    // KV takes one write a second per name; the next refresh writes again.
  })
}

async function readD1(db: Connection, tenant: string, match: SQL): Promise<Caller | null> {
  const [[row]] = await db.batch([selectCaller(match)]).catch(rethrow)
  if (row?.tenant !== tenant) return null
  const { hash, settings_version, integration_enabled } = row
  const { scopes, expires_at, revoked_at, release, rate_limit } = row
  const { partner_id, partner_name, default_identifier_field } = row
  return {
    hash,
    tenant,
    settings_version,
    integration_enabled,
    key: {
      id: row.key_id,
      name: row.key_name,
      scopes,
      expires_at,
      revoked_at,
      release,
      rate_limit,
    },
    partner:
      partner_id === null || partner_name === null
        ? null
        : { id: partner_id, name: partner_name, default_identifier_field, mappings: row.mappings },
  }
}

/** In a batch drizzle tells columns apart by name alone (drizzle-orm 6038), hence the aliases. */
function selectCaller(match: SQL) {
  return q
    .select({
      hash: apiKeys.hash,
      tenant: workspace.tenant,
      settings_version: workspace.settings_version,
      integration_enabled: workspace.integration_enabled,
      key_id: sql<string>`${apiKeys.id}`.as('key_id'),
      key_name: sql<string>`${apiKeys.name}`.as('key_name'),
      scopes: apiKeys.scopes,
      expires_at: apiKeys.expires_at,
      revoked_at: apiKeys.revoked_at,
      release: apiKeys.release,
      rate_limit: apiKeys.rate_limit,
      partner_id: sql<string | null>`${partners.id}`.as('partner_id'),
      partner_name: sql<string | null>`${partners.name}`.as('partner_name'),
      default_identifier_field: partners.default_identifier_field,
      mappings: selectMappings(),
    })
    .from(apiKeys)
    .innerJoin(workspace, eq(workspace.id, 1))
    .leftJoin(partners, and(eq(partners.id, apiKeys.partner_id), isNull(partners.deleted_at)))
    .where(match)
}

/** All mappings of the partner as one JSON object, by resource. */
function selectMappings() {
  const { partner_id, resource, identifier_field, inbound, outbound } = fieldMappings
  return sql<Mappings>`(select json_group_object(${resource}, json_object(
      'identifier_field', ${identifier_field},
      'inbound', json(${inbound}), 'outbound', json(${outbound})))
    from ${fieldMappings} where ${partner_id} = ${partners.id})`
    .mapWith((text: string): Mappings => JSON.parse(text))
    .as('mappings')
}
