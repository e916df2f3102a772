import * as z from 'zod'
import type { ZodOpenApiComponentsObject } from 'zod-openapi'
import { STATUS } from '../envelope.ts'
import { RESOURCES } from '../mapping/identifier.ts'
import { MESSAGES } from '../mapping/problem.ts'
import { RELEASE_GUIDE } from '../middleware/release.ts'
import { LIMIT_DEFAULT, LIMIT_MAX } from '../pagination.ts'

/** The two APIs, each with a document of its own. */
export type Area = 'integrations' | 'settings'

type Headers = NonNullable<ZodOpenApiComponentsObject['headers']>
type Parameter = NonNullable<ZodOpenApiComponentsObject['parameters']>[string]

/** Gives a schema its name in the document; one that has none is written out where it is used. */
export function named<Schema extends z.ZodType>(name: string, schema: Schema): Schema {
  z.globalRegistry.add(schema, { id: name })
  return schema
}

const Sources = z.record(z.string(), z.string())

export const FieldErrors = named('FieldErrors', z.record(z.string(), z.array(z.string())))

export const Problem = named(
  'Problem',
  z.object({
    reason: z.enum(Object.keys(MESSAGES)),
    rule: z.string().optional(),
    at: z.string(),
    source: z.string().optional(),
    expected: z.union([z.string(), z.int()]).optional(),
    found: z.union([z.string(), z.int()]).optional(),
  }),
)

/** The body of an error with one of these codes. */
export function errorEnvelope(codes: string[], code: z.ZodType<string> = z.enum(codes)) {
  return z.object({
    success: z.literal(false),
    error: z.object({
      code,
      message: z.string(),
      fields: FieldErrors.optional(),
      source: Sources.optional(),
      problems: z.array(Problem).optional(),
    }),
    detail: z.string(),
    request_id: z.string(),
  })
}

// A form of the dashboard is refused by that one, and nothing else.
const CODES = Object.keys(STATUS).filter((code) => code !== 'CROSS_ORIGIN')

/** Any error. */
export const AnyError = named('Error', errorEnvelope(CODES, named('ErrorCode', z.enum(CODES))))

export const Warning = named(
  'Warning',
  z.object({ field: z.string(), message: z.string(), source: z.string().optional() }),
)

export const Pagination = named(
  'Pagination',
  z.object({
    limit: z.int().min(1).max(LIMIT_MAX),
    next_cursor: z.string().nullable(),
  }),
)

const HEADERS = {
  RequestId: {
    description: 'The id of this request, as in the audit log. Tell it when you ask about one.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: '5f0c1c9e-7d7b-4c39-8a35-0f2b1f6f3f57',
  },
  CacheControl: {
    description: 'No answer may be stored.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  ServerTiming: {
    description:
      'Where the key was found, and what D1 took: its time in ms, round trips, rows read. Absent where the key was not recognised.',
    schema: { type: 'string' },
    example: 'key;desc="isolate", d1;dur=3;desc="round trips 1, rows read 4"',
  },
  RetryAfter: {
    description: 'Seconds to wait, at least, before the same request is sent again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  RateLimitRemaining: {
    description:
      'How many requests the key has left in the current minute. Absent where it has no rate limit.',
    schema: { type: 'integer', minimum: 0 },
    example: 59,
  },
  Deprecation: {
    description:
      'To a key that is pinned to a deprecated release: since when, as `@<unix seconds>` (RFC 9745).',
    schema: { type: 'string', pattern: '^@\\d+$' },
    example: '@1796083200',
  },
  Sunset: {
    description:
      'To a key that is pinned to a deprecated release: when it ends, as an HTTP date (RFC 8594). From then on the answer is 410.',
    schema: { type: 'string' },
    example: 'Wed, 01 Dec 2027 00:00:00 GMT',
  },
  Link: {
    description: 'Where the deprecation and the sunset are explained.',
    schema: { type: 'string' },
    example: `<${RELEASE_GUIDE}>; rel="deprecation"; type="text/html"`,
  },
} satisfies Headers

const limit: Parameter = {
  name: 'limit',
  in: 'query',
  description: 'How many records to give at most.',
  schema: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
}

const cursor: Parameter = {
  name: 'cursor',
  in: 'query',
  description: "The last answer's `pagination.next_cursor`. Without it: the newest records.",
  schema: { type: 'string' },
}

const identifier: Parameter = {
  name: 'identifier',
  in: 'path',
  required: true,
  description:
    "Which record, percent-encoded (`A/01` is `A%2F01`). Of orders the `order_number`, of products the `sku`, of locations the `code`; for a partner's key, the field that its settings name. Of inventory always a location code or SKU.",
  schema: { type: 'string', minLength: 1 },
  example: 'SO-2001',
}

const id: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: "The record's `id`.",
  schema: { type: 'string', format: 'uuid' },
}

const resource: Parameter = {
  name: 'resource',
  in: 'path',
  required: true,
  description: 'What the mapping is of.',
  schema: { type: 'string', enum: [...RESOURCES] },
}

/** Those that several endpoints have, by area and name. */
export const PARAMETERS: Record<Area, Record<string, Parameter>> = {
  integrations: { limit, cursor, identifier },
  settings: { limit, cursor, id, resource },
}

/** The headers that answers of the area may have, by name. */
export function headersIn(area: Area): Headers {
  const { Deprecation, Sunset, Link, ...shared } = HEADERS
  return area === 'integrations' ? HEADERS : shared
}

/** Of every answer; one that asks to wait says for how long. */
export function headersOf(area: Area, status: number) {
  const ref = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` })
  return {
    'X-Request-Id': ref('RequestId'),
    'Cache-Control': ref('CacheControl'),
    'Server-Timing': ref('ServerTiming'),
    'X-RateLimit-Remaining': ref('RateLimitRemaining'),
    ...([429, 503].includes(status) && { 'Retry-After': ref('RetryAfter') }),
    ...(area === 'integrations' && {
      Deprecation: ref('Deprecation'),
      Sunset: ref('Sunset'),
      Link: ref('Link'),
    }),
  }
}
