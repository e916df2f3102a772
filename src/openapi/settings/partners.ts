import * as z from 'zod'
import { NoFields } from '../../fields.ts'
import { PageQuery } from '../../pagination.ts'
import { CreatePartner, UpdatePartner } from '../../settings/partners/schema.ts'
import { named } from '../components.ts'
import { type Endpoint, endpoint, type Telling } from '../endpoint.ts'
import { wrong } from '../errors.ts'

named('CreatePartner', CreatePartner)
named('UpdatePartner', UpdatePartner)

const PartnerRecord = named(
  'Partner',
  z.object({
    id: z.string(),
    name: z.string(),
    default_identifier_field: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  }),
)

const PARTNER = {
  id: '8f4f5a1e-6a43-4a4f-8f0a-54b1fd5f9a77',
  name: 'Nordvik ERP',
  default_identifier_field: 'external_order_id',
  created_at: '2026-11-21T12:07:50.269Z',
  updated_at: '2026-11-21T12:07:50.269Z',
}

const NOT_FOUND = { message: `No partner has the id "${PARTNER.id}".` }
const DUPLICATE = {
  message: 'A partner with the name "Nordvik ERP" already exists.',
  fields: { name: ['Already exists.'] },
}

export const partners: Endpoint[] = [
  partner({
    method: 'post',
    path: '/partners/',
    operationId: 'createPartner',
    scope: 'settings.write',
    summary: 'Create a partner',
    description:
      'A system that calls the integrations API. Its mappings and identifiers hold for every key that is linked to it. A `name` that exists is 409 `DUPLICATE`.',
    body: {
      schema: CreatePartner,
      example: { name: 'Nordvik ERP', default_identifier_field: 'external_order_id' },
    },
    answer: { status: 201, description: 'The partner.', data: PartnerRecord, example: PARTNER },
    refuses: { VALIDATION_ERROR: wrong('name', 'This field is required.'), DUPLICATE },
  }),
  partner({
    method: 'get',
    path: '/partners/',
    operationId: 'listPartners',
    scope: 'settings.read',
    summary: 'List partners',
    description: 'All partners, newest first.',
    query: PageQuery('partners'),
    answer: {
      description: 'A page of partners.',
      data: z.array(PartnerRecord),
      isPage: true,
      example: [PARTNER],
    },
  }),
  partner({
    method: 'get',
    path: '/partners/{id}/',
    operationId: 'findPartner',
    scope: 'settings.read',
    summary: 'Find a partner',
    description: 'The record; its mappings have endpoints of their own.',
    answer: { description: 'The partner.', data: PartnerRecord, example: PARTNER },
    refuses: { NOT_FOUND },
  }),
  partner({
    method: 'put',
    path: '/partners/{id}/',
    operationId: 'updatePartner',
    scope: 'settings.write',
    summary: 'Update a partner',
    description:
      'Replaces the fields that are given, from the very next request of any of its keys on. Safe to repeat.',
    body: { schema: UpdatePartner, isOptional: true, example: { name: 'Nordvik' } },
    answer: {
      description: 'The partner, updated.',
      data: PartnerRecord,
      example: { ...PARTNER, name: 'Nordvik' },
    },
    refuses: {
      VALIDATION_ERROR: wrong('name', 'Must have at least 1 character.'),
      NOT_FOUND,
      DUPLICATE,
    },
  }),
  partner({
    method: 'delete',
    path: '/partners/{id}/',
    operationId: 'deletePartner',
    scope: 'settings.write',
    summary: 'Delete a partner',
    description:
      'Ends the partner: its orders and audit rows keep it, its name is free again. While a live key is linked to it, 409 `IN_USE`. Repeated: 404.',
    body: { schema: NoFields, example: {} },
    answer: { description: 'The partner that was.', data: PartnerRecord, example: PARTNER },
    refuses: {
      NOT_FOUND,
      IN_USE: { message: 'A live key is linked to "Nordvik ERP": revoke or unlink it first.' },
    },
  }),
]

function partner<Body extends z.ZodType, Data extends z.ZodType>(telling: Telling<Body, Data>) {
  return endpoint('settings', 'Partners', telling)
}
