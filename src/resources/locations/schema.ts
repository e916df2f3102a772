import * as z from 'zod'
import { AnyObject, Identifier, Name } from '../../document/fields.ts'
import { pageParams } from '../../document/pagination.ts'
import { ActiveFilter } from '../activity.ts'

export const CreateLocation = z.object({
  code: Identifier,
  name: Name.nullish(),
  zone: Name.nullish(),
  aisle: Name.nullish(),
  metadata: AnyObject.nullish(),
})
export type CreateLocation = z.output<typeof CreateLocation>

export const UpdateLocation = z.object({
  name: Name.nullish(),
  zone: Name.nullish(),
  aisle: Name.nullish(),
  metadata: AnyObject.nullish(),
  is_active: z.boolean().optional(),
})
export type UpdateLocation = z.output<typeof UpdateLocation>

export const LocationPage = z.object({
  ...pageParams('locations'),
  code: z.string().min(1).optional(),
  is_active: ActiveFilter,
})
export type LocationFilters = Omit<z.output<typeof LocationPage>, 'limit' | 'cursor'>

/** A location as the API shows it. The responses to POST and lists leave fields out. */
export const LocationRecord = z.object({
  id: z.string(),
  code: z.string(),
  name: z.string().nullable(),
  zone: z.string().nullable(),
  aisle: z.string().nullable(),
  metadata: AnyObject.nullable(),
  is_active: z.boolean(),
})
