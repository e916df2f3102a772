import { and, eq, ne, or, sql } from 'drizzle-orm'
import { WRITTEN_ID } from '../../engine/db/audit-row.ts'
import { CONSTRAINT } from '../../engine/db/constraints.ts'
import { jsonParts } from '../../engine/db/json-parts.ts'
import { type Query, qb, type Values } from '../../engine/db/prepared.ts'
import { changedAt, differsFrom } from '../../engine/db/record-change.ts'
import { foreseenFrom, type Rehearsal } from '../../engine/db/rehearsal.ts'
import { rememberRecord } from '../../engine/db/replaced-record.ts'
import { orders } from '../../engine/db/tables.ts'
import { singleRow, type TenantDatabase } from '../../engine/db/transact.ts'
import { type Rules, refusedBy } from '../../engine/db/violations.ts'
import { READ_BYTES_MAX, readPage } from '../../engine/db/wide-rows.ts'
import { ApiError, brokenRule } from '../../engine/errors.ts'
import { type Address, addressError, idAt, valuesAt } from '../../engine/identifiers/address.ts'
import { changeAt } from '../../engine/identifiers/change.ts'
import { isThere, newRecordId, newRecordValues } from '../../engine/identifiers/creation.ts'
import { byteLength } from '../../engine/json/fields.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import { type Warning, withoutEffect } from '../../engine/json/warnings.ts'
import { shownItem } from '../columns.ts'
import {
  ALL_ARE_KNOWN,
  ALL_QUANTITIES_FIT,
  type FoundCode,
  type LineCodes,
  lineCodes,
  resolvedLines,
  selectLineCodes,
} from './codes.ts'
import { listFiltered } from './filtered.ts'
import {
  duplicateNumber,
  type OrderCreator,
  skusOf,
  tooManyUnits,
  unknownCodes,
  unknownSkus,
} from './refusals.ts'
import {
  cancelledHeaders,
  type Headers,
  type Lines,
  newHeaders,
  newLines,
  numberRule,
  SKUS_ARE_KNOWN,
  statusRules,
  updatedHeaders,
  verifiedLines,
} from './rehearsal.ts'
import type { CancelOrder, CreateOrder, OrderFilters, OrderItem, UpdateOrder } from './schema.ts'
import {
  BY_CODE,
  BY_SKU,
  codedLine,
  HAS_UNVERIFIED_ITEMS,
  ORDER_ID,
  selectFewItems,
  selectHeader,
  selectItems,
  selectSummaries,
  selectWideSummaries,
  sentLine,
  UNVERIFIED_ITEMS,
  verifyItems,
} from './statements.ts'

const SHIPPED = 'SHIPPED_ORDER_STAYS'

/**
 * Creates the order and its lines together. 400 VALIDATION_ERROR if the order number exists, 400
 * SERVICE_ERROR if a line names an unknown product. An inactive product is accepted, with a warning. 409 DUPLICATE if
 * there is an order at `unlessAt`.
 */
export async function createOrder(
  db: TenantDatabase,
  by: OrderCreator,
  { items, ...header }: CreateOrder,
  unlessAt?: Address,
) {
  const now = new Date().toISOString()
  const id = crypto.randomUUID()
  const rows = items.map(itemRow)
  const codes = lineCodes(items, by)
  const own = codes ? codedLines(db, by, rows, codes) : plainLines(db, by, rows)
  const { insertHeader, insertItems, selectInactive } = own.statements
  const { parts, items_bytes } = await partsOf(own.sent, db)
  const [headers, lines, inactive] = await db
    .write({
      record: newRecordId(id, unlessAt),
      name: header.order_number,
      status: 201,
      values: { ...own.values, ...newRecordValues(id, unlessAt) },
      changes: [
        insertHeader.with({ ...header, items_bytes, now }),
        ...parts.map((part) => insertItems.with({ items: part })),
      ],
      answer: [selectHeader(WRITTEN_ID), selectItems(WRITTEN_ID), selectInactive],
      rehearsal: {
        reads: own.rehearsal.reads,
        foresee: (found) => [newHeaders(header, id, now), ...own.rehearsal.foresee(found)],
        rules: [numberRule(header.order_number), ...own.rehearsal.rules],
      },
    })
    .catch(
      refusedBy({
        [CONSTRAINT.recordExists]: () => isThere('order'),
        [CONSTRAINT.orderNumberIsNew]: () => duplicateNumber(db, by, header.order_number),
        ...own.refusals,
      }),
    )
  const skus = new Set(inactive.map(({ sku }) => sku))
  return { order: orderOf(headers, lines), warnings: inactiveWarnings(lines, skus) }
}

