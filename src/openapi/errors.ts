import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { STATUS } from '../engine/answers/error-body.ts'
import {
  type ApiError,
  type ErrorCode,
  type ErrorReason,
  type FieldErrors,
  httpsRequired,
  keyMissing,
  type Reasoned,
} from '../engine/errors.ts'
import type { Contract } from '../engine/exchange/contract.ts'
import { type ApiArea, DRY_RUN_ADDED, errorEnvelope, headersOf } from './components.ts'

/** An example of an error, without what all errors have in common. */
export interface ErrorExample {
  message: string
  fields?: FieldErrors
  problems?: object[]
}

type Status = (typeof STATUS)[ErrorCode]

export type ErrorExamples = { [Code in ErrorCode]?: ErrorExample & Reasoned<Code> }

// The responses that are the same for every endpoint that has them.
const SHARED: Record<string, ErrorExamples> = {
  KeyRefused: {
    KEY_INVALID: { message: 'Invalid API key.' },
    KEY_EXPIRED: { message: 'API key has expired.' },
  },
  AccessRefused: {
    ...thrown(keyMissing()),
    SCOPE_MISSING: {
      message: 'This API key lacks the scope integrations.orders.write.',
      reason: 'KEY_LACKS_SCOPE',
    },
    ...thrown(httpsRequired()),
    WORKSPACE_DISABLED: {
      message: 'The integration is switched off in this workspace: switch it on in the settings.',
    },
  },
  PayloadTooLarge: {
    PAYLOAD_TOO_LARGE: {
      message: 'The body is larger than 10485760 bytes: send a smaller one.',
      reason: 'BODY_TOO_LARGE',
    },
  },
  RequestTimeout: {
    REQUEST_TIMEOUT: {
      message: 'No byte of the body arrived for 60 seconds. Send the request again.',
      reason: 'BODY_STALLED',
    },
  },
  UnsupportedMediaType: {
    UNSUPPORTED_MEDIA_TYPE: {
      message: 'Send JSON: Content-Type: application/json.',
      reason: 'OTHER_MEDIA_TYPE',
    },
  },
  ReleaseGone: {
    RELEASE_GONE: {
      message:
        'This API key is pinned to release 1.0, which has ended: set its release to "current".',
    },
  },
  RateLimited: {
    RATE_LIMITED: {
      message: 'This API key may make 60 requests a minute. Try again in 41 s.',
      reason: 'RATE_OF_KEY',
    },
  },
  MappingFailed: {
    MAPPING_ERROR: {
      message: 'lines[0].article: The mapping expects an object here, not a string.',
      problems: [
        {
          reason: 'TYPE_MISMATCH',
          rule: 'items[].sku_code',
          at: 'lines[0].article',
          expected: 'object',
          found: 'string',
        },
      ],
    },
  },
  PreconditionFailed: {
    PRECONDITION_FAILED: {
      message:
        'The order is at version 8, which If-Match does not name. Read it again before you change it.',
    },
  },
  InternalError: {
    INTERNAL_ERROR: {
      message: 'Something went wrong on our side. If it happens again, send us the request_id.',
    },
  },
  Unavailable: {
    UNAVAILABLE: {
      message: 'The database cannot be reached just now. Nothing was changed: try again.',
      reason: 'DATABASE_UNREACHABLE',
    },
  },
}

const DESCRIPTIONS: Record<Status, string> = {
  400: 'The request is wrong, or a rule refuses it. Do not send it again unchanged.',
  401: 'The key is unknown, mistyped, revoked or expired.',
  403: 'The key is missing, or it may not do this, or the request came over plain HTTP.',
  404: 'No record has this identifier.',
  405: 'The path does not accept this method.',
  408: 'The body stopped arriving. Nothing was changed: send the request again.',
  409: 'The request conflicts with an existing record.',
  410: "The key's release has ended: set it to `current`. Or the cursor of a feed has expired: begin anew.",
  412: 'The record has another version than `If-Match` names. `ETag` has its version; read it again.',
  413: 'The body is larger than 10,485,760 bytes, or becomes so by its mapping. Send a smaller one.',
  415: 'The body is not JSON in UTF-8, or it is compressed.',
  422: "The partner's mapping does not fit the document. `problems` says where.",
  429: 'The key has reached its rate limit, or its address has sent too many unknown keys. Wait `Retry-After` seconds.',
  500: 'We made an error. Nothing was changed, unless the message says otherwise.',
  503: 'We cannot serve the request now. Nothing was changed, unless the message says otherwise. Retry after `Retry-After` seconds.',
}

const OTHER_ERROR: ZodOpenApiResponseObject = {
  description:
    'Today there are no other errors; a future one has this shape. Expect 429, 502, 503 and 504 with any body from proxies between us.',
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
    },
  },
}

/** The error if the workspace has no room for another identifier field. */
export function tooManyFieldsError(setting: string) {
  const message =
    'A workspace can have at most 20 identifier fields besides id, order_number, sku, code and external_order_id: name one that is already in use, or remove another first.'
  const reason = 'TOO_MANY_IDENTIFIER_FIELDS' as const
  return { message, reason, fields: { [setting]: [message] } }
}

