import * as z from 'zod'
import { BODY_BYTES_MAX } from '../../engine/json/fields.ts'
import { check } from '../../middleware/validate.ts'
import type { Form } from '../form/form.ts'
import { carriedJson } from '../form/json-text.ts'
import { CONFIRMED, type Shape } from '../form/shape.ts'
import { sum } from '../parts/numbers.ts'
import { cut, ResultText } from '../run/run.ts'

/** So many records that stay are listed. All are counted. */
const STAYS_MAX = 1000

export const UNDO_RUN: Shape = {
  fields: [CONFIRMED, 'run', 'after', 'until', 'left', 'results'],
  bytesMax: BODY_BYTES_MAX,
}

const Count = z.int().min(0)
const CountText = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)

/** Counts by outcome. `stays` has the name of each record that stays, why, and the request that changed it last, or ''. */
const UndoResults = z.object({
  restored: Count,
  deactivated: Count,
  undone: Count,
  unchanged: Count,
  stayed: Count,
  stays: z.array(z.tuple([ResultText, ResultText, z.string().max(100)])).max(STAYS_MAX),
})
type UndoResults = z.output<typeof UndoResults>

const Run = z.object({
  id: z.uuid(),
  after: CountText,
  until: CountText,
  left: CountText,
  results: UndoResults,
})

/**
 * The records of an import that are still to be undone: from one place of the log to another. What is imported after the
 * question is not among them.
 */
export type UndoRun = z.output<typeof Run>

export function newUndoRun({ until, total }: { until: number; total: number }): UndoRun {
  const results = { restored: 0, deactivated: 0, undone: 0, unchanged: 0, stayed: 0, stays: [] }
  return { id: crypto.randomUUID(), after: 0, until, left: total, results }
}

/** The run as fields of a form. */
export function fieldsOfUndo({ id, after, until, left, results }: UndoRun): Record<string, string> {
  const numbers = { after: String(after), until: String(until), left: String(left) }
  return { run: id, ...numbers, results: JSON.stringify(results) }
}

/** The run of a submitted form. 400 VALIDATION_ERROR if there is none. */
export function undoOfForm(form: Form): UndoRun {
  const [after, until, left] = [form.text('after'), form.text('until'), form.text('left')]
  const numbers = { after, until, left }
  return check(Run, { id: form.text('run'), ...numbers, results: carriedJson(form.raw('results')) })
}

export function undoneIn({ stays, ...counts }: UndoResults): number {
  return sum(Object.values(counts))
}

export type UndoOutcome =
  | Exclude<keyof UndoResults, 'stayed' | 'stays'>
  | { stays: string; changed_by: string | null }

/** Adds the outcome of one record. */
export function addOutcome(
  { stays, ...counts }: UndoResults,
  name: string,
  outcome: UndoOutcome,
): UndoResults {
  if (typeof outcome === 'string') return { ...counts, stays, [outcome]: counts[outcome] + 1 }
  const one: UndoResults['stays'][number] = [
    cut(name),
    cut(outcome.stays),
    outcome.changed_by ?? '',
  ]
  return { ...counts, stays: [...stays, one].slice(0, STAYS_MAX), stayed: counts.stayed + 1 }
}
