import * as z from 'zod'
import { AnyObject, Decimal, Identifier, SignedQuantity } from '../../document/fields.ts'
import { pageParams } from '../../document/pagination.ts'
import { ActiveFilter } from '../activity.ts'

export const CreateProduct = z.object({
  sku: Identifier,
  quantity: SignedQuantity.default(0),
  is_active: z.boolean().default(true),
  cost: Decimal.nullish(),
  custom_fields: AnyObject.default({}),
})
export type CreateProduct = z.output<typeof CreateProduct>

/** `custom_fields` replaces the whole object; `cost` null clears it. */
export const UpdateProduct = z.object({
  quantity: SignedQuantity.optional(),
  is_active: z.boolean().optional(),
  cost: Decimal.nullish(),
  custom_fields: AnyObject.optional(),
})
export type UpdateProduct = z.output<typeof UpdateProduct>

export const ProductPage = z.object({
  ...pageParams('products'),
  sku: z.string().min(1).optional(),
  is_active: ActiveFilter,
})
export type ProductFilters = Omit<z.output<typeof ProductPage>, 'limit' | 'cursor'>

/** A product as the API shows it. */
export const ProductRecord = z.object({
  id: z.string(),
  sku: z.string(),
  quantity: z.int(),
  is_active: z.boolean(),
  cost: z.string().nullable(),
  custom_fields: AnyObject,
})
