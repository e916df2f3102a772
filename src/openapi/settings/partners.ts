import * as z from 'zod'
import { exampleOf } from '../../engine/model/record.ts'
import { FINDING_KINDS } from '../../requests/check-up/finding.ts'
import { partnerExists, tooManyPartners } from '../../settings/partners/queries.ts'
import { Partner } from '../../settings/partners/schema.ts'
import { named } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { thrown, tooManyFieldsError, unknownRecord, wrong } from '../errors.ts'

named('CreatePartner', Partner.Create)
named('UpdatePartner', Partner.Update)
named('Partner', Partner.Shown)

const PARTNER = Partner.Shown.parse(exampleOf(Partner))

export const NO_PARTNER = unknownRecord(`No partner has the id "${PARTNER.id}".`)

const Finding = named(
  'Finding',
  z.object({
    kind: z.enum(FINDING_KINDS),
    since: z.string(),
    count: z.int().min(0),
    requests: z.array(z.string()),
    message: z.string(),
    remedy: z.string(),
  }),
)

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
      ...thrown(tooManyPartners()),
      ...thrown(partnerExists(PARTNER.name)),
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
    errors: { NOT_FOUND: NO_PARTNER },
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
      SERVICE_ERROR: tooManyFieldsError('default_identifier_field'),
      NOT_FOUND: NO_PARTNER,
      ...thrown(partnerExists(PARTNER.name)),
    },
  },
  'DELETE /partners/{id}/': {
    operationId: 'deletePartner',
    summary: 'Delete a partner',
    description:
      'Deletes the partner. Its orders and audit rows still refer to it; its name can be used again. While a live key is linked to it, the response is 409 `IN_USE`. A repeated request returns 404.',
    answer: { description: 'The deleted partner.', data: Partner.Shown, example: PARTNER },
    errors: {
      NOT_FOUND: NO_PARTNER,
      IN_USE: {
        message: 'A live key or webhook is linked to "Nordvik ERP": revoke or unlink it first.',
      },
    },
  },
  'GET /partners/{id}/check-up/': {
    operationId: 'checkUpPartner',
    summary: 'Check up on a partner',
    description:
      "Returns what an administrator should look at, found in the partner's mappings, requests, kept documents and keys; an empty list if there is nothing. `mapping_refused`: a saved mapping that would be refused if it were saved now, such as one that makes one record of several; it works on until then. It takes `settings.partners.read`. `field_refused`: at least 5 requests of the last 7 days were refused for one field. `same_document`: one record was refused for the same fields at least 3 times in that time, or the same kept document came at least 3 times and failed alike. `drift`: among at least 20 kept documents of POST or PUT since the mapping was saved, a field has appeared, vanished or changed its kind, with 10 documents on either side and at most 1 exception in 20. It takes `settings.documents.read` to learn what documents tell, and a key of a partner never does. `lines_differ`: orders whose lines differ from those that a webhook has brought last, until somebody has seen it. `no_cursor`: in 24 hours, a list of several pages was read at least 5 times and never beyond its first page. `invalid_key`: a key of the partner that is revoked, expired or rotated was used in the last 7 days. `silence`: after at least 20 requests, none for longer than an hour, than five times the usual pause, and than any pause of the last two weeks. `key_expiring`: within 14 days. `release_ending`: within 90 days. `since` tells since when it is so. At most 10 of a kind, from the partner's newest 20,000 requests and the newest 500 of them with an error that names fields. A record that was refused counts as a request, also if its document has others. What an administrator has sent again does not count. Kept documents are read for at most 5 seconds: `warnings` says if not all could be read.",
    answer: {
      description: 'The findings.',
      data: z.array(Finding),
      example: [
        {
          kind: 'field_refused',
          since: '2026-11-20T08:00:02.114Z',
          count: 37,
          requests: ['6f1c1d0e-3f0a-4c57-9d55-2a9a6a1b7a10'],
          message:
            '"items[].quantity" (with "line_items[].quantity") was refused in 37 requests. The newest error: line_items[0].quantity: Must be an integer, not a string.',
          remedy:
            'Correct the mapping, or ask the partner to send the field as the error says. Then send the requests again, or ask the partner to.',
        },
      ],
    },
    errors: {
      VALIDATION_ERROR: wrong('page', 'Unknown query parameter. This path takes none.'),
      NOT_FOUND: NO_PARTNER,
    },
  },
})
