export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'SERVICE_ERROR'
  | 'NOT_FOUND'
  | 'MAPPING_ERROR'
  | 'DUPLICATE'
  | 'IN_USE'
  | 'PRECONDITION_FAILED'
  | 'CURSOR_EXPIRED'
  | 'KEY_MISSING'
  | 'KEY_INVALID'
  | 'KEY_EXPIRED'
  | 'SCOPE_MISSING'
  | 'WORKSPACE_DISABLED'
  | 'CROSS_ORIGIN'
  | 'HTTPS_REQUIRED'
  | 'METHOD_NOT_ALLOWED'
  | 'RELEASE_GONE'
  | 'REQUEST_TIMEOUT'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RATE_LIMITED'
  | 'INTERNAL_ERROR'
  | 'UNAVAILABLE'

/** Names a rule for which a release has another status than for the error's code. */
export type ErrorReason = 'SHIPPED_ORDER_STAYS' | 'STORAGE_FULL'

/** Messages by field; a nested field is a path, `items[3].quantity`. */
export type FieldErrors = Record<string, string[]>

export interface ErrorDetails {
  reason?: ErrorReason
  fields?: FieldErrors
  /** Why a mapping failed (mapping/problem.ts). */
  problems?: readonly object[]
  /** The methods that the path accepts, for `Allow`. */
  allow?: string[]
  /** The record as it is, for `ETag`. */
  found?: { id: string; version: number }
  /** Whole seconds, for `Retry-After`. */
  retryAfter?: number
}

/** Every error that a caller may see. The message is sent as it is: write it for the caller. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.details = details
  }
}

/** 400 VALIDATION_ERROR. Its message repeats the first field's; `fields` must not be empty. */
export function invalid(fields: FieldErrors): ApiError {
  const [[field, messages], ...rest] = Object.entries(fields) as [[string, string[]]]
  const more = rest.length > 0 ? ` (and ${rest.length} more, see fields)` : ''
  return new ApiError('VALIDATION_ERROR', `${field}: ${messages[0]}${more}`, { fields })
}

/** 400 SERVICE_ERROR: a rule refuses the value of this field of the body. */
export function brokenRule(field: string, message: string, reason?: ErrorReason): ApiError {
  const fields = { [field]: [message] }
  return new ApiError('SERVICE_ERROR', message, { fields, ...(reason && { reason }) })
}

/** 400 VALIDATION_ERROR: no list has these parameters together. */
export function notTogether(names: string[], message: string): ApiError {
  const fields = Object.fromEntries(names.map((name) => [name, [message]]))
  return new ApiError('VALIDATION_ERROR', message, { fields })
}

/** 503 UNAVAILABLE with `Retry-After: 1`: the same request may succeed in a moment. */
export function unavailable(message: string): ApiError {
  return new ApiError('UNAVAILABLE', message, { retryAfter: 1 })
}

/** 503 UNAVAILABLE: only the operator can make room (docs/operations.md). */
export function storageFull(retryAfter: number): ApiError {
  const message =
    'The database of this warehouse is full. Nothing was changed. Reading goes on; the operator of Crossdock has to make room.'
  return new ApiError('UNAVAILABLE', message, { reason: 'STORAGE_FULL', retryAfter })
}

/** 403 KEY_MISSING. */
export function keyMissing(): ApiError {
  return new ApiError('KEY_MISSING', 'No API key: send it in the X-API-Key header.')
}

/** 403 HTTPS_REQUIRED. */
export function httpsRequired(): ApiError {
  const message =
    'Send requests to https://. This one came over plain HTTP and was not processed. If it had an API key, others may have read it: replace that key.'
  return new ApiError('HTTPS_REQUIRED', message)
}

/** 401 KEY_INVALID: the same for every key that is of no use here. */
export function keyInvalid(): ApiError {
  return new ApiError('KEY_INVALID', 'Invalid API key.')
}

/** 404 NOT_FOUND: of the host, not of a record. */
export function noTenant(): ApiError {
  return new ApiError('NOT_FOUND', 'No tenant is served at this host.')
}
