import { errorText, STATUS } from '../engine/answers/error-text.ts'
import type { ApiError } from '../engine/errors.ts'
import { HSTS } from '../engine/identity/https.ts'
import { loggedPath } from '../engine/identity/logged-path.ts'
import type { Visit } from './groups.ts'

/** The error as the API sends and logs it. */
export function refuse(
  { method }: Request,
  url: URL,
  { code, message, details }: ApiError,
  { request_id }: Visit,
): Response {
  const refusal = { event: 'refused', request_id, method, path: loggedPath(url), error_code: code }
  console.warn(JSON.stringify(refusal))
  const { retryAfter, reason } = details
  return new Response(errorText({ code, message, ...(reason && { reason }) }, request_id), {
    status: STATUS[code],
    headers: {
      'Content-Type': 'application/json',
      'X-Request-Id': request_id,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...(url.protocol === 'https:' && { [HSTS.name]: HSTS.value }),
      ...(retryAfter && { 'Retry-After': String(retryAfter) }),
    },
  })
}
