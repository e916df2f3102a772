import { isDate } from './fields.ts'
import type { Order, Stock } from './state.ts'

/** Filters of lists, as they are sent. */
export interface Filters {
  status?: string | undefined
  sku?: string | undefined
  code?: string | undefined
  order_number?: string | undefined
  external_order_id?: string | undefined
  partner_id?: string | undefined
  created_from?: string | undefined
  created_to?: string | undefined
  is_active?: string | undefined
  without_stock?: string | undefined
  location_code?: string | undefined
  sku_code?: string | undefined
  quantity_below?: string | undefined
}

const STATUSES = [
  ...['draft', 'pending', 'in_progress', 'partially_verified', 'verified', 'shipped', 'cancelled'],
]
const STATUSES_MAX = 4
const CODES = ['location_code', 'sku_code'] as const
const EXCLUSIVE = ['status', 'order_number', 'external_order_id', 'partner_id'] as const

/** Says which list it is: the same for the same filters. */
export function filtersOf({
  status,
  is_active,
  created_from,
  created_to,
  ...query
}: Filters): string {
  const { sku, code, order_number, external_order_id, partner_id } = query
  const { location_code, sku_code, quantity_below } = query
  return JSON.stringify([
    status === undefined ? null : [...new Set(status.split(','))].sort(),
    is_active === 'true' ? null : (is_active ?? null),
    [created_from, created_to].map((moment) => (isDate(moment) ? instantOf(moment) : null)),
    [sku, code, order_number, external_order_id, partner_id],
    query.without_stock === 'true',
    [location_code, sku_code, quantity_below],
  ])
}

const instantOf = (moment: unknown) => new Date(String(moment)).toISOString()

/** Whether the list takes them, and together. */
export function orderFilters(query: Filters): boolean {
  const { status, created_from, created_to } = query
  const statuses = status?.split(',') ?? []
  const isKnown = statuses.every((one) => STATUSES.includes(one)) && statuses.length <= STATUSES_MAX
  const isRange = [created_from, created_to].every((one) => one === undefined || isDate(one))
  const given = EXCLUSIVE.filter((name) => query[name] !== undefined)
  if (!isKnown || !isRange || given.length > 1 || given.some((name) => query[name] === '')) {
    return false
  }
  return !created_from || !created_to || instantOf(created_to) >= instantOf(created_from)
}

/** `created_at` is the moment itself. */
export function matchesOrder(query: Filters, order: Order): boolean {
  const { status, order_number, external_order_id, partner_id, created_from, created_to } = query
  const created_at = String(order.created_at)
  return (
    (status === undefined || status.split(',').includes(order.status)) &&
    (order_number === undefined || order.order_number === order_number) &&
    (external_order_id === undefined || order.external_order_id === external_order_id) &&
    (partner_id === undefined || order.partner_id === partner_id) &&
    (created_from === undefined || created_at >= instantOf(created_from)) &&
    (created_to === undefined || created_at < instantOf(created_to))
  )
}

export const activeFilters = ({ is_active, sku, code, without_stock }: Filters): boolean =>
  sku !== '' &&
  code !== '' &&
  ['true', 'false', 'all', undefined].includes(is_active) &&
  ['true', 'false', undefined].includes(without_stock)

interface Named {
  is_active: boolean
  sku?: string
  code?: string
}

export function matchesActive({ is_active = 'true', sku, code }: Filters, record: Named) {
  const isNamed = (sku ?? record.sku) === record.sku && (code ?? record.code) === record.code
  return isNamed && (is_active === 'all' || record.is_active === (is_active === 'true'))
}

export function stockFilters({ quantity_below, ...query }: Filters): boolean {
  if (CODES.some((name) => query[name] === '')) return false
  if (quantity_below === undefined) return true
  if (!/^[1-9]\d{0,8}$/.test(quantity_below)) return false
  return CODES.some((name) => query[name] !== undefined) || Number(quantity_below) <= 101
}

/** Whether the list of stock is in order of the quantity. */
export function isByQuantity({ quantity_below, ...query }: Filters): boolean {
  return quantity_below !== undefined && CODES.every((name) => query[name] === undefined)
}

export function matchesStock({ quantity_below, ...query }: Filters, row: Stock): boolean {
  return (
    CODES.every((name) => query[name] === undefined || query[name] === row[name]) &&
    (quantity_below === undefined || row.quantity < Number(quantity_below))
  )
}
