import type { TenantDatabase } from '../engine/db/transact.ts'
import type { ApiError } from '../engine/errors.ts'
import type { Resource } from '../engine/mapping/identifier.ts'
import { LOCATIONS, PRODUCTS } from './catalogue/kind.ts'
import { refusalOfRecord } from './catalogue/queries.ts'
import { refusalOfOrder } from './orders/refusals.ts'
import type { CreateOrder } from './orders/schema.ts'

/**
 * What a POST of this valid body would answer because of what is stored: an order number that exists, an
 * unknown SKU, ...; null if it would be accepted. Writes nothing. Uploads have row errors instead.
 */
export async function refusalOfBody(
  db: TenantDatabase,
  resource: Resource,
  body: object,
  { partnerId, scopes }: { partnerId: string | null; scopes: readonly string[] },
): Promise<ApiError | null> {
  if (resource === 'orders') return await refusalOfOrder(db, body as CreateOrder, partnerId, scopes)
  if (resource === 'products') return await refusalOfRecord(PRODUCTS, db, body)
  if (resource === 'locations') return await refusalOfRecord(LOCATIONS, db, body)
  return null
}
