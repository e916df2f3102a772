import * as z from 'zod'
import { KeepDocuments } from '../../documents/policy.ts'
import { IDENTIFIERS } from '../../mapping/identifier.ts'
import { DisplayName } from '../display-name.ts'

const FIELDS = new Set(Object.values(IDENTIFIERS).flatMap(({ fields }) => fields))

/** A field of at least one resource. A resource without it keeps its own identifier. */
const DefaultIdentifierField = z.string().refine((field) => FIELDS.has(field), {
  error: `Must be a field of orders, products or locations: ${[...FIELDS].join(', ')}.`,
})

export const CreatePartner = z.object({
  name: DisplayName,
  default_identifier_field: DefaultIdentifierField.nullish(),
  keep_documents: KeepDocuments.nullish(),
})
export type CreatePartner = z.output<typeof CreatePartner>

export const UpdatePartner = z.object({
  name: DisplayName.optional(),
  default_identifier_field: DefaultIdentifierField.nullish(),
  keep_documents: KeepDocuments.nullish(),
})
export type UpdatePartner = z.output<typeof UpdatePartner>
