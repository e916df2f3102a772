import * as z from 'zod'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import { SendAgain, SendAllAgain } from '../../requests/send-again/schema.ts'
import { AnyReason, named } from '../components.ts'
import { endpoints } from '../endpoint.ts'
import { because, wrong } from '../errors.ts'
import { NOT_IN_LOG, ShownDocumentState } from './audit-log.ts'
import { NO_PARTNER } from './partners.ts'

const ID = '5f0c1c9e-7d7b-4c39-8a35-0f2b1f6f3f57'
const NEW_ID = '0dbb3967-6349-4f01-8196-f6d8f846e3f5'

const KeptDocument = named(
  'KeptDocument',
  z.object({
    request_id: z.string(),
    content_type: z.string().nullable(),
    body: z.string(),
    encoding: z.enum(['utf-8', 'base64']),
    answer: z.object({ status: z.int(), body: z.string().nullable() }),
    redacted: z.array(z.string()),
    delivery: z
      .object({
        resource: z.enum(RESOURCES),
        document: z.string().nullable(),
        headers: z.record(z.string(), z.string()),
        query: z.record(z.string(), z.string()),
      })
      .nullable(),
    kept_until: z.string(),
  }),
)

named('SendAgain', SendAgain)
named('SendAllAgain', SendAllAgain)

const SentAgain = named(
  'SentAgain',
  z.object({
    request_id: z.string(),
    status: z.int(),
    answer: z.unknown(),
    replay_of: z.string(),
  }),
)

const SendOutcome = named(
  'SendOutcome',
  z.object({
    replay_of: z.string(),
    request_id: z.string().nullable(),
    status: z.int().nullable(),
    error: z
      .object({ code: z.string(), reason: AnyReason.optional(), message: z.string() })
      .nullable(),
  }),
)

const NEEDS =
  'Needs `settings.documents.read`, `settings.deliveries.write`, and the scope of the original request itself. A key that is linked to a partner gets 403.'

export const documentsReference = endpoints('settings', 'Documents', {
  'GET /audit-log/{id}/document/': {
    operationId: 'retrieveDocument',
    summary: 'Retrieve the document of a request',
    description:
      'Returns the body of a request and its answer, as text, so that all digits stay. `id` is its `request_id`. A body that is not UTF-8 is in base64. `answer.body` is null if the answer has more than 1 MB. `redacted` lists the paths of `keep_documents.redact` that led to something: there the body has `"[redacted]"`. A 404 says whether the document was never kept, has expired, has been deleted, or is not stored. A key that is linked to a partner gets 403. Reading it is a row of the audit log.',
    answer: {
      description: 'The document.',
      data: KeptDocument,
      example: {
        request_id: ID,
        content_type: 'application/json',
        body: '{"order_number": "SO-2001", "customer_info": "[redacted]", "items": []}',
        encoding: 'utf-8',
        answer: {
          status: 400,
          body: '{"success":false,"error":{"code":"VALIDATION_ERROR","message":"items: Must have at least 1 entry."}}',
        },
        redacted: ['customer_info'],
        delivery: null,
        kept_until: '2026-11-28T12:07:50.269Z',
      },
    },
    errors: {
      NOT_FOUND: because('NO_DOCUMENT', {
        message: `The document of the request "${ID}" has been deleted.`,
      }),
    },
  },
  'DELETE /audit-log/{id}/document/': {
    operationId: 'deleteDocument',
    summary: 'Delete the document of a request',
    description:
      'Deletes the document at once. If there was one, the audit log says `deleted` from then on. If there was none, the request succeeds and changes nothing. A key that is linked to a partner gets 403.',
    answer: {
      description: 'What the audit log says of the document by now.',
      data: named(
        'DeletedDocument',
        z.object({ request_id: z.string(), document: ShownDocumentState.nullable() }),
      ),
      example: { request_id: ID, document: { state: 'not_kept', reason: 'deleted' } },
    },
    errors: { ...NOT_IN_LOG },
  },
  'DELETE /partners/{id}/documents/': {
    operationId: 'deletePartnerDocuments',
    summary: "Delete a partner's documents",
    description:
      'Deletes up to 1,000 documents of the partner, which may be deleted itself. Repeat the request while `remaining` is true. A key that is linked to a partner gets 403.',
    answer: {
      description: 'How many were deleted, and whether there may be more.',
      data: named(
        'DeletedDocuments',
        z.object({ deleted: z.int().min(0).max(1000), remaining: z.boolean() }),
      ),
      example: { deleted: 1000, remaining: true },
    },
    errors: { NOT_FOUND: NO_PARTNER },
  },
  'POST /audit-log/{id}/send-again/': {
    operationId: 'sendAgain',
    summary: 'Send a failed request again',
    description: `Sends the kept document of a request once more, with the mapping and the settings of now, in place of its partner. \`id\` is its \`request_id\`. Only requests that failed and uploads with failed rows can be sent again. The response is 200 whatever the request itself was answered: see \`status\` and \`answer\`. Its row of the audit log has your key, the partner, and \`replay_of\`. \`SERVICE_ERROR\` if it was sent again and accepted before, if its sender has created the same record, or if a later request of the partner has changed the same record (for an upload: if there was a later one); \`force\` sends it all the same. With \`"as": "change"\` the document of a POST that creates a record is sent as a PUT of the record of its name (an order has to be of the same partner), so that no second one is created; the lines of an order stay. \`SERVICE_ERROR\` as well if the mapping reads a place that was redacted. ${NEEDS}`,
    body: { example: {} },
    answer: {
      description: 'What the request was answered.',
      data: SentAgain,
      example: {
        request_id: NEW_ID,
        status: 201,
        answer: { success: true, data: { order_number: 'SO-2001' } },
        replay_of: ID,
      },
    },
    errors: {
      VALIDATION_ERROR: wrong('force', 'Must be true or false, not a string.'),
      SERVICE_ERROR: because('CANNOT_SEND_AGAIN', {
        message: `The request "${ID}" cannot be sent again: it succeeded.`,
      }),
      NOT_FOUND: because('NO_DOCUMENT', {
        message: `The document of the request "${ID}" was not to be kept.`,
      }),
    },
  },
  'POST /send-again/': {
    operationId: 'sendAllAgain',
    summary: 'Send several failed requests again',
    description: `Sends up to 50 requests again, one by one, the oldest first, and gives the result of each. One that cannot be sent has its reason in \`error\`, and does not hold up the others; what would undo a later change, or was accepted before, is not sent. After 20 seconds the rest is not sent: \`error.reason\` is \`OUT_OF_TIME\`. ${NEEDS}`,
    body: { example: { request_ids: [ID] } },
    answer: {
      description: 'The outcomes, in the order of sending.',
      data: z.array(SendOutcome),
      example: [{ replay_of: ID, request_id: NEW_ID, status: 201, error: null }],
    },
    errors: { VALIDATION_ERROR: wrong('request_ids', 'Must have at least 1 entry.') },
  },
})
