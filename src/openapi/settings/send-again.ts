import * as z from 'zod'
import { SendAgain, SendAllAgain } from '../../requests/send-again/schema.ts'
import { AnyReason, named } from '../components.ts'
import { endpoints } from '../endpoint.ts'
import { because, wrong } from '../errors.ts'

named('SendAgain', SendAgain)
named('SendAllAgain', SendAllAgain)

const ID = '5f0c1c9e-7d7b-4c39-8a35-0f2b1f6f3f57'
const NEW_ID = '0dbb3967-6349-4f01-8196-f6d8f846e3f5'

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

export const sendAgainReference = endpoints('settings', 'Documents', {
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
