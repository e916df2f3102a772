import * as z from 'zod'
import { IDENTIFIERS } from '../../engine/mapping/identifier.ts'
import { schemasOf } from '../../engine/model/record.ts'
import { ShownPolicy } from '../../engine/redaction/policy.ts'
import { DisplayText } from '../display-text.ts'
import { moment, nullable, shownId } from '../fields.ts'
import { GivenPolicy } from '../given-policy.ts'
import { pauseField } from '../pause.ts'

const CREATED_AT = '2026-11-21T12:07:50.269Z'
const NAMED = new Set(Object.values(IDENTIFIERS).flatMap(({ fields }) => fields))

/** A field of at least one resource. A resource without it keeps its own identifier. */
const DefaultIdentifierField = z.string().refine((field) => NAMED.has(field), {
  error: `Must be a field of orders, products or locations: ${[...NAMED].join(', ')}.`,
})

const FIELDS = {
  id: shownId('8f4f5a1e-6a43-4a4f-8f0a-54b1fd5f9a77'),
  name: {
    create: DisplayText,
    update: DisplayText.optional(),
    shown: z.string(),
    example: 'Nordvik ERP',
  },
  default_identifier_field: nullable(
    { given: DefaultIdentifierField, shown: z.string() },
    {
      about:
        'The field that `{identifier}` refers to, for resources that have it and whose mapping names none.',
      example: 'external_order_id',
    },
  ),
  keep_documents: nullable(
    { given: GivenPolicy, shown: ShownPolicy },
    { example: { of: 'errors', days: 30, redact: ['customer.email'] } },
  ),
  pause: pauseField('its keys'),
  created_at: moment(CREATED_AT),
  updated_at: moment(CREATED_AT),
}

/** A partner, in the order of responses. */
export const Partner = { fields: FIELDS, ...schemasOf(FIELDS) }

export type CreatePartner = z.output<typeof Partner.Create>
export type UpdatePartner = z.output<typeof Partner.Update>
