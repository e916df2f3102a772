import { type SQL, sql } from 'drizzle-orm'
import { literal, placeholders, prepared, qb } from '../../engine/db/prepared.ts'
import type { PartnerDoubt } from '../../engine/db/tables.ts'
import type { Counted } from './counted.ts'

// What has been set up, keys that end soon, what is paused, and what others have noted: the daily check-up of partners,
// and the command that takes backups.

/** Of the workspace so many of the newest changes are looked through. */
const CHANGES_MAX = 20

/** So many keys that end are counted. The table of the page has no more of a kind. */
export const ENDING_MAX = 20
/** So many paused partners are counted, and so many keys. */
export const PAUSED_MAX = 6
/** So many partners with findings are named. */
export const DOUBTED_MAX = 4

const { now, key_end, sees_keys, sees_partners } = placeholders(
  'now',
  'key_end',
  'sees_keys',
  'sees_partners',
)
const { checked_since, sees_check_ups } = placeholders('checked_since', 'sees_check_ups')

const has = (table: string) => sql.raw(`exists (select 1 from ${table} where seq > 0)`)

/** Up to two of those that end so. The tenant's first key is one of them. */
const liveKeys = (ends: SQL) => sql`(select count(*) from (
  select 1 from api_keys where revoked_at is null and expires_at ${ends} limit 2))`

const steps = sql`json_array(
  ${liveKeys(sql`is null`)} + ${liveKeys(sql`> ${now}`)} >= 2,
  ${has('locations')},
  ${has('products')},
  keep_documents is not null or exists (
    select 1 from (
      select fields from settings_history where record_id = tenant
      order by seq desc limit ${literal(CHANGES_MAX)}) as change, json_each(change.fields) as field
    where field.value in ('keep_documents', 'audit_retention_days')))`

/** Nothing of a tenant that has orders or stock. */
export const selectSetUp = prepared(() =>
  qb
    .select({ steps: sql<string>`${steps}`.as('steps') })
    .from(sql`workspace`)
    .where(sql`id = 1 and not ${has('orders')} and not ${has('inventory')}`),
)

export type SetUp = NonNullable<ReturnType<typeof setUpIn>>

/** What has been done of what a tenant begins with. Null for a tenant that has begun. */
export function setUpIn([row]: { steps: string }[]) {
  if (!row) return null
  const done: (0 | 1)[] = JSON.parse(row.steps)
  const [isConnected = false, hasLocations = false, hasProducts = false, isKeepingDecided = false] =
    done.map(Boolean)
  return { isConnected, hasLocations, hasProducts, isKeepingDecided }
}

const IS_WEBHOOK = sql`webhook is not null`
// A person is not a key here, and has no line.
const IS_KEY = sql`webhook is null and email is null`

export const selectEndingKeys = prepared(() =>
  qb
    .select({
      looked: sql<number>`count(*)`.as('looked'),
      keys: sql<number>`count(*) filter (where is_key)`.as('keys'),
      webhooks: sql<number>`count(*) filter (where is_webhook)`.as('webhooks'),
      first_key_at: sql<string>`min(expires_at) filter (where is_key)`.as('first_key_at'),
      first_webhook_at: sql<string>`min(expires_at) filter (where is_webhook)`.as(
        'first_webhook_at',
      ),
    })
    .from(
      sql`(select ${IS_WEBHOOK} as is_webhook, ${IS_KEY} as is_key, expires_at from api_keys
        where revoked_at is null and expires_at > ${now} and expires_at <= ${key_end} and ${sees_keys}
        order by expires_at limit ${literal(ENDING_MAX)})`,
    ),
)

/** Keys or webhooks that end within two weeks. */
export interface Ending {
  of: 'key' | 'webhook'
  keys: Counted
  first_at: string
}

/** Together, and with people, they are counted up to ENDING_MAX, so of each kind there may be more. */
export function endingIn([row]: (typeof selectEndingKeys)['_']['result']): Ending[] {
  if (!row) return []
  const isMore = row.looked >= ENDING_MAX
  const found: Ending[] = [
    { of: 'key', keys: { number: row.keys, isMore }, first_at: row.first_key_at },
    { of: 'webhook', keys: { number: row.webhooks, isMore }, first_at: row.first_webhook_at },
  ]
  return found.filter(({ keys }) => keys.number > 0)
}

/** The expression of the indexes of what is paused. */
const PAUSE_END = sql`coalesce(json_extract(pause, '$.until'), '~')`
const LIMIT = literal(PAUSED_MAX)

export const selectPaused = prepared(() =>
  qb
    .select({
      kind: sql<'partner' | 'key' | 'webhook'>`kind`,
      id: sql<string>`id`,
      name: sql<string>`name`,
      until: sql<string | null>`pause ->> 'until'`.as('until'),
    })
    .from(sql`(
      select * from (
        select 'partner' as kind, id, name, pause from partners
        where pause is not null and ${PAUSE_END} > ${now} and deleted_at is null and ${sees_partners}
        order by ${PAUSE_END} limit ${LIMIT})
      union all
      select * from (
        select iif(${IS_WEBHOOK}, 'webhook', 'key'), id, name, pause from api_keys
        where pause is not null and ${PAUSE_END} > ${now} and revoked_at is null
          and (expires_at is null or expires_at > ${now}) and ${sees_keys}
        order by ${PAUSE_END} limit ${LIMIT})
    )`),
)

export type Paused = (typeof selectPaused)['_']['result'][number]

/** A mapping that was saved since then is looked at by the next check-up. */
const WAS_MENDED = sql`exists (
  select 1 from field_mappings where field_mappings.partner_id = partners.id and field_mappings.updated_at > checked_at)`

/** Partners whose last check-up has findings. */
export const selectDoubted = prepared(() =>
  qb
    .select({
      partner_id: sql<string>`partner_id`,
      partner_name: sql<string>`name`,
      checked_at: sql<string>`checked_at`,
      kinds: sql`kinds`.mapWith((kinds: string): PartnerDoubt[] => JSON.parse(kinds)),
    })
    .from(sql`(
      select check_ups.partner_id, name, checked_at, kinds from check_ups
      join partners on partners.id = check_ups.partner_id and deleted_at is null
      where kinds <> '[]' and checked_at >= ${checked_since} and ${sees_check_ups} and not ${WAS_MENDED}
      order by checked_at desc limit ${literal(DOUBTED_MAX)})`),
)

export const selectBackup = prepared(() =>
  qb.select({ backed_up_at: sql<string | null>`backed_up_at` }).from(sql`workspace`),
)
