export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'SERVICE_ERROR'
  | 'NOT_FOUND'
  | 'MAPPING_ERROR'
  | 'DUPLICATE'
  | 'IN_USE'
  | 'KEY_MISSING'
  | 'KEY_INVALID'
  | 'KEY_EXPIRED'
  | 'SCOPE_MISSING'
  | 'WORKSPACE_DISABLED'
  | 'CROSS_ORIGIN'
  | 'METHOD_NOT_ALLOWED'
  | 'RELEASE_GONE'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RATE_LIMITED'
  | 'INTERNAL_ERROR'
  | 'UNAVAILABLE'

/** Which rule an error is about, where a release answers that one otherwise than its code. */
export type ErrorReason = 'SHIPPED_ORDER_STAYS'

/** Messages by field; a nested field is written as a path, `items[3].quantity`. */
export type FieldErrors = Record<string, string[]>

export interface ErrorDetails {
  reason?: ErrorReason
  fields?: FieldErrors
  /** Of a mapping that failed, see mapping/problem.ts. */
  problems?: readonly object[]
  /** The methods that the path does answer, for `Allow`. */
  allow?: string[]
  /** Whole seconds, for `Retry-After`. */
  retryAfter?: number
}

/** Every refusal that a caller may see. The message is written for the caller; it is sent as is. */
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

/** 400 VALIDATION_ERROR; its message repeats the first field's. `fields` holds at least one. */
export function invalid(fields: FieldErrors): ApiError {
  const [[field, messages], ...rest] = Object.entries(fields) as [[string, string[]]]
  const more = rest.length > 0 ? ` (and ${rest.length} more, see fields)` : ''
  return new ApiError('VALIDATION_ERROR', `${field}: ${messages[0]}${more}`, { fields })
}

/** 503 UNAVAILABLE: the same request may succeed in a moment. */
export function unavailable(message: string): ApiError {
  return new ApiError('UNAVAILABLE', message, { retryAfter: 1 })
}
