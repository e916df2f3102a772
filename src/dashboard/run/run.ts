import * as z from 'zod'
import { BODY_BYTES_MAX } from '../../engine/json/fields.ts'
import { check } from '../../middleware/validate.ts'
import type { Form } from '../form/form.ts'
import { carriedJson } from '../form/json-text.ts'
import { CONFIRMED, type Shape } from '../form/shape.ts'

/** So many requests a run has at most: its form holds all of them. */
export const RUN_MAX = 1000

export const RUN: Shape = {
  fields: [CONFIRMED, 'run', 'ids', 'results'],
  bytesMax: BODY_BYTES_MAX,
}

const TEXT_LENGTH_MAX = 500

// A row of an upload that waits has the id of its request, a dot and its number.
const OF_ROW = /\.\d{1,7}$/

/** The id of a request, or of what waits. */
export const RunId = z
  .string()
  .refine((id) => z.uuid().safeParse(id.replace(OF_ROW, '')).success, 'Must be an id.')

/** A text of a result. */
export const ResultText = z.string().max(TEXT_LENGTH_MAX)

/**
 * What is still to be done, the oldest first, and the results of the rest. It was chosen when the administrator was asked:
 * what comes up meanwhile is not among it.
 */
export interface Run<Result> {
  id: string
  ids: string[]
  results: Result[]
}

/** A run after some of it was done. `Of` is what its form carries. */
export interface RunProgress<Of> {
  run: Of
  /** Why nothing more can be done just now. */
  stopped: string | null
}

export function newRun(ids: string[]): Run<never> {
  return { id: crypto.randomUUID(), ids, results: [] }
}

/** The run as hidden fields of a form. */
export function fieldsOfRun({ id, ids, results }: Run<object>): Record<string, string> {
  return {
    run: id,
    ids: ids.join(' '),
    // Without their names: there may be many.
    results: JSON.stringify(results.map((result) => Object.values(result))),
  }
}

/** The run of a submitted form, whose results have this schema. 400 VALIDATION_ERROR if there is none. */
export function runOfForm<Result>(form: Form, Result: z.ZodType<Result>): Run<Result> {
  const Run = z.object({
    id: z.uuid(),
    ids: z.array(RunId).min(1).max(RUN_MAX),
    results: z.array(Result).max(RUN_MAX),
  })
  const ids = form.text('ids').split(' ')
  return check(Run, { id: form.text('run'), ids, results: carriedJson(form.raw('results')) })
}

export function cut(text: string): string {
  const last = TEXT_LENGTH_MAX - 1
  return text.length <= TEXT_LENGTH_MAX ? text : `${text.slice(0, last).toWellFormed()}…`
}
