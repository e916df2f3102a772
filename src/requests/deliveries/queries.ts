import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'
import { CONSTRAINT } from '../../engine/db/constraints.ts'
import { selectOutcome } from '../../engine/db/delivery.ts'
import { waitingDeliveries } from '../../engine/db/delivery-tables.ts'
import { qb } from '../../engine/db/prepared.ts'
import { foreseen } from '../../engine/db/rehearsal.ts'
import { apiKeys } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { refusedBy } from '../../engine/db/violations.ts'
import { endAs, IN_TURN, selectToRetry } from '../../engine/db/waiting.ts'
import { countWaitingRows } from '../../engine/db/waiting-rows.ts'
import { type ApiError, noRecord } from '../../engine/errors.ts'
import { shortened } from '../../engine/json/messages.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import { SENT_ALONE } from '../../engine/json/sent-with.ts'
import type { DeliveryFilters } from './schema.ts'

const { seq, delivery_id, position, api_key_id, partner_id, resource, record_name } =
  waitingDeliveries
const { sender_id, needs, needs_code, error_code, message } = waitingDeliveries
const { is_due, tries, due_at, created_at, ends_at, bytes, sent_with, content_type, body } =
  waitingDeliveries

const listed = {
  seq,
  delivery_id,
  request_id: sql<string>`substr(delivery_id, 1, 36)`.as('request_id'),
  webhook_id: sql<string>`api_key_id`.as('webhook_id'),
  partner_id,
  resource,
  record: sql<string | null>`record_name`.as('record'),
  event: sql<string | null>`sender_event`.as('event'),
  sender_id,
  needs,
  needs_code,
  error_code,
  message,
  tries,
  is_due,
  due_at,
  created_at,
  ends_at,
  bytes,
}

/** What waits, newest first; one more than the limit if there are more. At most 10,000 deliveries wait. */
export async function listDeliveries(
  db: TenantDatabase,
  filters: DeliveryFilters,
  { limit, before }: PageRequest,
) {
  const older = before === undefined ? undefined : lt(seq, before)
  const [rows] = await db.read([
    qb
      .select(listed)
      .from(waitingDeliveries)
      .where(and(matching(filters), older))
      .orderBy(desc(seq))
      .limit(limit + 1),
  ])
  return rows
}

/** 404 NOT_FOUND if no such delivery waits. */
export async function findDelivery(db: TenantDatabase, id: string) {
  const [[row]] = await db.read([
    qb
      .select({ ...listed, sent_with, content_type, body })
      .from(waitingDeliveries)
      .where(eq(delivery_id, id)),
  ])
  if (!row) throw notWaiting(id)
  const { seq: _, sent_with: sent, content_type: type, body: text, ...delivery } = row
  return { ...delivery, ...(sent ?? SENT_ALONE), content_type: type, body: text }
}

/** So many rows of one upload are shown. */
const ROWS_SHOWN_MAX = 50

/** The rows of an upload that wait, in their order, and how many there are. */
export async function waitingRowsOf(db: TenantDatabase, request_id: string) {
  const shown = { delivery_id, record: sql<string | null>`record_name`.as('record'), message }
  const isRow = sql`delivery_id > ${request_id} || '.' and delivery_id < ${request_id} || '/'`
  const [rows, [counted]] = await db.read([
    qb.select(shown).from(waitingDeliveries).where(isRow).orderBy(position).limit(ROWS_SHOWN_MAX),
    countWaitingRows.with({ delivery_id: request_id }),
  ])
  return { rows, total: counted?.rows ?? 0 }
}

/** The ids of those that wait, the oldest first, whose webhook has not ended. */
export async function idsToTry(db: TenantDatabase, filters: DeliveryFilters, limit: number) {
  const isLive = sql`exists (select 1 from ${apiKeys} where ${apiKeys.id} = ${api_key_id} and ${apiKeys.revoked_at} is null)`
  const [rows] = await db.read([
    qb
      .select({ delivery_id })
      .from(waitingDeliveries)
      .where(and(matching(filters), isLive))
      .orderBy(IN_TURN)
      .limit(limit),
  ])
  return rows.map((row) => row.delivery_id)
}

/** 404 NOT_FOUND if no such delivery waits. */
export async function deliveryToTry(db: TenantDatabase, id: string) {
  const [[row]] = await db.read([selectToRetry], { delivery_id: id })
  if (!row) throw notWaiting(id)
  return row
}

/** Ends the waiting without applying. The row of the delivery says so. 404 NOT_FOUND if no such delivery waits. */
export async function dismissDelivery(db: TenantDatabase, id: string): Promise<void> {
  await db
    .write({
      record: sql`(select ${delivery_id} from ${waitingDeliveries} where ${delivery_id} = ${id})`,
      status: 200,
      changes: [endAs('dismissed', sql`${delivery_id} = ${id}`)],
      answer: [selectOutcome],
      rehearsal: foreseen(() => [[{ outcome: null }]]),
    })
    .catch(refusedBy({ [CONSTRAINT.recordExists]: () => notWaiting(id) }))
}

/** By filter, the column that has exactly this value. */
const EXACT = { webhook_id: api_key_id, partner_id, needs, needs_code, record: record_name }

function matching({ from, to, ...exact }: DeliveryFilters) {
  const equal = Object.entries(EXACT).map(([name, column]) => {
    const value = exact[name as keyof typeof EXACT]
    return value === undefined ? undefined : eq(column, value)
  })
  const since = from === undefined ? undefined : gte(created_at, from)
  return and(...equal, since, to === undefined ? undefined : lt(created_at, to))
}

function notWaiting(id: string): ApiError {
  return noRecord(
    `No delivery with the id "${shortened(id)}" waits: it was applied, dismissed or superseded, or there was none.`,
  )
}
