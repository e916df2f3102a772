import * as z from 'zod'
import { Name } from '../../fields.ts'
import { IDENTIFIERS } from '../../mapping/identifier.ts'

const FIELDS = new Set(Object.values(IDENTIFIERS).flatMap(({ fields }) => fields))

/** A field of at least one resource; where a resource has none such, its own identifier stands. */
const DefaultIdentifierField = z.string().refine((field) => FIELDS.has(field), {
  error: `Must be a field of orders, products or locations: ${[...FIELDS].join(', ')}.`,
})

export const CreatePartner = z.object({
  name: Name.min(1),
  default_identifier_field: DefaultIdentifierField.nullish(),
})
export type CreatePartner = z.output<typeof CreatePartner>

export const UpdatePartner = z.object({
  name: Name.min(1).optional(),
  default_identifier_field: DefaultIdentifierField.nullish(),
})
export type UpdatePartner = z.output<typeof UpdatePartner>