/** The example of an error with this reason. */
export function because<Reason extends ErrorReason, Example extends ErrorExample>(
  reason: Reason,
  example: Example,
) {
  return { reason, ...example }
}

/** The example of an error that the code throws. */
export function thrown({ code, message, details: { reason, fields } }: ApiError): ErrorExamples {
  return { [code]: { ...(reason && { reason }), message, ...(fields && { fields }) } }
}

/** The error of an identifier that no record has. */
export function unknownRecord(message: string) {
  return because('UNKNOWN_RECORD', { message })
}

/** The error of one wrong field. */
export function wrong(field: string, message: string): ErrorExample {
  return { message: `${field}: ${message}`, fields: { [field]: [message] } }
}

/** Of a rule that refuses these parameters together. */
export function together(message: string, ...names: string[]) {
  const reason = 'CONFLICTING_PARAMETERS' as const
  return { message, reason, fields: Object.fromEntries(names.map((name) => [name, [message]])) }
}

/** The responses that several endpoints of an area share, by name. */
export function sharedResponses(area: ApiArea): Record<string, ZodOpenApiResponseObject> {
  const entries = Object.entries(SHARED).flatMap(([name, examples]) => {
    const own = examplesIn(area, examples)
    return own ? [[name, responseOf(area, own)] as const] : []
  })
  return { ...Object.fromEntries(entries), OtherError: OTHER_ERROR }
}

/** Every error that the endpoint of this route may return, by status. `errors` are its own. */
export function errorResponses(
  area: ApiArea,
  route: Contract,
  errors: ErrorExamples,
): ZodOpenApiResponsesObject {
  return responsesOf(area, sharedBy(area, route), errors)
}

/** The shared responses of these names, and the other errors, by status. `means` says it otherwise than usual. */
export function responsesOf(
  area: ApiArea,
  shared: string[],
  errors: ErrorExamples,
  means: Partial<Record<Status, string>> = {},
): ZodOpenApiResponsesObject {
  const responses: ZodOpenApiResponsesObject = {
    default: { $ref: '#/components/responses/OtherError' },
  }
  for (const name of shared) {
    responses[`${statusOf(SHARED[name] ?? {})}`] = { $ref: `#/components/responses/${name}` }
  }
  const own = Object.entries(errors) as [ErrorCode, ErrorExample][]
  for (const [status, entries] of Map.groupBy(own, ([code]) => STATUS[code])) {
    const response = responseOf(area, Object.fromEntries(entries))
    responses[`${status}`] = { ...response, ...(means[status] && { description: means[status] }) }
  }
  return responses
}

function sharedBy(area: ApiArea, { body, isMapped, condition }: Contract): string[] {
  return [
    'KeyRefused',
    'AccessRefused',
    ...(area === 'integrations' ? ['ReleaseGone'] : []),
    'RateLimited',
    // Also of a body that is only read to warn that it has no effect.
    ...(body !== undefined ? ['RequestTimeout', 'PayloadTooLarge', 'UnsupportedMediaType'] : []),
    ...(condition === 'If-Match' ? ['PreconditionFailed'] : []),
    ...(isMapped ? ['MappingFailed'] : []),
    'InternalError',
    'Unavailable',
  ]
}

const SETTING_CHANGED = {
  message:
    'The partner has been changed since: it is at version 27. Read it again before you change it.',
}

/** The settings API has no off-switch, no releases and no mapped bodies. */
function examplesIn(area: ApiArea, examples: ErrorExamples): ErrorExamples | null {
  if (area === 'integrations') return examples
  const { WORKSPACE_DISABLED, MAPPING_ERROR, RELEASE_GONE, ...own } = examples
  if (own.PRECONDITION_FAILED) own.PRECONDITION_FAILED = SETTING_CHANGED
  if (own.SCOPE_MISSING) {
    own.SCOPE_MISSING = {
      ...own.SCOPE_MISSING,
      message: 'This API key lacks the scope settings.keys.write.',
    }
  }
  return Object.keys(own).length > 0 ? own : null
}

function responseOf(area: ApiArea, examples: ErrorExamples): ZodOpenApiResponseObject {
  const status = statusOf(examples)
  return {
    description: DESCRIPTIONS[status],
    headers: { ...headersOf(area, status), ...DRY_RUN_ADDED },
    content: {
      'application/json': {
        schema: errorEnvelope(Object.keys(examples)),
        examples: Object.fromEntries(
          Object.entries(examples).map(([code, error]) => [code, { value: bodyOf(code, error) }]),
        ),
      },
    },
  }
}

/** The body of this error, in an example. */
export function bodyOf(code: string, error: ErrorExample) {
  return {
    success: false,
    error: { code, ...error },
    detail: error.message,
    request_id: '5f0c1c9e-7d7b-4c39-8a35-0f2b1f6f3f57',
  }
}

function statusOf(examples: ErrorExamples): Status {
  const [code] = Object.keys(examples) as ErrorCode[]
  return code ? STATUS[code] : 500
}
