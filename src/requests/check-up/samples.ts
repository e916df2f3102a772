import { type SQL, sql } from 'drizzle-orm'
import { newestRows } from '../../engine/db/log-look-ups.ts'
import { qb } from '../../engine/db/prepared.ts'
import { fieldMappings } from '../../engine/db/tables.ts'
import { isReadable, unreadableUntil } from '../../engine/log/documents/kept.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'

/** Of a busy partner only the newest requests are read. */
const REQUESTS_MAX = 10_000
/** Above the number of pairs of a resource and a method. */
const SERIES_MAX = 100
/** A change shows in the newest documents first: twice as many as a change needs. */
const NEWEST_MAX = 20
/** Documents from the whole time since the mapping was saved. They tell what was usual. */
const DRAWN_MAX = 40

/** A request since the mapping was saved whose document is kept. */
export interface Sampled {
  request_id: string
  created_at: string
  /** The request was refused, or rows of its upload were. */
  has_failed: boolean
}

/** Requests of one method to one resource, whose documents should be alike; oldest first. */
export interface Series {
  resource: Resource
  method: string
  sampled: Sampled[]
}

/**
 * Of each resource with a mapping, and of POST and PUT apart, the newest documents since the mapping was saved
 * and some that are drawn by lot: the ends of the ids of requests are random, and so is their order. Where only documents of
 * failed requests are kept by now, older ones of other requests are left out. Reads nothing if nobody looks at documents.
 */
export function selectSeries(partner_id: string, withDocuments: boolean) {
  const saved = sql`(select min(updated_at) from ${fieldMappings} where partner_id = ${partner_id})`
  const isRecent = sql`created_at > max(${unreadableUntil(partner_id)}, ${saved})`
  const scanned = newestRows({ partner_id }, isRecent, REQUESTS_MAX)
  return qb
    .select({
      resource: sql<Resource>`mapping.resource`.as('resource'),
      method: sql<string>`audit_log.method`.as('method'),
      newest: firstOf(NEWEST_MAX, sql`created_at desc, seq desc`).as('newest'),
      drawn: firstOf(DRAWN_MAX, sql`substr(request_id, 20)`).as('drawn'),
    })
    .from(sql`${scanned} cross join ${fieldMappings} as mapping`)
    .where(
      sql`audit_log.method in ('POST', 'PUT') and replay_of is null and not dry_run and ${isReadable(partner_id)}
        and (${HAS_FAILED} or ${keepsAll(partner_id)})
        and mapping.partner_id = ${partner_id} and mapping.resource = ${RESOURCE}
        and created_at > mapping.updated_at`,
    )
    .groupBy(sql`mapping.resource, audit_log.method`)
    .limit(withDocuments ? SERIES_MAX : 0)
}

export function seriesOf({
  newest,
  drawn,
  ...series
}: Omit<Series, 'sampled'> & { newest: string; drawn: string }): Series {
  const entries = [...new Set([...newest.split(',').toReversed(), ...drawn.split(',')])]
  const sampled = entries.map((entry) => {
    const [created_at = '', request_id = '', has_failed] = entry.split(' ')
    return { request_id, created_at, has_failed: has_failed === '1' }
  })
  return { ...series, sampled: sampled.toSorted(byTime) }
}

function byTime(one: Sampled, other: Sampled): number {
  if (one.created_at === other.created_at) return 0
  return one.created_at < other.created_at ? -1 : 1
}

const HAS_FAILED = sql`(status >= 400 or coalesce(rows_failed, 0) > 0)`
const ENTRY = sql`created_at || ' ' || request_id || ' ' || ${HAS_FAILED}`
const ENTRY_LENGTH = '2026-11-24T10:31:07.114Z 6f1c1d0e-3f0a-4c57-9d55-2a9a6a1b7a10 0'.length

/** In one pass over the rows. A window function would count each of them three times. */
function firstOf(count: number, order: SQL) {
  const length = count * (ENTRY_LENGTH + 1) - 1
  return sql<string>`substr(group_concat(${ENTRY}, ',' order by ${order}), 1, ${length})`
}

/** `orders` of `/api/integrations/v1/orders/SO-1/`. */
const REST_OF_PATH = sql`substr(audit_log.path, length('/api/integrations/v1/') + 1)`
const RESOURCE_OF_PATH = sql`substr(${REST_OF_PATH}, 1, instr(${REST_OF_PATH}, '/') - 1)`
/** Of a delivery it is that of its webhook. What was skipped or ended a record may be of another kind, or have an id alone. */
const RESOURCE = sql`iif(audit_log.path glob '/webhooks/*',
  iif(audit_log.outcome in ('created', 'updated', 'unchanged', 'uploaded', 'several', 'waiting'),
    (select webhook ->> 'resource' from api_keys where api_keys.id = audit_log.api_key_id), null),
  ${RESOURCE_OF_PATH})`

function keepsAll(partner_id: string) {
  return sql`(select keep_documents ->> 'of' from partners where id = ${partner_id}) = 'all'`
}
