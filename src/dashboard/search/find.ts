import type { Context } from 'hono'
import type { Match } from '../../engine/db/walks.ts'
import type { AppEnv } from '../../engine/env.ts'
import { withIndexedFields } from '../../engine/identifiers/in-use.ts'
import { searchedNames } from '../../engine/model/record.ts'
import { RECORDS } from '../../engine/model/records.ts'
import { LOCATIONS, PRODUCTS } from '../../records/catalogue/kind.ts'
import { searchRecords } from '../../records/catalogue/search.ts'
import { orderSearch } from '../../records/orders/search.ts'
import { requestById } from '../../requests/audit-log/look-ups.ts'
import { recordPath, requestPath } from '../paths.ts'
import { type Group, groupsOf } from '../search-groups.ts'

/** A group shows so many records. */
export const GROUP_MAX = 10

/** Several records may have one of these, so that they identify none. */
const NAMES = Object.values(RECORDS).flatMap((record) => searchedNames(record))

export type Findings = Awaited<ReturnType<typeof findAll>>

/** What each group has, as far as the session's key may see it, in one round trip. */
export async function findAll(c: Context<AppEnv>, text: string) {
  const db = c.get('db')
  const { tenant } = c.get('caller')
  const searched = groupsOf(c).map(({ name }) => name)
  const request = (group: Group['name']) => ({
    tenant,
    text,
    limit: searched.includes(group) ? GROUP_MAX : 0,
  })
  const products = searchRecords(PRODUCTS, request('Products'))
  const locations = searchRecords(LOCATIONS, request('Locations'))
  const requests = requestById(text, searched.includes('Requests'))
  return await withIndexedFields(db, tenant, async (fields) => {
    const orders = orderSearch(request('Orders'), fields)
    const [ordersFound, productsFound, locationsFound, requestsFound] = await db.read([
      orders.query,
      products.query,
      locations.query,
      requests,
    ])
    return {
      orders: orders.pageOf(ordersFound),
      products: products.pageOf(productsFound),
      locations: locations.pageOf(locationsFound),
      requests: requestsFound,
    }
  })
}

/**
 * The page of the one record of which an identifier is exactly the text, and of the only match by a whole name or a whole
 * word of it. Null if several records are meant.
 */
export function onlyOne({ orders, products, locations, requests }: Findings): string | null {
  const records = [
    ...orders.rows.map((row) => matchAt(recordPath('orders', row.id), row)),
    ...products.rows.map((row) => matchAt(recordPath('products', row.id), row)),
    ...locations.rows.map((row) => matchAt(recordPath('locations', row.id), row)),
    ...requests.map(({ request_id }) => ({
      at: requestPath(request_id),
      isExact: true,
      isName: false,
      isInside: false,
    })),
  ]
  const whole = records.filter(({ isExact }) => isExact)
  const exact = whole.filter(({ isInside }) => !isInside)
  const [first] = exact.length > 0 ? exact : whole
  if (!first || exact.length > 1) return null
  return (first.isName || first.isInside) && records.length > 1 ? null : first.at
}

function matchAt(at: string, { isExact, isInside, field }: Match) {
  return { at, isExact, isInside, isName: NAMES.includes(field) }
}
