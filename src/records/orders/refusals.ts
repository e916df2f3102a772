import { eq, sql } from 'drizzle-orm'
import { prepared, qb } from '../../engine/db/prepared.ts'
import { orders } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { ApiError, brokenRule, type FieldErrors, invalid } from '../../engine/errors.ts'
import { QUANTITY_MAX } from '../../engine/json/fields.ts'
import { type DocumentCodes, noItemCode } from '../item-codes.ts'
import { findNearCodes, type NearCodes, noProduct } from '../near-codes.ts'
import { type FoundCode, type LineCodes, resolvedLines, selectLineCodes } from './codes.ts'
import type { OrderItem } from './schema.ts'
import { selectSkus } from './statements.ts'

const NAMED_MAX = 20

const selectOwner = prepared(() =>
  qb
    .select({ partner_id: orders.partner_id, status: orders.status })
    .from(orders)
    .where(eq(orders.order_number, sql.placeholder('order_number'))),
)

/** Who creates an order. */
export interface OrderCreator extends DocumentCodes {
  /** Null if it sees the orders of all partners. */
  orders_of: string | null
  scopes: readonly string[]
}

/** Why the order number was refused. A creator that sees the orders of one partner is told of no other's. */
export async function duplicateNumber(
  db: TenantDatabase,
  { orders_of, partner }: OrderCreator,
  order_number: string,
): Promise<ApiError> {
  if (orders_of !== null) return numberExists(order_number, true)
  const [[owner]] = await db.read([selectOwner], { order_number })
  const isOwn = !owner || owner.partner_id === (partner?.id ?? null)
  return numberExists(order_number, isOwn, owner?.status)
}

function numberExists(order_number: string, isOwn: boolean, status?: string): ApiError {
  const state = status === 'cancelled' || status === 'shipped' ? ` and is ${status}` : ''
  const exists = `An order with the number "${order_number}" already exists${state}`
  const advice =
    'It did not come from you: put a prefix before your numbers, with a mapping such as {"join": [{"value": "SHOP2-"}, "number"], "with": ""}.'
  return invalid(
    { order_number: [isOwn ? `${exists}.` : `${exists}. ${advice}`] },
    'DUPLICATE_ORDER_NUMBER',
  )
}

/** Why a line's product was refused. `scopes` are the caller's. */
export async function unknownSkus(
  db: TenantDatabase,
  scopes: readonly string[],
  items: OrderItem[],
): Promise<ApiError> {
  const [known] = await db.read([selectSkus], { skus: skusOf(items) })
  return (
    (await skusUnknown(db, scopes, items, known)) ??
    brokenRule(
      'items',
      'A line names a product that was created during this request: send the order again.',
      'UNKNOWN_SKU',
    )
  )
}

async function skusUnknown(
  db: TenantDatabase,
  scopes: readonly string[],
  items: OrderItem[],
  known: { sku: string }[],
): Promise<ApiError | null> {
  const skus = new Set(known.map(({ sku }) => sku))
  const unknown = new Set(items.map(({ sku_code }) => sku_code)).difference(skus)
  if (unknown.size === 0) return null
  const { skus: near } = await findNearCodes(db, scopes, { locations: [], skus: unknown })
  const fields: FieldErrors = {}
  for (const [position, { sku_code }] of items.entries()) {
    if (unknown.has(sku_code)) fields[`items[${position}].sku_code`] = [noProduct(sku_code, near)]
  }
  return new ApiError('SERVICE_ERROR', noProducts([...unknown], near), {
    fields,
    reason: 'UNKNOWN_SKU',
    missing: { kind: 'product', code: [...unknown][0] ?? '' },
  })
}

/** Why the codes of lines were refused: as item codes that are unknown, or because of products that are. */
export async function unknownCodes(
  db: TenantDatabase,
  scopes: readonly string[],
  items: OrderItem[],
  codes: LineCodes,
): Promise<ApiError> {
  const [found] = await db.read([selectLineCodes.with(codes.values)])
  const unknown = unknownAmong(items, codes, found)
  if (unknown) return unknown
  const lines = resolvedLines(items, codes, found)
  const known = found.filter(({ is_known }) => is_known === 1)
  const skus = known.map(({ sku }) => ({ sku: sku ?? '' }))
  const refusal = await skusUnknown(db, scopes, lines, skus)
  return refusal ?? createdMeanwhile()
}

/** Null if all codes of the partner are known. */
function unknownAmong(
  items: OrderItem[],
  { modes }: LineCodes,
  found: readonly FoundCode[],
): ApiError | null {
  const isUnknown = ({ sku, mode, is_known, is_code }: FoundCode) =>
    sku === null || (mode === 'or_own' && !is_known && !is_code)
  const unknown = new Map(
    found.filter(isUnknown).map((code) => [`${code.mode} ${code.text}`, code]),
  )
  const [first] = unknown.values()
  if (!first) return null
  const fields: FieldErrors = {}
  for (const [position, { sku_code }] of items.entries()) {
    const code = unknown.get(`${modes[position] ?? 'own'} ${sku_code}`)
    if (code) fields[`items[${position}].sku_code`] = [noItemCode(sku_code, 'products', code.mode)]
  }
  const texts = [...unknown.values()].map(({ text }) => text)
  const message =
    texts.length === 1
      ? noItemCode(first.text, 'products', first.mode)
      : `${listed('The partner has no item codes', texts)}.`
  return new ApiError('SERVICE_ERROR', message, {
    fields,
    reason: 'UNKNOWN_CODE',
    missing: { kind: 'product_code', code: first.text, orOwn: first.mode === 'or_own' },
  })
}

/** 400 VALIDATION_ERROR: with its units, the quantity of a line is too large. */
export async function tooManyUnits(
  db: TenantDatabase,
  items: OrderItem[],
  codes: LineCodes,
): Promise<ApiError> {
  const [found] = await db.read([selectLineCodes.with(codes.values)])
  const lines = resolvedLines(items, codes, found)
  const faults = lines.flatMap(({ quantity }, position): [string, string[]][] => {
    const sent = items[position]?.quantity ?? 0
    if (quantity <= QUANTITY_MAX) return []
    const message = `Must be at most ${QUANTITY_MAX}, with the units of the item code: ${sent} x ${quantity / sent}.`
    return [[`items[${position}].quantity`, [message]]]
  })
  return faults.length > 0 ? invalid(Object.fromEntries(faults)) : createdMeanwhile()
}

function createdMeanwhile(): ApiError {
  return brokenRule(
    'items',
    'A line names a product or an item code that was changed during this request: send the order again.',
    'UNKNOWN_SKU',
  )
}

function listed(what: string, codes: string[]): string {
  const named = codes.slice(0, NAMED_MAX).map((code) => `"${code}"`)
  const more = codes.length - named.length
  return `${what}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function noProducts(skus: string[], near: NearCodes): string {
  const [first = ''] = skus
  if (skus.length === 1) return noProduct(first, near)
  const all = `${listed('No product has these SKUs', skus)}.`
  return near.size === 0
    ? all
    : `${all} ${near.size} of them are written almost as a known SKU: see fields.`
}

export function skusOf(items: OrderItem[]): string {
  return JSON.stringify([...new Set(items.map(({ sku_code }) => sku_code))])
}
