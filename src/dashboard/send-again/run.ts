import * as z from 'zod'
import { BODY_BYTES_MAX } from '../../engine/json/fields.ts'
import { check } from '../../middleware/validate.ts'
import type { Form } from '../form/form.ts'
import { CONFIRMED, type Shape } from '../form/shape.ts'

/** So many requests a run has at most: its form holds all of them. */
export const RUN_MAX = 1000

export const RUN: Shape = {
  fields: [CONFIRMED, 'run', 'ids', 'results'],
  bytesMax: BODY_BYTES_MAX,
}

const TEXT_LENGTH_MAX = 500

const Result = z
  .tuple([
    z.uuid(),
    z.string().max(TEXT_LENGTH_MAX),
    z.uuid().nullable(),
    z.int().nullable(),
    z.int(),
    z.string().max(TEXT_LENGTH_MAX),
  ])
  .transform(([replay_of, name, request_id, status, rows_failed, reason]) => ({
    replay_of,
    name,
    request_id,
    status,
    rows_failed,
    reason,
  }))

const Run = z.object({
  id: z.uuid(),
  ids: z.array(z.uuid()).min(1).max(RUN_MAX),
  results: z.array(Result).max(RUN_MAX),
})

/**
 * The requests that are still to be sent, the oldest first, and the results of the others. They were chosen when the
 * administrator was asked: what fails meanwhile is not among them.
 */
export type Run = z.output<typeof Run>

/** The result of a request. `request_id` and `status` are null if it was not sent, for the `reason`. */
export type Result = z.output<typeof Result>

/** Sent later, the same request may succeed. The run itself does not send it once more. */
export function isUnanswered(status: number | null): boolean {
  return status === 408 || (status ?? 0) >= 500
}

export function newRun(ids: string[]): Run {
  return { id: crypto.randomUUID(), ids, results: [] }
}

/** The run as hidden fields of a form. */
export function fieldsOfRun({ id, ids, results }: Run): Record<string, string> {
  return {
    run: id,
    ids: ids.join(' '),
    // Without their names: there may be many.
    results: JSON.stringify(results.map((result) => Object.values(result))),
  }
}

/** The run of a submitted form. 400 VALIDATION_ERROR if there is none. */
export function runOfForm(form: Form): Run {
  const ids = form.text('ids').split(' ')
  return check(Run, { id: form.text('run'), ids, results: jsonOf(form.raw('results')) })
}

export function cut(text: string): string {
  const last = TEXT_LENGTH_MAX - 1
  return text.length <= TEXT_LENGTH_MAX ? text : `${text.slice(0, last).toWellFormed()}…`
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
