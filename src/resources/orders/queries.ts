import { and, desc, eq, getTableColumns, lt, ne, type SQL, sql } from 'drizzle-orm'
import { type Address, idAt, unmatched } from '../../db/address.ts'
import type { Drizzle } from '../../db/connect.ts'
import { jsonSlices } from '../../db/json.ts'
import { orderItems, orders, products } from '../../db/tables.ts'
import { only, type TenantDatabase } from '../../db/transact.ts'
import { refusedBy } from '../../db/violations.ts'
import { ApiError, type FieldErrors, invalid } from '../../errors.ts'
import type { PageRequest } from '../../pagination.ts'
import type { Warning } from '../../warnings.ts'
import type { CancelOrder, CreateOrder, OrderItem, UpdateOrder } from './schema.ts'

const SHIPPED = { reason: 'SHIPPED_ORDER_STAYS' } as const

/**
 * Order and lines together. 400 VALIDATION_ERROR when the order number exists, 400 SERVICE_ERROR
 * when a line names no product. An inactive product is taken, with a warning.
 */
export async function createOrder(db: TenantDatabase, { items, ...header }: CreateOrder) {
  const now = new Date().toISOString()
  const [headers, lines, inactive] = await db
    .write({
      record: crypto.randomUUID(),
      status: 201,
      changes: (q, id) => [
        q.insert(orders).values({
          ...header,
          id,
          partner_id: db.subject.partner_id,
          created_at: now,
          updated_at: now,
        }),
        ...jsonSlices(items.map(itemRow)).map((slice) =>
          q.insert(orderItems).select(itemsFrom(id, slice)),
        ),
      ],
      answer: (q, id) => [...selectOrder(q, eq(orders.id, id)), selectInactiveSkus(q, items)],
    })
    .catch(
      refusedBy({
        'orders.order_number': () =>
          invalid({
            order_number: [`An order with the number "${header.order_number}" already exists.`],
          }),
        'order_items.sku_code': () => unknownSkus(db, items),
      }),
    )
  const skus = new Set(inactive.map(({ sku }) => sku))
  return { order: orderOf(headers, lines), warnings: inactiveWarnings(items, skus) }
}

/** Summaries, newest first; one more than the limit when there are more. */
export async function listOrders(db: TenantDatabase, { limit, before }: PageRequest) {
  const { seq, id, order_number, status, customer_name, created_at } = orders
  const [rows] = await db.read((q) => [
    q
      .select({ seq, id, order_number, status, customer_name, created_at })
      .from(orders)
      .where(before === undefined ? undefined : lt(seq, before))
      .orderBy(desc(seq))
      .limit(limit + 1),
  ])
  return rows
}

export async function findOrder(db: TenantDatabase, address: Address) {
  const match = eq(orders.id, idAt(address, db.subject.partner_id))
  const [headers, lines] = await db.read((q) => selectOrder(q, match))
  if (headers.length === 0) throw await unmatched(db, address)
  return orderOf(headers, lines)
}

/**
 * Replaces the fields that are given. 400 SERVICE_ERROR when a shipped or cancelled order is to get
 * another status; the same status is a no-op. `cancelled` does what cancelOrder does; `verified`
 * verifies every line.
 */
export async function updateOrder(db: TenantDatabase, address: Address, input: UpdateOrder) {
  const now = new Date().toISOString()
  const [headers, lines] = await db
    .write({
      record: idAt(address, db.subject.partner_id),
      status: 200,
      changes: (q, id) => [
        ...(Object.keys(input).length > 0 ? [updateHeader(q, id, input, now)] : []),
        ...(input.status === 'verified' ? [verifyItems(q, id)] : []),
      ],
      answer: (q, id) => selectOrder(q, eq(orders.id, id)),
    })
    .catch(
      refusedBy({
        audit_log_write_names_record: () => unmatched(db, address),
        orders_status_is_final: () =>
          new ApiError(
            'SERVICE_ERROR',
            `The order is shipped or cancelled: its status cannot become "${input.status}".`,
            input.status === 'cancelled' ? SHIPPED : {},
          ),
      }),
    )
  return orderOf(headers, lines)
}

