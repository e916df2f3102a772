import type { z } from 'zod'
import type { Resource } from '../mapping/identifier.ts'
import { UploadBody } from './inventory/schema.ts'
import { CreateLocation, UpdateLocation } from './locations/schema.ts'
import { CreateOrder, UpdateOrder } from './orders/schema.ts'
import { CreateProduct, UpdateProduct } from './products/schema.ts'

/** The bodies that a mapping writes, by resource and method. */
export const BODIES: Record<Resource, Record<string, z.ZodType<object>>> = {
  orders: { POST: CreateOrder, PUT: UpdateOrder },
  products: { POST: CreateProduct, PUT: UpdateProduct },
  locations: { POST: CreateLocation, PUT: UpdateLocation },
  inventory: { POST: UploadBody },
}
