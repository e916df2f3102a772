import type { TenantDatabase } from '../db/transact.ts'
import type { ApiError } from '../errors.ts'
import type { Resource } from '../mapping/identifier.ts'
import { refusalOfLocation } from './locations/queries.ts'
import { refusalOfOrder } from './orders/refusals.ts'
import type { CreateOrder } from './orders/schema.ts'
import { refusalOfProduct } from './products/queries.ts'

/**
 * What a POST of this valid body would answer because of what is stored: an order number that exists, an
 * unknown SKU, ...; null if it would be accepted. Writes nothing. Uploads have row errors instead.
 */
export async function refusalOf(
  db: TenantDatabase,
  resource: Resource,
  body: object,
  partnerId: string | null,
): Promise<ApiError | null> {
  if (resource === 'orders') return await refusalOfOrder(db, body as CreateOrder, partnerId)
  if (resource === 'products') return await refusalOfProduct(db, body as { sku: string })
  if (resource === 'locations') return await refusalOfLocation(db, body as { code: string })
  return null
}
