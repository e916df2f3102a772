import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { STATUS } from '../envelope.ts'
import type { ErrorCode, FieldErrors } from '../errors.ts'
import { type Area, errorEnvelope, headersOf } from './components.ts'

/** An error as one endpoint may give it, but for what is the same in all. */
export interface ErrorExample {
  message: string
  fields?: FieldErrors
  problems?: object[]
}

type Status = (typeof STATUS)[ErrorCode]

export type ErrorExamples = Partial<Record<ErrorCode, ErrorExample>>

/** What tells, of an endpoint, which errors it may give. */
export interface Fallible {
  area: Area
  /** It reads a body, be it only to name what in it has no effect. */
  takesBody: boolean
  /** The body may be in a partner's own words. */
  isMapped: boolean
  refuses: ErrorExamples
}

// The responses that are the same wherever they are given.
const SHARED: Record<string, ErrorExamples> = {
  KeyRefused: {
    KEY_INVALID: { message: 'Invalid API key.' },
    KEY_EXPIRED: { message: 'API key has expired.' },
  },
  AccessRefused: {
    KEY_MISSING: { message: 'No API key: send it in the X-API-Key header.' },
    SCOPE_MISSING: { message: 'This API key lacks the scope integrations.orders.write.' },
    WORKSPACE_DISABLED: { message: 'The integration is switched off in this workspace.' },
  },
  PayloadTooLarge: {
    PAYLOAD_TOO_LARGE: { message: 'The body is larger than 10485760 bytes.' },
  },
  UnsupportedMediaType: {
    UNSUPPORTED_MEDIA_TYPE: { message: 'Send JSON: Content-Type: application/json.' },
  },
  ReleaseGone: {
    RELEASE_GONE: {
      message:
        'This API key is pinned to release 1.0, which has ended: have its release set to "current".',
    },
  },
  RateLimited: {
    RATE_LIMITED: {
      message: 'This API key may make 60 requests a minute. Try again in 41 s.',
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
  InternalError: {
    INTERNAL_ERROR: {
      message: 'Something went wrong on our side. If it stays so, send us the request_id.',
    },
  },
  Unavailable: {
    UNAVAILABLE: {
      message: 'The database cannot be reached just now. Nothing was changed: try again.',
    },
  },
}

const DESCRIPTIONS: Record<Status, string> = {
  400: 'The request is wrong, or a rule says no. Do not send it again unchanged.',
  401: 'The key is unknown, mistyped, revoked or expired.',
  403: 'No key, or one that may not do this.',
  404: 'Nothing has this identifier.',
  405: 'The path answers other methods.',
  409: 'It collides with what is there.',
  410: 'The release that the key is pinned to has ended.',
  413: 'The body is larger than 10,485,760 bytes.',
  415: 'The body is not JSON in UTF-8, or it is compressed.',
  422: "The partner's mapping does not fit the document: `problems` says where.",
  429: 'The key has made as many requests in this minute as it may.',
  500: 'Our fault. Nothing was changed, unless the message says otherwise.',
  503: 'Come back after `Retry-After` seconds. Nothing was changed, unless the message says otherwise.',
}

const OTHER_ERROR: ZodOpenApiResponseObject = {
  description:
    'No other error is given today; one that will be has this shape. Be ready for 429, 502, 503 and 504 from anything between us, too, with any body.',
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
    },
  },
}

/** A field that is not as it must be. */
export function wrong(field: string, message: string): ErrorExample {
  return { message: `${field}: ${message}`, fields: { [field]: [message] } }
}

/** The shared responses of an area, by name. */
export function sharedResponses(area: Area): Record<string, ZodOpenApiResponseObject> {
  const entries = Object.entries(SHARED).flatMap(([name, examples]) => {
    const told = toldIn(area, examples)
    return told ? [[name, responseOf(area, told)] as const] : []
  })
  return { ...Object.fromEntries(entries), OtherError: OTHER_ERROR }
}

/** Every error that the endpoint may give, by status. */
export function errorResponses(endpoint: Fallible): ZodOpenApiResponsesObject {
  const responses: ZodOpenApiResponsesObject = {
    default: { $ref: '#/components/responses/OtherError' },
  }
  for (const name of sharedBy(endpoint)) {
    responses[`${statusOf(SHARED[name] ?? {})}`] = { $ref: `#/components/responses/${name}` }
  }
  const own = Object.entries(endpoint.refuses) as [ErrorCode, ErrorExample][]
  for (const [status, entries] of Map.groupBy(own, ([code]) => STATUS[code])) {
    responses[`${status}`] = responseOf(endpoint.area, Object.fromEntries(entries))
  }
  return responses
}

function sharedBy({ area, takesBody, isMapped }: Fallible): string[] {
  return [
    'KeyRefused',
    'AccessRefused',
    ...(area === 'integrations' ? ['ReleaseGone'] : []),
    'RateLimited',
    ...(takesBody ? ['PayloadTooLarge', 'UnsupportedMediaType'] : []),
    ...(isMapped ? ['MappingFailed'] : []),
    'InternalError',
    'Unavailable',
  ]
}

/** The off-switch does not close the settings, no release is about them, and nothing is mapped. */
function toldIn(area: Area, examples: ErrorExamples): ErrorExamples | null {
  if (area === 'integrations') return examples
  const { WORKSPACE_DISABLED, MAPPING_ERROR, RELEASE_GONE, ...told } = examples
  if (told.SCOPE_MISSING) {
    told.SCOPE_MISSING = { message: 'This API key lacks the scope settings.write.' }
  }
  return Object.keys(told).length > 0 ? told : null
}

function responseOf(area: Area, examples: ErrorExamples): ZodOpenApiResponseObject {
  const status = statusOf(examples)
  return {
    description: DESCRIPTIONS[status],
    headers: headersOf(area, status),
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

function bodyOf(code: string, error: ErrorExample) {
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
