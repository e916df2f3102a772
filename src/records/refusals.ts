import type { TenantDatabase } from '../engine/db/transact.ts'
import type { ApiError } from '../engine/errors.ts'
import type { Resource } from '../engine/mapping/identifier.ts'
import { LOCATIONS, PRODUCTS } from './catalogue/kind.ts'
import { createRecord } from './catalogue/queries.ts'
import { createOrder } from './orders/queries.ts'
import type { OrderCreator } from './orders/refusals.ts'
import type { CreateOrder } from './orders/schema.ts'

/**
 * What a POST of this valid body would answer because of what is stored: an order number that exists, an
 * unknown SKU, ...; null if it would be accepted. Writes nothing. Uploads have row errors instead.
 */
export async function refusalOfBody(
  db: TenantDatabase,
  resource: Resource,
  body: object,
  by: OrderCreator,
): Promise<ApiError | null> {
  if (resource === 'inventory') return null
  return await db.refusalOf(async (rehearsing) => {
    if (resource === 'orders') await createOrder(rehearsing, by, body as CreateOrder)
    else await createRecord(resource === 'products' ? PRODUCTS : LOCATIONS, rehearsing, body)
  })
}
