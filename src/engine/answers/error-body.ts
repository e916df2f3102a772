import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ErrorCode, ErrorReason } from '../errors.ts'
import { hideKeys } from '../identity/key.ts'

/** Spec 5 and 7. docs/api-guide.md lists the codes, also those that the spec does not have. */
export const STATUS = {
  VALIDATION_ERROR: 400,
  SERVICE_ERROR: 400,
  KEY_INVALID: 401,
  KEY_EXPIRED: 401,
  SIGNATURE_INVALID: 401,
  KEY_MISSING: 403,
  SCOPE_MISSING: 403,
  WORKSPACE_DISABLED: 403,
  CROSS_ORIGIN: 403,
  HTTPS_REQUIRED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  DUPLICATE: 409,
  IN_USE: 409,
  RELEASE_GONE: 410,
  CURSOR_EXPIRED: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  MAPPING_ERROR: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
} satisfies Record<ErrorCode, ContentfulStatusCode>

/** The body of every error of the API, without API keys; `detail` repeats the message for spec 5. */
export function errorBody(
  error: { code: ErrorCode; message: string; reason?: ErrorReason },
  request_id: string,
  mark: { dry_run?: true } = {},
): string {
  const body = { success: false, ...mark, error, detail: error.message, request_id }
  return hideKeys(JSON.stringify(body))
}
