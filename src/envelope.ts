import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AppEnv } from './env.ts'
import type { ApiError, ErrorCode } from './errors.ts'
import { hideKeys } from './identity/key.ts'
import { cutPage } from './pagination.ts'
import { sourced, sourcesOf } from './source.ts'
import { UNUSED_MAX, type Warning } from './warnings.ts'

const WARNINGS_MAX = 100

/** Spec 5 and 7; the codes beyond the spec's are in docs/decisions.md. */
export const STATUS = {
  VALIDATION_ERROR: 400,
  SERVICE_ERROR: 400,
  KEY_INVALID: 401,
  KEY_EXPIRED: 401,
  KEY_MISSING: 403,
  SCOPE_MISSING: 403,
  WORKSPACE_DISABLED: 403,
  CROSS_ORIGIN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  DUPLICATE: 409,
  IN_USE: 409,
  RELEASE_GONE: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  MAPPING_ERROR: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
} satisfies Record<ErrorCode, ContentfulStatusCode>

/**
 * 200 with a record or several, as the caller's outbound mapping shows them; what had no effect is
 * named in `warnings`, which is left out when empty.
 */
export function ok(c: Context<AppEnv>, data: object, warnings: Warning[] = []): Response {
  return success(c, 200, { data: shown(c, data) }, warnings)
}

/** 201 with `data`, as `ok`. */
export function created(c: Context<AppEnv>, data: object, warnings: Warning[] = []): Response {
  return success(c, 201, { data: shown(c, data) }, warnings)
}

/**
 * 200 with a list; in a release without pages, without `pagination`. `rows` may hold one more than
 * `limit`: that one only says that more follow.
 */
export function page<Row extends { seq: number }>(
  c: Context<AppEnv>,
  resource: string,
  limit: number,
  rows: Row[],
): Response {
  const cut = cutPage(c.get('caller').tenant, resource, rows, limit)
  const data = shown(
    c,
    cut.rows.map(({ seq, ...record }) => record),
  )
  if (c.get('change')?.isUnpaged) return success(c, 200, { data }, [])
  return success(c, 200, { data, pagination: { limit, next_cursor: cut.next_cursor } }, [])
}

/**
 * 200 with an array that is written as it is read, one chunk of records after the other. A failure
 * on the way breaks the connection off: half an array is never closed as if it were whole.
 */
export function stream(c: Context<AppEnv>, chunks: AsyncIterable<object[]>): Response {
  const text = encodeEnvelope(c, chunks)[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  const { request_id } = c.get('exchange')
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await text.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      } catch {
        console.error(JSON.stringify({ event: 'stream_broken', request_id }))
        controller.error(new Error('The list broke off.'))
      }
    },
  })
  return c.body(body, 200, { 'Content-Type': 'application/json' })
}

/** What every error brings, whatever its body: its headers and its code for the audit row. */
export function announceError(c: Context<AppEnv>, error: ApiError): ContentfulStatusCode {
  const { allow, retryAfter, reason } = error.details
  if (allow) c.header('Allow', allow.join(', '))
  if (retryAfter) c.header('Retry-After', String(retryAfter))
  const status = c.get('release').statuses[reason ?? error.code] ?? STATUS[error.code]
  c.get('exchange').error = { code: error.code, status }
  return status
}

/** The one shape of every error of the API; `detail` repeats the message where spec 5 looks for it. */
export function renderError(c: Context<AppEnv>, error: ApiError): Response {
  const status = announceError(c, error)
  const { code, message } = error
  const { fields, problems } = error.details
  const body = {
    success: false,
    error: {
      code,
      message,
      ...(fields && { fields, ...sourcesOf(Object.keys(fields), c.get('sourceOf')) }),
      ...(problems && { problems }),
    },
    detail: message,
    request_id: c.get('exchange').request_id,
  }
  const text = hideKeys(JSON.stringify(body))
  return c.body(text, status, { 'Content-Type': 'application/json' })
}

function success(
  c: Context<AppEnv>,
  status: 200 | 201,
  body: { data: object; pagination?: object },
  more: Warning[],
): Response {
  const warnings = listed(c, more)
  return c.json({ success: true, ...body, ...(warnings.length > 0 && { warnings }) }, status)
}

/** As the caller's release has a record, and then as the outbound mapping makes it. */
function shown(c: Context<AppEnv>, data: object): object {
  const [outbound, fields] = [c.get('outbound'), c.get('change')?.shows]
  if (!outbound && !fields) return data
  const show = (record: object) => {
    const released = fields ? only(record, fields) : record
    return outbound ? outbound(released) : released
  }
  return Array.isArray(data) ? data.map(show) : show(data)
}

function only(record: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => fields.includes(name)))
}

/** What the rules of the resource say comes first: what had no effect may be more than is listed. */
function listed(c: Context<AppEnv>, more: Warning[]): Warning[] {
  const warnings = [
    ...more.map((warning) => sourced(warning, c.get('sourceOf'))),
    ...c.get('warnings'),
  ]
  const unlisted = warnings.length - WARNINGS_MAX
  if (unlisted <= 0) return warnings
  const least = warnings.length >= UNUSED_MAX ? 'At least ' : ''
  const message = `${least}${unlisted} more warnings are not listed.`
  return [...warnings.slice(0, WARNINGS_MAX), { field: 'warnings', message }]
}

async function* encodeEnvelope(c: Context<AppEnv>, chunks: AsyncIterable<object[]>) {
  const warnings = listed(c, [])
  let separator = ''
  yield '{"success":true,"data":['
  for await (const records of chunks) {
    if (records.length === 0) continue
    yield separator + JSON.stringify(shown(c, records)).slice(1, -1)
    separator = ','
  }
  yield warnings.length > 0 ? `],"warnings":${JSON.stringify(warnings)}}` : ']}'
}
