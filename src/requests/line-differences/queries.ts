import { and, desc, eq, isNull, lt, sql } from 'drizzle-orm'
import { WRITTEN_ID } from '../../engine/db/audit-row.ts'
import { CONSTRAINT } from '../../engine/db/constraints.ts'
import { lineDifferences } from '../../engine/db/delivery-tables.ts'
import { prepared, qb } from '../../engine/db/prepared.ts'
import { foreseenFrom } from '../../engine/db/rehearsal.ts'
import { orders } from '../../engine/db/tables.ts'
import { singleRow, type TenantDatabase } from '../../engine/db/transact.ts'
import { refusedBy } from '../../engine/db/violations.ts'
import { ApiError, noRecord } from '../../engine/errors.ts'
import { shortened } from '../../engine/json/messages.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import type { LineDifferencesFilters } from './schema.ts'

const { order_id, log_seq, request_id, partner_id, differences, total, noted_at, seen_at } =
  lineDifferences
const shown = { order_id, request_id, differences, total, noted_at, seen_at }

/** Those that nobody has seen, the newest first; one more than the limit if there are more. */
export async function listLineDifferences(
  db: TenantDatabase,
  { partner_id: of }: LineDifferencesFilters,
  { limit, before }: PageRequest,
) {
  const { seen_at: _, ...listed } = shown
  const [rows] = await db.read([
    qb
      .select({
        seq: sql<number>`${log_seq}`.as('seq'),
        ...listed,
        order_number: orders.order_number,
        partner_id: sql<string>`${partner_id}`.as('of_partner'),
      })
      .from(lineDifferences)
      .innerJoin(orders, eq(orders.id, order_id))
      .where(
        and(
          isNull(seen_at),
          of === undefined ? undefined : eq(partner_id, of),
          before === undefined ? undefined : lt(log_seq, before),
        ),
      )
      .orderBy(desc(log_seq))
      .limit(limit + 1),
  ])
  return rows
}

/** Null if the lines of the order agree with those of the newest document, or none was delivered since it was created. */
export async function differencesOfOrder(db: TenantDatabase, id: string) {
  const [[row]] = await db.read([selectOfOrder], { order_id: id })
  return row ?? null
}

const selectOfOrder = prepared(() =>
  qb
    .select(shown)
    .from(lineDifferences)
    .where(eq(order_id, sql.placeholder('order_id'))),
)

/**
 * Marks the differences of the order as seen. 404 NOT_FOUND if there are none; 409 IN_USE if those of another document
 * than that of the request `shown_id` are there by now.
 */
export async function markSeen(db: TenantDatabase, id: string, shown_id: string | undefined) {
  const now = new Date().toISOString()
  const isShown = shown_id === undefined ? sql`true` : sql`request_id = ${shown_id}`
  const [rows] = await db
    .write({
      record: sql`(select order_id from line_differences where order_id = ${id} and ${isShown})`,
      names: 'orders',
      status: 200,
      values: { order_id: id },
      changes: [
        qb
          .update(lineDifferences)
          .set({ seen_at: now })
          .where(and(eq(order_id, WRITTEN_ID), isNull(seen_at))),
      ],
      answer: [selectOfOrder],
      rehearsal: foreseenFrom([selectOfOrder], ([found]) => [
        found.map((row) => ({ ...row, seen_at: row.seen_at ?? now })),
      ]),
    })
    .catch(refusedBy({ [CONSTRAINT.recordExists]: () => refusalOf(db, id) }))
  const { request_id: of, seen_at: at } = singleRow(rows)
  return { order_id: id, request_id: of, seen_at: at ?? now }
}

async function refusalOf(db: TenantDatabase, id: string): Promise<ApiError> {
  const found = await differencesOfOrder(db, id)
  if (found) return new ApiError('IN_USE', NEWER)
  return noRecord(
    `The order with the id "${shortened(id)}" has no differences: a later document agrees with its lines, or there is no such order.`,
  )
}

const NEWER =
  'A newer document with other lines has come since. Look at its differences before you mark them as seen.'
