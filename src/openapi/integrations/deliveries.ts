import * as z from 'zod'
import type { ZodOpenApiPathItemObject } from 'zod-openapi'
import { deliveriesRoutes } from '../../deliveries/routes.ts'
import { OUTCOMES } from '../../engine/db/tables.ts'
import { httpsRequired } from '../../engine/errors.ts'
import {
  headersOf,
  named,
  READ_AFTER_ADDED,
  ShownFieldErrors,
  ShownWarning,
} from '../components.ts'
import { because, type ErrorExamples, responsesOf, thrown, wrong } from '../errors.ts'
import { UploadResult } from './inventory.ts'

/** The address of a webhook, as the document of the integrations API has it. */
export const ADDRESS_PATH = '/webhooks/v1/{token}/'
export const DELIVERIES_TAG = 'Deliveries'

// No answer to a sender has these: a delivery that waited gets them later.
const LATER = ['superseded', 'dismissed'] as const

const MEANS: Record<Exclude<(typeof OUTCOMES)[number], (typeof LATER)[number]>, string> = {
  created: 'a record was created',
  updated: 'the record was changed',
  unchanged: 'the record has all these values already',
  cancelled: 'the order was cancelled',
  deactivated: 'the product or location was deactivated',
  uploaded: 'the quantities were set; `upload` counts the rows and lists those that failed',
  several:
    'the document has several records, and each has an outcome of its own: `results` lists them, and `reason` counts them. Those that could not be tried in time wait, and go on by themselves',
  skipped: 'there was nothing to do: `reason` says why',
  stale: 'a newer document of this record was applied before',
  waiting:
    'it could not be applied now and is kept: `reason` and `error` say why. Crossdock applies it by itself once what it needs is there',
}

const DeliveryError = named(
  'DeliveryError',
  z.object({
    code: z.string(),
    reason: z.string().optional(),
    fields: ShownFieldErrors.optional(),
    source: z.record(z.string(), z.string()).optional(),
  }),
)

const DeliveredRecord = named(
  'DeliveredRecord',
  z.object({
    index: z.int().min(0),
    outcome: z.enum(OUTCOMES).exclude([...LATER, 'uploaded', 'several']),
    record: z.string().nullable(),
    delivery_id: z.string(),
    reason: z.string().optional(),
    error: DeliveryError.optional(),
  }),
)

const Delivery = named(
  'Delivery',
  z.object({
    delivery_id: z.string(),
    outcome: z.enum(OUTCOMES).exclude([...LATER]),
    record: z.string().nullable(),
    reason: z.string().optional(),
    error: DeliveryError.optional(),
    upload: UploadResult.optional(),
    waiting: z.int().min(0).nullable().optional(),
    results: z.array(DeliveredRecord).optional(),
  }),
)

const Ping = named('Ping', z.object({ outcome: z.literal('skipped'), reason: z.string() }))

const TOKEN = {
  name: 'token',
  in: 'path',
  required: true,
  description:
    'The secret part of the address, `xh_<tenant>_…`. Only the answer that creates or rotates a webhook shows it.',
  schema: { type: 'string' },
} as const

const CHALLENGE = {
  name: 'challenge',
  in: 'query',
  description:
    'At most 200 plain characters (letters, digits, `_ . ~ : + / = -`): the answer is this text.',
  schema: { type: 'string', pattern: '^[\\w.~:+/=-]{1,200}$' },
} as const

const ANY_ERRORS: ErrorExamples = {
  KEY_EXPIRED: { message: 'API key has expired.' },
  ...thrown(httpsRequired()),
  NOT_FOUND: because('UNKNOWN_WEBHOOK', {
    message: 'No webhook has this address: copy it again, or rotate it.',
  }),
}

const ERRORS: ErrorExamples = {
  ...ANY_ERRORS,
  VALIDATION_ERROR: because('MALFORMED_JSON', { message: 'The body must be JSON in UTF-8.' }),
  SERVICE_ERROR: because(
    'UNKNOWN_SKU',
    wrong('items[0].sku_code', 'No product has the SKU "MUG-2".'),
  ),
  SIGNATURE_INVALID: because('SIGNATURE_MISMATCH', { message: 'The signature does not match.' }),
  WORKSPACE_DISABLED: {
    message: 'The integration is switched off in this workspace: switch it on in the settings.',
  },
  DUPLICATE: because('ALREADY_EXISTS', { message: 'A product with the SKU "MUG-2" exists.' }),
}

