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
  | 'SIGNATURE_INVALID'
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

/**
 * What tells unlike errors with one code apart, and what it means. An error whose code is here has a reason; those of
 * `Optional` may have none. The reference lists them.
 */
export const REASONS = {
  VALIDATION_ERROR: {
    MALFORMED_JSON: 'The body is not JSON in UTF-8.',
    MALFORMED_BODY: 'The body is not CSV, not a form, or not in its charset.',
    NOT_AN_OBJECT: 'The body is JSON, and neither an object nor what the mapping takes.',
    BODY_TOO_COMPLEX: 'The body has too many values or levels, or a number with too many digits.',
    INCOMPLETE_BODY: 'The body ended before all of it had arrived.',
    REQUEST_TOO_LONG: 'The address or a header is too long.',
    UNKNOWN_PARAMETER: 'The list does not know a query parameter.',
    CONFLICTING_PARAMETERS: 'These parameters or fields do not go together.',
    INVALID_CURSOR: 'The cursor is not one of this list.',
    DUPLICATE_ORDER_NUMBER:
      'An order with this number exists. On a retry: the first attempt succeeded.',
    OTHER_RECORD: 'The body of a PUT has the name or id of another record.',
  },
  SERVICE_ERROR: {
    UNKNOWN_SKU: 'A line names a product that does not exist.',
    SHIPPED_ORDER_STAYS: 'The order is shipped, so it cannot be cancelled.',
    ORDER_IS_FINAL: 'The order is shipped or cancelled, so its status cannot change.',
    AMBIGUOUS_IDENTIFIER: 'Several records have this identifier.',
    NO_IDENTIFIER_FIELD: 'Release 1.0: no setting names the identifier field.',
    NO_DRY_RUN: 'Release 1.0: there are no dry runs.',
    EXPORT_TOO_LARGE: 'A mapped record is too large for an export.',
    TOO_MANY_KEYS: 'The workspace has as many live API keys as it may.',
    UNKNOWN_CODE: 'The partner has no such item code.',
    TOO_MANY_ITEM_CODES: 'The partner has as many item codes of this kind as it may.',
    TOO_MANY_PARTNERS: 'The workspace has as many partners as it may.',
    TOO_MANY_IDENTIFIER_FIELDS: 'The workspace has as many identifier fields as it may.',
    LAST_SETTINGS_KEY: 'Without this key, nobody could manage keys.',
    KEY_CANNOT_ROTATE: 'The key, its partner or its release has ended.',
    PARTNER_DELETED: 'The partner has been deleted.',
    OWN_ORDERS_WITHOUT_PARTNER: 'A key without a partner has no own orders.',
    CANNOT_UNDO: 'The request cannot be undone.',
    CANNOT_SEND_AGAIN: 'The request is none that can be sent again.',
    SUPERSEDED:
      'A later request has changed the same record, or has brought the same and was accepted.',
    REDACTED: 'The document lacks values that were redacted, and that the mapping reads.',
  },
  DUPLICATE: {
    ALREADY_EXISTS: 'A record of this name exists. On a retry: the first attempt succeeded.',
    EXISTS_INACTIVE: 'The product or location exists and is inactive.',
  },
  NOT_FOUND: {
    UNKNOWN_RECORD: 'The path exists, and no record has the identifier.',
    UNKNOWN_PATH: 'There is no such path.',
    NOT_IN_RELEASE: 'The release that the key is pinned to does not have the path.',
    UNKNOWN_HOST: 'No tenant is served at this host.',
    UNKNOWN_WEBHOOK: 'No webhook has this address, or it was revoked.',
    NO_DOCUMENT: 'The request exists, and its document was not kept or is deleted.',
  },
  SIGNATURE_INVALID: {
    SIGNATURE_MISSING:
      'The delivery has no signature or credentials where the webhook expects them.',
    SIGNATURE_MISMATCH: 'The signature or the credentials do not match the secret of the webhook.',
    TIMESTAMP_TOO_OLD: 'The signature is right, and older or newer than the webhook allows.',
  },
  SCOPE_MISSING: {
    KEY_LACKS_SCOPE: 'The key lacks a scope that the request needs.',
    GRANT_EXCEEDS_KEY: 'The key would grant another key what it may not do itself.',
    KEY_IS_OF_PARTNER: 'The key is linked to a partner, and may not do this whatever its scopes.',
  },
  RATE_LIMITED: {
    RATE_OF_KEY: 'The key has used its requests of this minute.',
    UNKNOWN_KEYS: 'The address has sent too many keys or hosts that do not exist.',
  },
  REQUEST_TIMEOUT: {
    BODY_STALLED: 'No byte of the body arrived for a minute.',
    BODY_TOO_SLOW: 'The body took too long, or took memory that others waited for.',
  },
  PAYLOAD_TOO_LARGE: {
    BODY_TOO_LARGE: 'The body is too large as sent.',
    MAPPED_TOO_LARGE: 'The mapping makes a document of the body that is too large.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    OTHER_MEDIA_TYPE:
      'The Content-Type is not that of JSON in UTF-8, or not that of a document that a mapping reads.',
    COMPRESSED_BODY: 'The body has a Content-Encoding that is not read.',
  },
  UNAVAILABLE: {
    DATABASE_UNREACHABLE: 'The database does not answer, or is not ready. Nothing was changed.',
    STORAGE_FULL: 'The database is full. Only the operator can help. Nothing was changed.',
    STORE_UNREACHABLE: 'The store of documents, archives or files does not answer.',
    WRITE_UNKNOWN: 'The write may or may not have been applied.',
    WRITE_APPLIED: 'The write was applied, and its result cannot be shown.',
    KEY_BUSY:
      'The key, or an address with many unknown keys, has as many requests in progress as it may.',
    TENANT_BUSY: 'The tenant has as many requests in progress as it may.',
    SERVER_BUSY: 'All tenants together have as many requests in progress as they may.',
    RECORD_CHANGING: 'Others are changing the same record or setting at this moment.',
    PAUSED:
      'The warehouse has paused the key, its partner or all integrations. Nothing was changed: send the request again later.',
    SETTINGS_CHANGING:
      'The settings changed while the request was running. Nothing was changed by it.',
    OUT_OF_TIME: 'The request was one of several, and there was no time left for it.',
    TENANT_NOT_ROUTED:
      'Where the tenant is served is not known at this moment, or does not answer.',
    SECRET_UNREADABLE: 'The secret of the webhook has to be entered again. Nothing was changed.',
    DELIVERIES_FULL:
      'As many deliveries wait as may. Nothing was changed: repair what they wait for.',
    NOT_SET_UP: 'The operator has not set up what the request needs.',
  },
  INTERNAL_ERROR: {
    WRITE_UNKNOWN: 'The write may or may not have been applied.',
    WRITE_APPLIED: 'The write was applied, and its result cannot be shown.',
  },
} as const satisfies Partial<Record<ErrorCode, Record<string, string>>>

