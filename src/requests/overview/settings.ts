import { sql } from 'drizzle-orm'
import { placeholders, prepared, qb } from '../../engine/db/prepared.ts'
import type { Counted } from './counted.ts'

// Keys that end soon, and what is paused.

/** So many keys that end are counted. The table of the page has no more of a kind. */
export const ENDING_MAX = 20
/** So many paused partners are counted, and so many keys. */
export const PAUSED_MAX = 6

const { now, key_end, sees_keys, sees_partners } = placeholders(
  'now',
  'key_end',
  'sees_keys',
  'sees_partners',
)

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
        order by expires_at limit ${sql.raw(String(ENDING_MAX))})`,
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
const LIMIT = sql.raw(String(PAUSED_MAX))

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
