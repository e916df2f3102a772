import type * as z from 'zod'
import type { FieldErrors } from '../errors.ts'
import type { Resource } from '../mapping/identifier.ts'
import { fieldErrors, messageOf } from '../messages.ts'
import { uploadErrors } from './inventory/rows.ts'
import { StockRow, UploadBody } from './inventory/schema.ts'
import { CreateLocation, LocationRecord, UpdateLocation } from './locations/schema.ts'
import { CreateOrder, OrderRecord, UpdateOrder } from './orders/schema.ts'
import { CreateProduct, ProductRecord, UpdateProduct } from './products/schema.ts'

/** The bodies that a mapping writes, by resource and method. */
export const BODIES: Record<Resource, Record<string, z.ZodType<object>>> = {
  orders: { POST: CreateOrder, PUT: UpdateOrder },
  products: { POST: CreateProduct, PUT: UpdateProduct },
  locations: { POST: CreateLocation, PUT: UpdateLocation },
  inventory: { POST: UploadBody },
}

/** The records that an outbound mapping reads. */
export const RECORDS: Record<Resource, z.ZodType<object>> = {
  orders: OrderRecord,
  products: ProductRecord,
  locations: LocationRecord,
  inventory: StockRow,
}

/**
 * What a request with this body would be refused for before the database is asked; of an upload's
 * rows, `failed` counts those with errors and the first 1,000 are told of.
 */
export function bodyErrors(
  resource: Resource,
  method: string,
  body: object,
): { errors: FieldErrors; failed: number } {
  // Row by row, as the request does it.
  if (resource === 'inventory') return uploadErrors(body)
  const result = BODIES[resource][method]?.safeParse(body, { error: messageOf })
  return { errors: fieldErrors(result?.error?.issues ?? []), failed: 0 }
}
