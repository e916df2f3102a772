import * as z from 'zod'
import type { ZodOpenApiComponentsObject } from 'zod-openapi'
import { STATUS } from '../engine/answers/error-body.ts'
import { REASONS } from '../engine/errors.ts'
import { LIMIT_MAX } from '../engine/json/pagination.ts'
import { WARNING_CODES } from '../engine/json/warnings.ts'
import { MESSAGES } from '../engine/mapping/problem.ts'
import { RELEASE_GUIDE } from '../middleware/release.ts'

/** The two APIs. Each has its own document. */
export type ApiArea = 'integrations' | 'settings'

type Headers = NonNullable<ZodOpenApiComponentsObject['headers']>

/**
 * Makes a schema a component with this name; a schema without a name is written out wherever it is used.
 * `override` adds to its JSON schema.
 */
export function named<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  override?: object,
): Schema {
  z.globalRegistry.add(schema, { id: name, ...(override && { override }) })
  return schema
}

const Sources = z.record(z.string(), z.string())

export const ShownFieldErrors = named('FieldErrors', z.record(z.string(), z.array(z.string())))

export const ShownProblem = named(
  'Problem',
  z.object({
    reason: z.enum(Object.keys(MESSAGES)),
    rule: z.string().optional(),
    at: z.string(),
    source: z.string().optional(),
    expected: z.union([z.string(), z.int()]).optional(),
    found: z.union([z.string(), z.int()]).optional(),
    unit: z.enum(['bytes', 'values', 'objects', 'steps', 'records']).optional(),
  }),
)

/** What the body of an answer to a dry run has. */
export const DryRunMark = z
  .boolean()
  .describe('True in the response to a dry run: nothing has changed. No other response has it.')
  .optional()

/** Why, where errors with one code have unlike causes. */
export const AnyReason = named('ErrorReason', z.enum([...new Set(reasonNames())]))

function reasonNames(): string[] {
  return Object.values(REASONS).flatMap((reasons) => Object.keys(reasons))
}

function detailsOf(code: z.ZodType<string>) {
  return z.object({
    code,
    reason: AnyReason.optional(),
    message: z.string(),
    fields: ShownFieldErrors.optional(),
    source: Sources.optional(),
    problems: z.array(ShownProblem).optional(),
  })
}

/** The body of an error with one of these codes. */
export function errorEnvelope(codes: string[], code: z.ZodType<string> = z.enum(codes)) {
  return z.object({
    success: z.literal(false),
    dry_run: DryRunMark,
    error: detailsOf(code),
    detail: z.string(),
    request_id: z.string(),
  })
}

// Only the dashboard returns this code.
const CODES = Object.keys(STATUS).filter((code) => code !== 'CROSS_ORIGIN')

/** The body of any error. */
const AnyCode = named('ErrorCode', z.enum(CODES))
export const AnyError = named('Error', errorEnvelope(CODES, AnyCode))
export const AnyErrorDetails = named('RecordError', detailsOf(AnyCode))

const Compared = z.union([z.string(), z.number(), z.boolean(), z.null()])

export const ShownWarning = named(
  'Warning',
  z.object({
    field: z.string(),
    message: z.string(),
    source: z.string().optional(),
    code: z.enum(WARNING_CODES).optional(),
    differences: z
      .array(
        z.object({
          field: z.string(),
          source: z.string().optional(),
          sku_code: z.string().nullable(),
          stored: Compared,
          sent: Compared,
        }),
      )
      .optional(),
  }),
)

export const Pagination = named(
  'Pagination',
  z.object({
    limit: z.int().min(1).max(LIMIT_MAX),
    next_cursor: z.string().nullable(),
  }),
)

export const SearchPagination = named(
  'SearchPagination',
  Pagination.extend({
    searched_to: z.string().nullable(),
  }),
)

export const HistoryPagination = named(
  'HistoryPagination',
  Pagination.extend({
    complete_since: z.string(),
  }),
)

export const FeedPagination = named(
  'FeedPagination',
  z.object({
    limit: z.int().min(1).max(LIMIT_MAX),
    next_cursor: z.string(),
    has_more: z.boolean(),
  }),
)

/** The ETag of a record in examples. */
export const ETAG = '"7.e54d0960.1f0c9ad2be43"'

