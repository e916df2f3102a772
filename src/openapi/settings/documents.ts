import * as z from 'zod'
import { notInLog } from '../../engine/log/not-in-log.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import { named } from '../components.ts'
import { endpoints } from '../endpoint.ts'
import { because } from '../errors.ts'
import { ShownDocumentState } from './audit-log.ts'

const ID = '5f0c1c9e-7d7b-4c39-8a35-0f2b1f6f3f57'
const PARTNER = '8f4f5a1e-6a43-4a4f-8f0a-54b1fd5f9a77'

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

const NOT_IN_LOG = because('UNKNOWN_RECORD', { message: notInLog(ID).message })

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
    errors: { NOT_FOUND: NOT_IN_LOG },
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
    errors: {
      NOT_FOUND: because('UNKNOWN_RECORD', { message: `No partner has the id "${PARTNER}".` }),
    },
  },
})
