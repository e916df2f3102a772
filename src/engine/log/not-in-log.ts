import { type ApiError, noRecord } from '../errors.ts'
import { shortened } from '../json/messages.ts'

/** 404 for a request that the log does not have. `since`: older ones were not looked through. */
export function notInLog(id: string, since?: string): ApiError {
  const more =
    since === undefined
      ? ''
      : ` since ${since}. The list with request_id=${shortened(id)} goes on from there`
  return noRecord(`The audit log has no request with the id "${shortened(id)}"${more}.`)
}

/** 404 for a request that is to be sent again, which the database has to have. */
export function notInDatabase(id: string): ApiError {
  return noRecord(
    `The audit log has no request with the id "${shortened(id)}" that can be sent again: one in its archive can not.`,
  )
}
