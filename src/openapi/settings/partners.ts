import { exampleOf } from '../../engine/model/record.ts'
import { Partner } from '../../settings/partners/schema.ts'
import { named } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { because, tooManyFieldsError, wrong } from '../errors.ts'

named('CreatePartner', Partner.Create)
named('UpdatePartner', Partner.Update)
named('Partner', Partner.Shown)

const PARTNER = Partner.Shown.parse(exampleOf(Partner))

const NOT_FOUND = because('UNKNOWN_RECORD', { message: `No partner has the id "${PARTNER.id}".` })
const DUPLICATE = because('ALREADY_EXISTS', {
  message: 'A partner with the name "Nordvik ERP" already exists.',
  fields: { name: ['Already exists.'] },
})
const TOO_MANY = because('TOO_MANY_PARTNERS', {
  message: 'A workspace can have at most 1,000 partners: delete one first.',
})
const TOO_MANY_FIELDS = tooManyFieldsError('default_identifier_field')

export const partnersReference = endpoints('settings', 'Partners', {
  'POST /partners/': {
    operationId: 'createPartner',
    summary: 'Create a partner',
    description:
      'Creates a partner, a system that calls the integrations API. Its mappings and identifiers apply to every key that is linked to it. A `name` that exists returns 409 `DUPLICATE`. A workspace has at most 1,000 partners, and 20 identifier fields besides those that every workspace has; one more returns `SERVICE_ERROR`. Documents can be kept only where the operator has set up a bucket for them; without `keep_documents` a new partner keeps what the workspace keeps at that time.',
    body: {
      example: exampleOf(Partner, Object.keys(Partner.Create.shape)),
    },
    answer: { status: 201, description: 'The partner.', data: Partner.Shown, example: PARTNER },
    errors: {
      VALIDATION_ERROR: wrong('name', 'This field is required.'),
      SERVICE_ERROR: TOO_MANY,
      DUPLICATE,
    },
  },
  'GET /partners/': {
    operationId: 'listPartners',
    summary: 'List partners',
    description: 'Returns all partners, newest first.',
    answer: pageOf('partners', Partner.Shown, PARTNER),
  },
  'GET /partners/{id}/': {
    operationId: 'findPartner',
    summary: 'Retrieve a partner',
    description: 'Returns the partner without its mappings, which have their own endpoints.',
    answer: { description: 'The partner.', data: Partner.Shown, example: PARTNER },
    errors: { NOT_FOUND },
  },
  'PUT /partners/{id}/': {
    operationId: 'updatePartner',
    summary: 'Update a partner',
    description:
      "Replaces the given fields. The change takes effect with the next request of the partner's keys. A 21st identifier field returns `SERVICE_ERROR`. `keep_documents` null keeps nothing more. You can repeat this request.",
    body: { example: { name: 'Nordvik' } },
    answer: {
      description: 'The updated partner.',
      data: Partner.Shown,
      example: { ...PARTNER, name: 'Nordvik' },
    },
    errors: {
      VALIDATION_ERROR: wrong('name', 'Must have at least 1 character.'),
      SERVICE_ERROR: TOO_MANY_FIELDS,
      NOT_FOUND,
      DUPLICATE,
    },
  },
  'DELETE /partners/{id}/': {
    operationId: 'deletePartner',
    summary: 'Delete a partner',
    description:
      'Deletes the partner. Its orders and audit rows still refer to it; its name can be used again. While a live key is linked to it, the response is 409 `IN_USE`. A repeated request returns 404.',
    answer: { description: 'The deleted partner.', data: Partner.Shown, example: PARTNER },
    errors: {
      NOT_FOUND,
      IN_USE: {
        message: 'A live key or webhook is linked to "Nordvik ERP": revoke or unlink it first.',
      },
    },
  },
})