/** Codes of which most errors need no reason: `fields` or `problems` say what is wrong, or nobody knows it. */
type Optional = 'VALIDATION_ERROR' | 'INTERNAL_ERROR'

type Explained = keyof typeof REASONS

export type ReasonOf<Code extends Explained> = { [C in Code]: keyof (typeof REASONS)[C] }[Code]

export type ErrorReason = ReasonOf<Explained>

/** Messages by field; a nested field is a path, `items[3].quantity`. */
export type FieldErrors = Record<string, string[]>

/** What has to be there first. */
export interface Missing {
  kind: 'product' | 'location' | 'product_code' | 'location_code'
  code: string
  /** Our own code of the same text would do as well. */
  orOwn?: boolean
}

export interface ErrorDetails {
  reason?: ErrorReason
  fields?: FieldErrors
  /** Why a mapping failed (engine/mapping/problem.ts). */
  problems?: readonly object[]
  /** The methods that the path accepts, for `Allow`. */
  allow?: string[]
  /** The record as it is, for `ETag`. */
  found?: { id: string; version: number }
  /** Answers do not have it. */
  missing?: Missing
  /** The scope that the key lacks. Only its message is in answers. */
  scope?: string
  /** When the pause ends that refused the request. Answers do not have it. */
  until?: string
  /** Whole seconds, for `Retry-After`. */
  retryAfter?: number
}

