import * as z from 'zod'
import { ResultText } from '../run/run.ts'

export const Result = z
  .tuple([z.uuid(), ResultText, z.uuid().nullable(), z.int().nullable(), z.int(), ResultText])
  .transform(([replay_of, name, request_id, status, rows_failed, reason]) => ({
    replay_of,
    name,
    request_id,
    status,
    rows_failed,
    reason,
  }))

/** The result of a request. `request_id` and `status` are null if it was not sent, for the `reason`. */
export type Result = z.output<typeof Result>

/** Sent later, the same request may succeed. The run itself does not send it once more. */
export function isUnanswered(status: number | null): boolean {
  return status === 408 || (status ?? 0) >= 500
}
