import { and, eq, inArray, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import { picked } from '../../engine/db/columns.ts'
import { IS_UNTIMED, isRequest, type LogSubject, newestRows } from '../../engine/db/log-look-ups.ts'
import { qb } from '../../engine/db/prepared.ts'
import { lastIdAt } from '../../engine/db/request-id.ts'
import { auditLog, fieldMappings, partners } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { ApiError } from '../../engine/errors.ts'
import { isDelivery } from '../../engine/identity/webhook-address.ts'
import { notInDatabase } from '../../engine/log/not-in-log.ts'
import { type RelatedRequest, selectCreated, selectRepeat } from '../../engine/log/related.ts'
import {
  type AddressableResource,
  IDENTIFIERS,
  RESOURCES,
  type Resource,
} from '../../engine/mapping/identifier.ts'
import type { SavedRules } from '../../engine/mapping/saved-rule.ts'
import type { SEND_AS } from './schema.ts'

type SendAs = (typeof SEND_AS)[number]

const PATH = /^\/api\/integrations\/v1\/(\w+)\//
const ACTIONS: Record<string, string> = { POST: 'write', PUT: 'write', DELETE: 'delete' }
/** Of the requests that came later, the newest are looked through. If there are more, the original is superseded. */
const LATER_MAX = 20_000

/** A request that failed, as far as sending it again needs it. */
export interface Original
  extends Pick<Row, 'request_id' | 'created_at' | 'method' | 'path' | 'api_key_id' | 'partner_id'> {
  resource: Resource
  /** The scope that it needs. */
  scope: string
  /** The partner's mapping of today. */
  inbound: SavedRules | null
  /** A later request has changed the same record, or uploaded stock: this one would undo that. */
  isSuperseded: boolean
  /** It was sent again and accepted, or its sender has created the same record: this one may create a second one. */
  accepted: RelatedRequest | null
  /** The id of the record that the request would create, if the record is there and belongs to no other partner. It can be changed instead. */
  record: string | null
}

/**
 * 404 NOT_FOUND if the log does not have it; 400 SERVICE_ERROR if it cannot be sent again: it succeeded, is
 * no change of the integrations API, or is of a partner that is deleted. Sent as a change, a POST is superseded as a PUT is.
 */
export async function findOriginal(
  db: TenantDatabase,
  id: string,
  as: SendAs = 'sent',
): Promise<Original> {
  const [[row]] = await db.read([selectOriginal(id)])
  if (!row) throw notInDatabase(id)
  const { status, rows_failed, dry_run, deleted_at, ...original } = row
  const resource = RESOURCES.find((name) => name === PATH.exec(row.path)?.[1])
  const action = ACTIONS[row.method]
  if (!resource || !action) {
    throw cannotSendAgain(id, isDelivery(row.path) ? IS_DELIVERY : IS_NO_CHANGE)
  }
  const why = whyNot(row)
  if (why !== null) throw cannotSendAgain(id, why)
  // A record is created once, whatever was changed since.
  const isCreation = resource !== 'inventory' && row.method === 'POST'
  const mayUndo = !isCreation || as === 'change'
  const [[mapping], [repeat], [created], [later], [found]] = await db.read([
    selectMapping(row.partner_id, resource),
    selectRepeat(id),
    selectCreated({ ...row, record_name: isCreation ? row.record_name : null }),
    // A POST goes to the path of the list.
    selectLater(isCreation ? { ...row, path: '' } : row, resource, mayUndo ? LATER_MAX : 0),
    selectRecord(row, isCreation ? resource : null),
  ])
  return {
    ...original,
    resource,
    scope: `integrations.${resource}.${action}`,
    // A DELETE is not mapped.
    inbound: row.method === 'DELETE' ? null : (mapping?.inbound ?? null),
    isSuperseded: later !== undefined && (later.changes > 0 || later.looked === LATER_MAX),
    accepted: (repeat?.is_accepted ? repeat : created) ?? null,
    record: found?.id ?? null,
  }
}

const IS_DELIVERY =
  'is a delivery to a webhook: one that waits is applied (POST /api/settings/v1/deliveries/{id}/apply/), any other its sender delivers again'
const IS_NO_CHANGE = 'is not a POST, PUT or DELETE of orders, products, locations or inventory'

function whyNot({ path, status, rows_failed, dry_run, deleted_at }: Row): string | null {
  if (dry_run) return 'was a dry run'
  if (status < 400 && !rows_failed) return 'succeeded'
  if (status === 412) return 'was to change a record only at another version than the record had'
  if (!isWhole(path)) {
    return 'has a path that the audit log has shortened, or in which it has hidden an API key'
  }
  return deleted_at === null ? null : 'belongs to a partner that has been deleted'
}

/** The log cuts long paths, and has hints in place of API keys. */
function isWhole(path: string): boolean {
  return path.endsWith('/') && !path.includes('…') && !path.includes('%E2%80%A6')
}

export function cannotSendAgain(id: string, why: string): ApiError {
  return new ApiError('SERVICE_ERROR', `The request "${id}" cannot be sent again: it ${why}.`, {
    reason: 'CANNOT_SEND_AGAIN',
  })
}

const FAILED = {
  ...picked(auditLog, ['request_id', 'created_at', 'method', 'path', 'status', 'rows_failed']),
  ...picked(auditLog, ['dry_run', 'api_key_id', 'partner_id', 'record_name']),
}

function selectOriginal(id: string) {
  return qb
    .select({
      ...FAILED,
      created_at: sql<string>`${auditLog.created_at}`.as('request_created_at'),
      deleted_at: partners.deleted_at,
    })
    .from(auditLog)
    .leftJoin(partners, eq(partners.id, auditLog.partner_id))
    .where(isRequest(id))
}

function selectMapping(partner_id: string | null, resource: Resource) {
  return qb
    .select({ inbound: fieldMappings.inbound })
    .from(fieldMappings)
    .where(
      and(eq(fieldMappings.partner_id, partner_id ?? ''), eq(fieldMappings.resource, resource)),
    )
}

/** The record of this name. Without a resource, none. */
function selectRecord(
  row: Pick<Row, 'record_name' | 'partner_id'>,
  resource: AddressableResource | null,
) {
  const of = resource ?? 'orders'
  const name = sql.identifier(IDENTIFIERS[of].fallback)
  const isOwn = of === 'orders' ? sql`partner_id is ${row.partner_id}` : sql`true`
  return qb
    .select({ id: sql<string>`id`.as('record_of_name') })
    .from(sql`${sql.identifier(of)}`)
    .where(sql`${name} = ${resource && row.record_name} and ${isOwn}`)
    .limit(1)
}

type Row = ReturnType<typeof selectOriginal>['_']['result'][number]

/** The later requests of the partner, and how many of them have changed the same record, or uploaded stock. */
function selectLater(row: Row, resource: Resource, limit: number) {
  const { request_id, status, method, dry_run } = auditLog
  const newest = newestRows(senderOf(row), sql`created_at >= ${row.created_at}`, limit)
  const changed = and(
    ne(request_id, row.request_id),
    lt(status, 400),
    eq(dry_run, false),
    inArray(method, ['POST', 'PUT', 'DELETE']),
    isAbout(row, resource),
    isNewer(row),
  )
  return qb
    .select({
      looked: sql<number>`count(*)`.as('looked'),
      changes: sql<number>`count(*) filter (where ${changed})`.as('changes'),
    })
    .from(newest)
}

function isAbout({ path, record_name }: Row, resource: Resource): SQL | undefined {
  if (resource === 'inventory') return eq(auditLog.path, path)
  const isOfResource = sql`${auditLog.path} glob ${`/api/integrations/v1/${resource}/*`}`
  const isNamed = record_name === null ? undefined : eq(auditLog.record_name, record_name)
  return or(eq(auditLog.path, path), isNamed && and(isNamed, isOfResource))
}

/** What was sent again is as old as the request that it repeats. */
function isNewer({ created_at }: Row): SQL {
  const repeated = sql`(select repeated.created_at from audit_log as repeated
    where ${IS_UNTIMED} and repeated.request_id = audit_log.replay_of)`
  return sql`(replay_of is null or iif(substr(replay_of, 15, 1) = '7',
    replay_of > ${lastIdAt(Date.parse(created_at))}, coalesce(${repeated} > ${created_at}, true)))`
}

/** The partner, or the key where it has none. */
function senderOf({ partner_id, api_key_id }: Row): LogSubject {
  return partner_id === null ? { api_key_id } : { partner_id }
}
