import { type SQL, sql } from 'drizzle-orm'
import { CONSTRAINT } from '../../engine/db/constraints.ts'
import { newRow, type RehearsedRule, updatedRow } from '../../engine/db/rehearsal.ts'
import { ITEM_COLUMNS } from '../columns.ts'
import type { CancelOrder, CreateOrder, OrderItem, UpdateOrder } from './schema.ts'
import { headerColumns, type selectHeader, type selectItems } from './statements.ts'

// What the statements of statements.ts would leave.

export type Headers = ReturnType<typeof selectHeader>['_']['result']
export type Lines = ReturnType<typeof selectItems>['_']['result']
type Verification = Pick<Lines[number], 'quantity' | 'verified_quantity' | 'verification_status'>

export function newHeaders(header: Omit<CreateOrder, 'items'>, id: string, now: string): Headers {
  const values = { ...header, id, created_at: now, updated_at: now }
  return [{ ...newRow(headerColumns, values), items_size: 0 }]
}

export function newLines(items: (OrderItem & { id: string })[]): Lines {
  return items.map((item) => newRow(ITEM_COLUMNS, item))
}

export function updatedHeaders(headers: Headers, lines: Lines, input: UpdateOrder, now: string) {
  const changed = { updated_at: now }
  const verifies = input.status === 'verified' && lines.some(isUnverified)
  return headers.map((header) => {
    const ended = input.status === 'cancelled' && { cancelled_at: header.cancelled_at ?? now }
    return { ...updatedRow(header, input, { ...changed, ...ended }), ...(verifies && changed) }
  })
}

export function cancelledHeaders(headers: Headers, { reason }: CancelOrder, now: string) {
  const input = { status: 'cancelled', cancel_reason: reason ?? null }
  const changed = { cancelled_at: now, updated_at: now }
  return headers.map((header) =>
    header.status === 'cancelled' ? header : updatedRow(header, input, changed),
  )
}

/** Also of lines that were read later, because they are many. */
export function verifiedLines<Line extends Verification>(lines: Line[]): Line[] {
  return lines.map((line) =>
    isUnverified(line)
      ? { ...line, verified_quantity: line.quantity, verification_status: 'verified' }
      : line,
  )
}

function isUnverified({ verification_status }: Verification): boolean {
  return verification_status !== 'verified'
}

/** SQL that is true if there are products with all SKUs of the placeholder `skus`. */
export const SKUS_ARE_KNOWN = sql`not exists (select 1 from json_each(${sql.placeholder('skus')})
  where not exists (select 1 from products where sku = value))`

/** The rule for the number of a new order. */
export function numberRule(order_number: string): RehearsedRule {
  const isNew = sql`not exists (select 1 from orders where order_number = ${order_number})`
  return [CONSTRAINT.orderNumberIsNew, isNew]
}

/** The rule for a new status of the order with this id. */
export function statusRules(id: SQL, status: string | undefined): RehearsedRule[] {
  if (status === undefined) return []
  const isKept = sql`(select status not in ('shipped', 'cancelled') or status = ${status}
    from orders where id = ${id})`
  return [[CONSTRAINT.orderStatusIsNotFinal, isKept]]
}