/** The order is kept. Already cancelled: unchanged. Shipped: 400 SERVICE_ERROR. */
export async function cancelOrder(db: TenantDatabase, address: Address, input: CancelOrder) {
  const now = new Date().toISOString()
  const [headers, lines] = await db
    .write({
      record: idAt(address, db.subject.partner_id),
      status: 200,
      changes: (q, id) => [
        q
          .update(orders)
          .set({
            status: 'cancelled',
            cancelled_at: now,
            cancel_reason: input.reason ?? null,
            updated_at: now,
          })
          .where(and(eq(orders.id, id), ne(orders.status, 'cancelled'))),
      ],
      answer: (q, id) => selectOrder(q, eq(orders.id, id)),
    })
    .catch(
      refusedBy({
        audit_log_write_names_record: () => unmatched(db, address),
        orders_status_is_final: () =>
          new ApiError('SERVICE_ERROR', 'The order is shipped and cannot be cancelled.', SHIPPED),
      }),
    )
  return orderOf(headers, lines)
}

function updateHeader(q: Drizzle, id: SQL, input: UpdateOrder, now: string) {
  const cancelled = input.status === 'cancelled' && {
    cancelled_at: sql`coalesce(${orders.cancelled_at}, ${now})`,
  }
  const { status, ...others } = input
  const changes = status && Object.keys(others).length === 0 ? ne(orders.status, status) : undefined
  return q
    .update(orders)
    .set({ ...input, ...cancelled, updated_at: now })
    .where(and(eq(orders.id, id), changes))
}

function verifyItems(q: Drizzle, id: SQL) {
  return q
    .update(orderItems)
    .set({ verified_quantity: sql`${orderItems.quantity}`, verification_status: 'verified' })
    .where(and(eq(orderItems.order_id, id), ne(orderItems.verification_status, 'verified')))
}

function itemRow(item: OrderItem, position: number) {
  return { ...item, position, id: crypto.randomUUID() }
}

/** Each line looks its product up: an unknown SKU becomes NULL, which the column refuses. */
function itemsFrom(id: SQL, slice: string): SQL {
  return sql`select ${id}, value ->> 'position', value ->> 'id',
    (select sku from products where sku = value ->> 'sku_code'),
    value ->> 'quantity', value ->> 'notes', 0, 'pending'
    from json_each(${slice})`
}

function selectOrder(q: Drizzle, match: SQL) {
  const { seq, partner_id, ...header } = getTableColumns(orders)
  const { order_id, position, ...item } = getTableColumns(orderItems)
  const matched = q.select({ id: orders.id }).from(orders).where(match)
  return [
    q.select(header).from(orders).where(match),
    q.select(item).from(orderItems).where(eq(order_id, matched)).orderBy(position),
  ] as const
}

type Selected = ReturnType<typeof selectOrder>
type Headers = Selected[0]['_']['result']
type Lines = Selected[1]['_']['result']

function orderOf(headers: Headers, lines: Lines) {
  const items = lines.map(({ id, sku_code, ...line }) => ({ id, sku: { sku: sku_code }, ...line }))
  return { ...only(headers), items }
}

function skusOf(items: OrderItem[]): string {
  return JSON.stringify([...new Set(items.map(({ sku_code }) => sku_code))])
}

function selectInactiveSkus(q: Drizzle, items: OrderItem[]) {
  return q
    .select({ sku: products.sku })
    .from(products)
    .where(
      sql`${products.sku} in (select value from json_each(${skusOf(items)})) and not is_active`,
    )
}

function inactiveWarnings(items: OrderItem[], inactive: Set<string>): Warning[] {
  return items.flatMap(({ sku_code }, position) =>
    inactive.has(sku_code)
      ? [{ field: `items[${position}].sku_code`, message: `Product "${sku_code}" is inactive.` }]
      : [],
  )
}

async function unknownSkus(db: TenantDatabase, items: OrderItem[]): Promise<ApiError> {
  const [known] = await db.read((q) => [
    q
      .select({ sku: products.sku })
      .from(products)
      .where(sql`${products.sku} in (select value from json_each(${skusOf(items)}))`),
  ])
  const skus = new Set(known.map(({ sku }) => sku))
  const fields: FieldErrors = {}
  for (const [position, { sku_code }] of items.entries()) {
    if (skus.has(sku_code)) continue
    fields[`items[${position}].sku_code`] = [`No product has the SKU "${sku_code}".`]
  }
  const unknown = Object.values(fields).map(([message]) => message)
  return new ApiError('SERVICE_ERROR', unknown[0] ?? 'A line names no product.', { fields })
}
