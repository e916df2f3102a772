import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AnsweredError, AppEnv } from '../env.ts'
import type { ApiError } from '../errors.ts'
import { holdAnswer } from '../exchange/documents.ts'
import { dryRunMark } from '../exchange/dry-run.ts'
import { tagOf, unusedHeaders } from '../exchange/etag.ts'
import { unknownParameters } from '../exchange/parameters.ts'
import { hideKeys } from '../identity/key.ts'
import { sourced, sourcesOf } from '../json/source.ts'
import { UNUSED_MAX, type Warning } from '../json/warnings.ts'
import { explain } from '../log/explanation.ts'
import { errorBody, STATUS } from './error-body.ts'
import { sendText } from './streaming.ts'

const UNUSED: Warning = {
  field: 'body',
  message: 'GET takes no body: it had no effect. Send filters as query parameters.',
}

const WARNINGS_MAX = 100

/**
 * 200 with one record or several, in the caller's release and outbound mapping. `warnings` lists what
 * had no effect, and is left out when empty.
 */
export function ok(c: Context<AppEnv>, data: object, warnings: Warning[] = []): Response {
  return success(c, 200, { data: shown(c, data) }, warnings)
}

/** 201, otherwise like `ok`. */
export function created(c: Context<AppEnv>, data: object, warnings: Warning[] = []): Response {
  return success(c, 201, { data: shown(c, data) }, warnings)
}

/** Sets the error's headers, and what the audit row says of it; returns its status. */
export function announceError(c: Context<AppEnv>, error: ApiError): ContentfulStatusCode {
  const { allow, retryAfter, found } = error.details
  if (allow) c.header('Allow', allow.join(', '))
  if (retryAfter) c.header('Retry-After', String(retryAfter))
  if (found) c.header('ETag', tagOf(c, found))
  c.get('exchange').error = answeredError(c, error)
  return statusOf(c, error)
}

export function answeredError(c: Context<AppEnv>, error: ApiError): AnsweredError {
  const partner = c.get('exchange').caller?.caller.partner
  let text: string | undefined
  const rules = () => {
    text ??= JSON.stringify(partner?.mappings ?? {})
    return text
  }
  const explanation = explain(error, { sourceOf: c.get('sourceOf'), rules })
  const { code, details } = error
  return { code, reason: details.reason ?? null, status: statusOf(c, error), explanation }
}

/** The error's status in the caller's release. */
export function statusOf(c: Context<AppEnv>, { code, details }: ApiError): ContentfulStatusCode {
  return c.get('release').statuses[details.reason ?? code] ?? STATUS[code]
}

/** The error as JSON, with what a mapping adds. */
export function renderError(c: Context<AppEnv>, error: ApiError): Response {
  const status = announceError(c, error)
  const { code } = error
  const { reason, fields, problems } = error.details
  const message = ledBySource(c, error)
  const details = {
    ...(reason && { reason }),
    ...(fields && { fields, ...sourcesOf(Object.keys(fields), c.get('sourceOf')) }),
    ...(problems && { problems }),
  }
  const { request_id } = c.get('exchange')
  const text = errorBody({ code, message, ...details }, request_id, dryRunMark(c))
  holdAnswer(c, text)
  return c.body(text, status, { 'Content-Type': 'application/json' })
}

/** With a mapping, the message begins with the path in the partner's own document. */
function ledBySource(c: Context<AppEnv>, { message, details }: ApiError): string {
  const [field] = Object.keys(details.fields ?? {})
  if (field === undefined) return message
  const source = sourcesOf([field], c.get('sourceOf')).source?.[field]
  if (source === undefined || source === field) return message
  const rest = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message
  return `${source}: ${rest}`
}

/** Sends `body` with the request's warnings; does not map its records. */
export function success(
  c: Context<AppEnv>,
  status: 200 | 201,
  body: { data: object; pagination?: object },
  more: Warning[] = [],
): Response {
  const text = JSON.stringify({
    success: true,
    ...dryRunMark(c),
    ...body,
    ...warningsOf(c, more),
  })
  return sendText(c, status, text)
}

/** `{warnings}`, or `{}` if there are none. */
export function warningsOf(c: Context<AppEnv>, more: Warning[] = []): { warnings?: Warning[] } {
  const warnings = listed(c, more)
  return warnings.length > 0 ? { warnings: warnings.map(withoutKeys) } : {}
}

/** A caller may send a key in place of a name. */
function withoutKeys(warning: Warning): Warning {
  const { field, message, source } = warning
  return {
    ...warning,
    field: hideKeys(field),
    message: hideKeys(message),
    ...(source !== undefined && { source: hideKeys(source) }),
  }
}

/** A function that gives a record the shape of the caller's release, then of its outbound mapping. */
export function showing(c: Context<AppEnv>): (record: object) => object {
  const [outbound, fields] = [c.get('outbound'), c.get('change')?.shows]
  return (record) => {
    const released = fields ? pick(record, fields) : record
    return outbound ? outbound(released) : released
  }
}

function shown(c: Context<AppEnv>, data: object): object {
  const show = showing(c)
  return Array.isArray(data) ? data.map(show) : show(data)
}

function pick(record: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => fields.includes(name)))
}

/** The resource's own warnings come first: those about unused fields may exceed the limit. */
function listed(c: Context<AppEnv>, more: Warning[]): Warning[] {
  const warnings = [
    ...(c.get('passedOver') ?? []),
    ...more.map((warning) => sourced(warning, c.get('sourceOf'))),
    // Here, for every success, so that no endpoint can forget it.
    ...unknownParameters(c),
    ...unusedHeaders(c),
    ...unusedBody(c),
    ...c.get('warnings'),
  ]
  const unlisted = warnings.length - WARNINGS_MAX
  if (unlisted <= 0) return warnings
  const least = warnings.length >= UNUSED_MAX ? 'At least ' : ''
  const message = `${least}${unlisted} more warnings are not listed.`
  return [...warnings.slice(0, WARNINGS_MAX), { field: 'warnings', message }]
}

/** A warning for the body of a read. Its fields are not read, so they are not named. None for requests without a key. */
export function unusedBody(c: Context<AppEnv>): Warning[] {
  if (c.req.method !== 'GET' || !c.get('exchange').caller) return []
  const { body } = c.req.raw
  const length = c.req.header('Content-Length')
  const isSent = length === undefined ? body !== null : Number(length) > 0
  return isSent ? [UNUSED] : []
}