/** How the lines of a new order are written: by their SKUs, or by what their item codes stand for. */
interface NewLines {
  statements: typeof BY_SKU
  values: Values
  /** The lines as the statements read them. */
  sent: unknown[][]
  rehearsal: Rehearsal<[Lines, { sku: string }[]]>
  refusals: Rules
}

type NewLine = ReturnType<typeof itemRow>

function plainLines(db: TenantDatabase, { scopes }: OrderCreator, rows: NewLine[]): NewLines {
  return {
    statements: BY_SKU,
    values: { skus: skusOf(rows) },
    sent: rows.map(sentLine),
    rehearsal: foreseenFrom([BY_SKU.selectInactive], ([found]) => [newLines(rows), found], [
      [CONSTRAINT.skuIsKnown, SKUS_ARE_KNOWN],
    ]),
    refusals: { [CONSTRAINT.skuIsKnown]: () => unknownSkus(db, scopes, rows) },
  }
}

function codedLines(
  db: TenantDatabase,
  { scopes }: OrderCreator,
  rows: NewLine[],
  codes: LineCodes,
): NewLines {
  return {
    statements: BY_CODE,
    values: codes.values,
    sent: rows.map((row, at) => codedLine(row, codes.modes[at])),
    rehearsal: foreseenFrom(
      [selectLineCodes],
      ([found]) => [newLines(resolvedLines(rows, codes, found)), inactiveIn(found)],
      [
        [CONSTRAINT.skuIsKnown, ALL_ARE_KNOWN],
        [CONSTRAINT.lineQuantityFits, ALL_QUANTITIES_FIT],
      ],
    ),
    refusals: {
      [CONSTRAINT.skuIsKnown]: () => unknownCodes(db, scopes, rows, codes),
      [CONSTRAINT.lineQuantityFits]: () => tooManyUnits(db, rows, codes),
    },
  }
}

function inactiveIn(found: readonly FoundCode[]) {
  return found.flatMap(({ sku, is_active }) => (sku !== null && is_active === 0 ? [{ sku }] : []))
}

// The names that each line has in an answer.
const LINE_NAMES_BYTES = '"position":"id":"quantity":"notes":"sku_code":'.length

async function partsOf(lines: unknown[][], { pace }: TenantDatabase) {
  const parts = await jsonParts(lines, pace)
  const names = lines.length * LINE_NAMES_BYTES
  return { parts, items_bytes: parts.reduce((bytes, part) => bytes + byteLength(part), names) }
}

/**
 * Summaries, newest first; one more than the limit if there are more. With filters, or of the orders of one
 * partner, see listFiltered.
 */
export async function listOrders(
  db: TenantDatabase,
  filters: OrderFilters & { orders_of: string | null },
  request: PageRequest,
) {
  const isWhole = request.filters === undefined && filters.orders_of === null
  if (!isWhole) return await listFiltered(db, filters, request)
  return await readPage(db, { narrow: selectSummaries, whole: selectWideSummaries }, request)
}

export async function findOrder(db: TenantDatabase, address: Address) {
  const id = idAt(address)
  const [headers, lines] = await db.read([selectHeader(id), selectFewItems(id)], valuesAt(address))
  if (headers.length === 0) throw await addressError(db, address)
  return await withItems(db, headers, lines)
}

/** The id of the partner that created the order; null without one, or without such an order. */
export async function partnerOfOrder(db: TenantDatabase, address: Address): Promise<string | null> {
  const { partner_id } = orders
  const partner = qb
    .select({ partner_id })
    .from(orders)
    .where(eq(orders.id, idAt(address)))
  const [[row]] = await db.read([partner], valuesAt(address))
  return row?.partner_id ?? null
}

/**
 * Replaces the given fields. If the order has these values already, nothing changes. 400 SERVICE_ERROR for a
 * new status of a shipped or cancelled order. `cancelled` cancels the order like cancelOrder; `verified` verifies every line.
 * `notes` are statements that keep something of the request beside the order.
 * `codes` are of lines that the answer is compared with: `found` is what they stand for.
 */
