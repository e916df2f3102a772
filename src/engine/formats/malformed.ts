import { ApiError } from '../errors.ts'

/** 400 for a body that is not what its Content-Type says. The message says what is wrong, and where. */
export function malformed(message: string): ApiError {
  return new ApiError('VALIDATION_ERROR', message, { reason: 'MALFORMED_BODY' })
}

/** 400 for a body that would take too much memory. */
export function tooComplex(message: string): ApiError {
  return new ApiError('VALIDATION_ERROR', message, { reason: 'BODY_TOO_COMPLEX' })
}