const TOO_LARGE = 'Of a body of more than 1,900,000 bytes, which is not kept'
const UNKNOWN = 'The address is none, or its webhook was revoked.'
const EXPIRED = 'The webhook has expired.'
const PLAIN = 'The request came over plain HTTP.'

const SECURITY = 'The address is the key: no `X-API-Key` is read.'

const TABLE = Object.entries(MEANS).map(([outcome, means]) => `- \`${outcome}\`: ${means}`)

const ANSWERED = headersOf('settings', 200)

/** The requests that the address of a webhook takes. No key's scope opens it, so no `endpoint` describes it. */
export const receivingReference: ZodOpenApiPathItemObject = {
  get: {
    operationId: 'checkWebhook',
    tags: [DELIVERIES_TAG],
    summary: 'Check an address',
    description: `Answers the check that some senders make before they save an address, with and without the last slash. ${SECURITY} A \`challenge\` is given back as text.`,
    security: [],
    parameters: [TOKEN, CHALLENGE],
    responses: {
      '200': {
        description: 'The address is that of a webhook.',
        headers: ANSWERED,
        content: {
          ...answered(z.object({ ready: z.literal(true) }), { ready: true }),
          'text/plain': { schema: { type: 'string' }, example: 'aB3-x' },
        },
      },
      ...responsesOf('integrations', ['RateLimited', 'InternalError', 'Unavailable'], ANY_ERRORS, {
        401: EXPIRED,
        403: PLAIN,
        404: UNKNOWN,
      }),
    },
  },
  post: {
    operationId: 'deliver',
    tags: [DELIVERIES_TAG],
    summary: 'Deliver a document',
    description: `A partner's system delivers an order, product, location or stock here, as its webhook in the settings describes it: how the sender proves itself, where the event stands, what to do with it. The partner's mapping translates the document. ${SECURITY} The address works with and without the last slash, and nothing redirects.

200 means that the delivery is applied, kept, or that there is nothing to do. \`outcome\` says which:

${TABLE.join('\n')}

Send anything else again later if it is 429, 500 or 503. A document that cannot be applied is no error: it waits. A form with nothing but \`webhook_id\`, as WooCommerce sends it unsigned, is answered with 200 and changes nothing.`,
    security: [],
    parameters: [TOKEN],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { description: "The sender's own document." },
          example: { number: '30418', lines: [{ sku: 'TEA-EARLGREY-100', qty: 2 }] },
        },
      },
    },
    responses: {
      '200': {
        description: 'What became of the delivery.',
        headers: { ...ANSWERED, ...READ_AFTER_ADDED },
        content: answered(z.union([Delivery, Ping]), {
          delivery_id: '01a221c3-492c-73cb-97b3-b5098b481f2c',
          outcome: 'created',
          record: '30418',
        }),
      },
      ...responsesOf(
        'integrations',
        [
          'PayloadTooLarge',
          'UnsupportedMediaType',
          'MappingFailed',
          'RateLimited',
          'InternalError',
          'Unavailable',
        ],
        ERRORS,
        {
          400: `The body is not JSON. ${TOO_LARGE}: what refuses it.`,
          401: `The sender is not proven, or the webhook has expired.`,
          403: `${PLAIN} ${TOO_LARGE}: the integration is switched off.`,
          404: UNKNOWN,
          409: `${TOO_LARGE}: a record of this name exists.`,
        },
      ),
    },
  },
}

function answered<Data extends z.ZodType>(data: Data, example: z.output<Data>) {
  const schema = z.object({
    success: z.literal(true),
    data,
    warnings: z.array(ShownWarning).optional(),
  })
  return { 'application/json': { schema, example: { success: true, data: example } } }
}

for (const method of Object.keys(receivingReference)) {
  const path = '/:token/'
  const isRoute = deliveriesRoutes.routes.some(
    (route) => route.method === method.toUpperCase() && route.path === path,
  )
  if (!isRoute) throw new Error(`No route ${method} ${path} takes deliveries.`)
}