/** The reason that an error of this code has: one of the code's own. */
export type Reasoned<Code extends ErrorCode> = Code extends Explained
  ? Code extends Optional
    ? { reason?: ReasonOf<Code> }
    : { reason: ReasonOf<Code> }
  : { reason?: never }

type ErrorArguments = {
  [Code in ErrorCode]: Code extends Exclude<Explained, Optional>
    ? [code: Code, message: string, details: ErrorDetails & Reasoned<Code>]
    : [code: Code, message: string, details?: ErrorDetails & Reasoned<Code>]
}[ErrorCode]

/** Every error that a caller may see. The message is sent as it is: write it for the caller. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(...[code, message, details = {}]: ErrorArguments) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.details = details
  }

  /** The same in other words. */
  withMessage(message: string): ApiError {
    return new ApiError(...([this.code, message, this.details] as ErrorArguments))
  }
}

/** What `read` gives; null if it throws an ApiError. */
export function unlessRefused<Result>(read: () => Result): Result | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

/** What a log says of an error: the name of its class. Its message may hold what nobody may read. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}

/** 400 VALIDATION_ERROR. Its message repeats the first field's; `fields` must not be empty. */
export function invalid(fields: FieldErrors, reason?: ReasonOf<'VALIDATION_ERROR'>): ApiError {
  const [[field, messages], ...rest] = Object.entries(fields) as [[string, string[]]]
  const more = rest.length > 0 ? ` (and ${rest.length} more, see fields)` : ''
  const message = `${field}: ${messages[0]}${more}`
  return new ApiError('VALIDATION_ERROR', message, { fields, ...(reason && { reason }) })
}

/** 400 SERVICE_ERROR: a rule refuses the value of this field of the body. */
export function brokenRule(
  field: string,
  message: string,
  reason: ReasonOf<'SERVICE_ERROR'>,
): ApiError {
  return new ApiError('SERVICE_ERROR', message, { fields: { [field]: [message] }, reason })
}

/** 400 VALIDATION_ERROR: these parameters or fields do not go together. Each of them gets the message. */
export function notTogether(names: string[], message: string): ApiError {
  const fields = Object.fromEntries(names.map((name) => [name, [message]]))
  return new ApiError('VALIDATION_ERROR', message, { fields, reason: 'CONFLICTING_PARAMETERS' })
}

/** 404 NOT_FOUND: no record has the identifier of the path. */
export function noRecord(message: string): ApiError {
  return new ApiError('NOT_FOUND', message, { reason: 'UNKNOWN_RECORD' })
}

/** 403 SCOPE_MISSING: the key lacks this scope. */
export function lacksScope(scope: string): ApiError {
  const message = `This API key lacks the scope ${scope}.`
  return new ApiError('SCOPE_MISSING', message, { reason: 'KEY_LACKS_SCOPE', scope })
}

/** 503 UNAVAILABLE with `Retry-After: 1`: the same request may succeed in a moment. */
export function unavailable(message: string, reason: ReasonOf<'UNAVAILABLE'>): ApiError {
  return new ApiError('UNAVAILABLE', message, { retryAfter: 1, reason })
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

/** 401 KEY_INVALID: the same for every key of one form that is of no use here. */
export function keyInvalid(hint = ''): ApiError {
  return new ApiError('KEY_INVALID', `Invalid API key.${hint}`)
}

/** 404 NOT_FOUND: of the host, not of a record. */
export function noTenant(): ApiError {
  return new ApiError('NOT_FOUND', 'No tenant is served at this host.', { reason: 'UNKNOWN_HOST' })
}
