import type * as z from 'zod'
import type { FieldErrors } from '../engine/errors.ts'
import { fieldErrors, messageOf } from '../engine/json/messages.ts'
import type { Pace } from '../engine/limits/pace.ts'
import type { Resource } from '../engine/mapping/identifier.ts'
import { Location } from '../engine/model/location.ts'
import { Product } from '../engine/model/product.ts'
import { uploadErrors } from './inventory/rows.ts'
import { StockRow, UploadBody } from './inventory/schema.ts'
import { CreateOrder, faultsOfNew, OrderRecord, UpdateOrder } from './orders/schema.ts'

/** Schemas of the bodies that a mapping writes, by resource and method. */
export const BODIES: Record<Resource, Record<string, z.ZodType<object>>> = {
  orders: { POST: CreateOrder, PUT: UpdateOrder },
  products: { POST: Product.Create, PUT: Product.Update },
  locations: { POST: Location.Create, PUT: Location.Update },
  inventory: { POST: UploadBody },
}

/** Schemas of the records that an outbound mapping reads. */
export const SHOWN_RECORDS: Record<Resource, z.ZodType<object>> = {
  orders: OrderRecord,
  products: Product.Shown,
  locations: Location.Shown,
  inventory: StockRow,
}

/**
 * The errors that a request with this body gets before the database is read. For an upload, `failed`
 * counts the malformed rows, and `errors` has those of the first 1,000.
 */
export async function bodyErrors(
  resource: Resource,
  method: string,
  body: object,
  pace: Pace,
): Promise<{ errors: FieldErrors; failed: number }> {
  // Checked row by row, as in the request.
  if (resource === 'inventory') return await uploadErrors(body, pace)
  const result = BODIES[resource][method]?.safeParse(body, { error: messageOf })
  const faults = resource === 'orders' && method === 'POST' ? faultsOfNew(body) : {}
  return { errors: { ...fieldErrors(result?.error?.issues ?? []), ...faults }, failed: 0 }
}
