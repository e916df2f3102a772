import { and, desc, eq, getTableColumns, lt, ne, sql } from 'drizzle-orm'
import { type Address, idAt, unmatched } from '../../db/address.ts'
import { WRITTEN } from '../../db/audit.ts'
import { jsonSlices } from '../../db/json.ts'
import { placeholders, prepared, preparedFor, q } from '../../db/prepared.ts'
import { orderItems, orders, products } from '../../db/tables.ts'
import { only, type TenantDatabase } from '../../db/transact.ts'
import { refusedBy } from '../../db/violations.ts'
import { ApiError, type FieldErrors, invalid } from '../../errors.ts'
import { type PageRequest, pageValues } from '../../pagination.ts'
import type { Warning } from '../../warnings.ts'
import type { CancelOrder, CreateOrder, OrderItem, UpdateOrder } from './schema.ts'

const SHIPPED = { reason: 'SHIPPED_ORDER_STAYS' } as const

const { seq, partner_id, ...headerColumns } = getTableColumns(orders)
const { order_id, position, ...itemColumns } = getTableColumns(orderItems)

const selectHeader = preparedFor((id) =>
  q.select(headerColumns).from(orders).where(eq(orders.id, id)),
)

const selectItems = preparedFor((id) =>
  q
    .select(itemColumns)
    .from(orderItems)
    .where(eq(order_id, q.select({ id: orders.id }).from(orders).where(eq(orders.id, id))))
    .orderBy(position),
)

const selectSummaries = prepared(
  q
    .select({
      seq,
      id: orders.id,
      order_number: orders.order_number,
      status: orders.status,
      customer_name: orders.customer_name,
      created_at: orders.created_at,
    })
    .from(orders)
    .where(lt(seq, sql.placeholder('before')))
    .orderBy(desc(seq))
    .limit(sql.placeholder('rows')),
)

const insertHeader = prepared(
  q.insert(orders).values({
    ...placeholders('order_number', 'external_order_id', 'customer_name', 'customer_info', 'notes'),
    ...placeholders('order_date', 'due_date', 'metadata'),
    id: WRITTEN,
    partner_id: sql.placeholder('own_partner_id'),
    created_at: sql.placeholder('now'),
    updated_at: sql.placeholder('now'),
  }),
)

/** Each line looks its product up: an unknown SKU becomes NULL, which the column refuses. */
const insertItems = prepared(
  q.insert(orderItems).select(
    sql`select ${WRITTEN}, value ->> 'position', value ->> 'id',
      (select sku from products where sku = value ->> 'sku_code'),
      value ->> 'quantity', value ->> 'notes', 0, 'pending'
      from json_each(${sql.placeholder('items')})`,
  ),
)

const verifyItems = prepared(
  q
    .update(orderItems)
    .set({ verified_quantity: sql`${orderItems.quantity}`, verification_status: 'verified' })
    .where(and(eq(order_id, WRITTEN), ne(orderItems.verification_status, 'verified'))),
)

const isNamed = sql`${products.sku} in (select value from json_each(${sql.placeholder('skus')}))`
const selectSkus = prepared(q.select({ sku: products.sku }).from(products).where(isNamed))
const selectInactiveSkus = prepared(
  q.select({ sku: products.sku }).from(products).where(and(isNamed, sql`not is_active`)),
)

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
      values: { skus: skusOf(items) },
      changes: [
        insertHeader.with({ ...header, now }),
        ...jsonSlices(items.map(itemRow)).map((slice) => insertItems.with({ items: slice })),
      ],
      answer: [selectHeader(WRITTEN), selectItems(WRITTEN), selectInactiveSkus],
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
export async function listOrders(db: TenantDatabase, request: PageRequest) {
  const [rows] = await db.read([selectSummaries], pageValues(request))
  return rows
}

export async function findOrder(db: TenantDatabase, address: Address) {
  const { identifier } = address
  const id = idAt(address)
  const [headers, lines] = await db.read([selectHeader(id), selectItems(id)], { identifier })
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
      record: idAt(address),
      status: 200,
      values: { identifier: address.identifier },
      changes: [
        ...(Object.keys(input).length > 0 ? [updateHeader(input, now)] : []),
        ...(input.status === 'verified' ? [verifyItems] : []),
      ],
      answer: [selectHeader(WRITTEN), selectItems(WRITTEN)],
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
      record: idAt(address),
      status: 200,
      values: { identifier: address.identifier },
      changes: [
        q
          .update(orders)
          .set({
            status: 'cancelled',
            cancelled_at: now,
            cancel_reason: input.reason ?? null,
            updated_at: now,
          })
          .where(and(eq(orders.id, WRITTEN), ne(orders.status, 'cancelled'))),
      ],
      answer: [selectHeader(WRITTEN), selectItems(WRITTEN)],
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

function updateHeader(input: UpdateOrder, now: string) {
  const cancelled = input.status === 'cancelled' && {
    cancelled_at: sql`coalesce(${orders.cancelled_at}, ${now})`,
  }
  const { status, ...others } = input
  const changes = status && Object.keys(others).length === 0 ? ne(orders.status, status) : undefined
  return q
    .update(orders)
    .set({ ...input, ...cancelled, updated_at: now })
    .where(and(eq(orders.id, WRITTEN), changes))
}

function itemRow(item: OrderItem, position: number) {
  return { ...item, position, id: crypto.randomUUID() }
}

type Headers = ReturnType<typeof selectHeader>['_']['result']
type Lines = ReturnType<typeof selectItems>['_']['result']

function orderOf(headers: Headers, lines: Lines) {
  const items = lines.map(({ id, sku_code, ...line }) => ({ id, sku: { sku: sku_code }, ...line }))
  return { ...only(headers), items }
}

function skusOf(items: OrderItem[]): string {
  return JSON.stringify([...new Set(items.map(({ sku_code }) => sku_code))])
}

function inactiveWarnings(items: OrderItem[], inactive: Set<string>): Warning[] {
  return items.flatMap(({ sku_code }, position) =>
    inactive.has(sku_code)
      ? [{ field: `items[${position}].sku_code`, message: `Product "${sku_code}" is inactive.` }]
      : [],
  )
}

async function unknownSkus(db: TenantDatabase, items: OrderItem[]): Promise<ApiError> {
  const [known] = await db.read([selectSkus], { skus: skusOf(items) })
  const skus = new Set(known.map(({ sku }) => sku))
  const fields: FieldErrors = {}
  for (const [position, { sku_code }] of items.entries()) {
    if (skus.has(sku_code)) continue
    fields[`items[${position}].sku_code`] = [`No product has the SKU "${sku_code}".`]
  }
  const unknown = Object.values(fields).map(([message]) => message)
  return new ApiError('SERVICE_ERROR', unknown[0] ?? 'A line names no product.', { fields })
}