const HEADERS = {
  RequestId: {
    description:
      'The id of this request, as in the audit log. Quote it when you ask us about the request.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: '5f0c1c9e-7d7b-4c39-8a35-0f2b1f6f3f57',
  },
  CacheControl: {
    description: 'Responses must not be cached.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  ContentTypeOptions: {
    description: 'Clients must not guess another type than `Content-Type`.',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
  },
  ServerTiming: {
    description:
      'Where the key was found, and what the database took: milliseconds, round trips, rows read (not for a key with `own_orders_only`). Absent if the key was not found.',
    schema: { type: 'string' },
    example: 'key;desc="isolate", d1;dur=3;desc="round trips 1, rows read 4"',
  },
  RetryAfter: {
    description: 'How many seconds to wait, at least, before you send the request again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  ETag: {
    description:
      'The version of the record, for `If-Match` and `If-None-Match`. A dry run has none, nor has a key of release 1.0, nor a write whose result had to be read again if others may have changed the record in between.',
    schema: { type: 'string', pattern: '^"[1-9]\\d*\\.[0-9a-f]{8}\\.[0-9a-f]+"$' },
    example: ETAG,
  },
  DryRun: {
    description: 'Only of a dry run: nothing has changed.',
    schema: { type: 'string', const: 'true' },
  },
  ReadAfter: {
    description:
      'Only if the tenant has a key with near reads: names the state of the database after this write. A GET that sends it sees this write.',
    schema: { type: 'string' },
    example: `demo.0000012f-00000000-00004f2c-${'0'.repeat(32)}`,
  },
  RateLimitRemaining: {
    description:
      'How many requests the key has left in the current minute. Absent if it has no rate limit.',
    schema: { type: 'integer', minimum: 0 },
    example: 59,
  },
  Deprecation: {
    description:
      'Only for a key with a deprecated release: when that was deprecated, as `@<unix seconds>` (RFC 9745).',
    schema: { type: 'string', pattern: '^@\\d+$' },
    example: '@1796083200',
  },
  Sunset: {
    description:
      'Only for a key with a deprecated release: when that ends, as an HTTP date (RFC 8594). After that every request returns 410.',
    schema: { type: 'string' },
    example: 'Wed, 01 Dec 2027 00:00:00 GMT',
  },
  Link: {
    description: 'The page that explains the deprecation and the sunset.',
    schema: { type: 'string' },
    example: `<${RELEASE_GUIDE}>; rel="deprecation"; type="text/html"`,
  },
} satisfies Headers

/** Of an answer that may be CSV. */
const CSV_HEADERS = {
  ContentDisposition: {
    description:
      "Only of CSV: the file's name. That of the audit log ends with `-more-follow.csv` if more rows follow.",
    schema: { type: 'string' },
    example: 'attachment; filename="audit-log-demo-2026-11-21T12-07-50Z.csv"',
  },
  NextPage: {
    description: 'Only for `format=csv`: the next page (RFC 8288). Absent on the last page.',
    schema: { type: 'string' },
    example:
      '<https://demo.example/api/settings/v1/audit-log/?format=csv&cursor=Mi5kZW1v>; rel="next"',
  },
  SearchedTo: {
    description:
      'Only for `format=csv`, and only if the look-up stopped before the page was full: how far back it has searched. `Link` has the page that goes on from there.',
    schema: { type: 'string', format: 'date-time' },
    example: '2026-11-20T08:00:02.114Z',
  },
} satisfies Headers

/** Of an answer that may be an export. */
const EXPORT_HEADERS = {
  ContentDisposition: {
    description: "Only of an export: the file's name.",
    schema: { type: 'string' },
    example: 'attachment; filename="orders-demo-2026-11-21T12-07-50Z.csv"',
  },
  Vary: {
    description: 'Only of an export: the response depends on this header of the request.',
    schema: { type: 'string', const: 'Accept' },
  },
} satisfies Headers

/** The headers that responses of the area may have, by name. */
export function headersIn(area: ApiArea): Headers {
  const { Deprecation, Sunset, Link, ...shared } = HEADERS
  return area === 'integrations'
    ? { ...HEADERS, ...EXPORT_HEADERS }
    : { ...shared, ...CSV_HEADERS, Vary: EXPORT_HEADERS.Vary }
}

/** References to the headers that an answer as CSV adds. */
export const CSV_HEADERS_ADDED = {
  'Content-Disposition': { $ref: '#/components/headers/ContentDisposition' },
  Link: { $ref: '#/components/headers/NextPage' },
  'X-Searched-To': { $ref: '#/components/headers/SearchedTo' },
}

/** References to the headers that an export adds. */
export const EXPORT_HEADERS_ADDED = {
  'Content-Disposition': { $ref: '#/components/headers/ContentDisposition' },
  Vary: { $ref: '#/components/headers/Vary' },
}

/** A reference to the header that an answer with one record adds. */
export const ETAG_ADDED = { ETag: { $ref: '#/components/headers/ETag' } }

/** A reference to the header that marks the answer to a dry run. */
export const DRY_RUN_ADDED = { 'X-Dry-Run': { $ref: '#/components/headers/DryRun' } }

/** A reference to the header that the answer to a write may have. */
export const READ_AFTER_ADDED = { 'X-Read-After': { $ref: '#/components/headers/ReadAfter' } }

/** References to the headers of a response with this status. */
export function headersOf(area: ApiArea, status: number) {
  const ref = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` })
  return {
    'X-Request-Id': ref('RequestId'),
    'Cache-Control': ref('CacheControl'),
    'X-Content-Type-Options': ref('ContentTypeOptions'),
    'Server-Timing': ref('ServerTiming'),
    'X-RateLimit-Remaining': ref('RateLimitRemaining'),
    ...(status === 412 && ETAG_ADDED),
    ...([429, 503].includes(status) && { 'Retry-After': ref('RetryAfter') }),
    ...(area === 'integrations' && {
      Deprecation: ref('Deprecation'),
      Sunset: ref('Sunset'),
      Link: ref('Link'),
    }),
  }
}