export async function updateOrder(
  db: TenantDatabase,
  address: Address,
  input: UpdateOrder,
  { notes = [], codes = null }: { notes?: Query[]; codes?: LineCodes | null } = {},
) {
  const asked = codes ? [selectLineCodes.with(codes.values)] : []
  const now = new Date().toISOString()
  const [headers, lines, found = []] = await changeAt(
    db,
    address,
    {
      changes: [
        ...(Object.keys(input).length > 0 ? updateHeader(input, now) : []),
        ...(input.status === 'verified' ? [verifyItems] : []),
        ...notes,
      ],
      answer: (id) => [selectHeader(id), selectFewItems(id), ...asked] as const,
      foresee: ([found, few, ...more]) => [updatedHeaders(found, few, input, now), few, ...more],
      rules: (id) => statusRules(id, input.status),
    },
    {
      [CONSTRAINT.orderStatusIsNotFinal]: () =>
        brokenRule(
          'status',
          `The order is shipped or cancelled: its status cannot become "${input.status}".`,
          input.status === 'cancelled' ? SHIPPED : 'ORDER_IS_FINAL',
        ),
    },
  )
  const order = await withItems(db, headers, lines)
  const verifies = db.rehearses && input.status === 'verified'
  return { order: verifies ? { ...order, items: verifiedLines(order.items) } : order, found }
}

/**
 * Keeps the order. A cancelled order does not change; a warning says that another reason than the stored
 * one had no effect. 400 SERVICE_ERROR for a shipped order.
 */
export async function cancelOrder(db: TenantDatabase, address: Address, input: CancelOrder) {
  const now = new Date().toISOString()
  const [headers, lines] = await changeAt(
    db,
    address,
    {
      changes: [
        qb
          .update(orders)
          .set({
            status: 'cancelled',
            cancelled_at: now,
            cancel_reason: input.reason ?? null,
            ...changedAt(orders, now),
          })
          .where(and(eq(orders.id, WRITTEN_ID), ne(orders.status, 'cancelled'))),
      ],
      answer: (id) => [selectHeader(id), selectFewItems(id)] as const,
      foresee: ([found, few]) => [cancelledHeaders(found, input, now), few],
      rules: (id) => statusRules(id, 'cancelled'),
    },
    {
      [CONSTRAINT.orderStatusIsNotFinal]: () =>
        new ApiError('SERVICE_ERROR', 'The order is shipped and cannot be cancelled.', {
          reason: SHIPPED,
        }),
    },
  )
  const { version, changed_by, ...order } = await withItems(db, headers, lines)
  return { order, warnings: ignoredReason(input, order.cancel_reason) }
}

/** Compares with the stored reason: of simultaneous cancellations only one has set it. */
function ignoredReason({ reason }: CancelOrder, stored: string | null): Warning[] {
  if (reason === undefined || reason === stored) return []
  const why = 'The order was already cancelled, and only the first cancellation sets a reason'
  return [withoutEffect('reason', why)]
}

/** The order with its lines. Reads large lines now, once there is memory for them. */
async function withItems(db: TenantDatabase, headers: Headers, lines: Lines) {
  const { id, items_size } = singleRow(headers)
  if (items_size <= READ_BYTES_MAX) return orderOf(headers, lines)
  const [items] = await db.readLarge(items_size, [selectItems(ORDER_ID)], { order_id: id })
  return orderOf(headers, items)
}

/** Remembers what the header and its lines were, then changes the header. */
function updateHeader(input: UpdateOrder, now: string) {
  const cancelled = input.status === 'cancelled' && {
    cancelled_at: sql`coalesce(${orders.cancelled_at}, ${now})`,
  }
  const verifies = input.status === 'verified'
  const differs = or(differsFrom(orders, input), verifies ? HAS_UNVERIFIED_ITEMS : undefined)
  return [
    rememberRecord(orders, input, differs, verifies ? UNVERIFIED_ITEMS : undefined),
    qb
      .update(orders)
      .set({ ...input, ...cancelled, ...changedAt(orders, now) })
      .where(and(eq(orders.id, WRITTEN_ID), differs)),
  ]
}

function itemRow(item: OrderItem, position: number) {
  return { ...item, position, id: crypto.randomUUID() }
}

function orderOf(headers: Headers, lines: Lines) {
  const { items_size, ...header } = singleRow(headers)
  return { ...header, items: lines.map(shownItem) }
}

function inactiveWarnings(
  items: Pick<OrderItem, 'sku_code'>[],
  inactive: ReadonlySet<string>,
): Warning[] {
  return items.flatMap(({ sku_code }, position) =>
    inactive.has(sku_code)
      ? [{ field: `items[${position}].sku_code`, message: `Product "${sku_code}" is inactive.` }]
      : [],
  )
}
