import * as z from 'zod'
import { check } from '../../middleware/validate.ts'
import type { Form } from '../form/form.ts'
import { carriedJson } from '../form/json-text.ts'
import { sum } from '../parts/numbers.ts'
import { cut, ResultText } from '../run/run.ts'
import { CarriedRecord, carriedRows, carriedText } from './carried.ts'
import { IMPORTED_MAX } from './plan-records.ts'

/** So many failed rows are listed. All are counted. */
export const FAILURES_MAX = 1000

const Count = z.int().min(0)

/** What has become of rows. Of a failed one: its number, the record's name, and why. */
const Results = z.object({
  created: Count,
  changed: Count,
  same: Count,
  failed: Count,
  failures: z.array(z.tuple([z.int().min(1), ResultText, ResultText])).max(FAILURES_MAX),
})
export type Results = z.output<typeof Results>

/** What is still to be imported, in the order of the file, and the results of the rest. */
export interface ImportRun {
  id: string
  /** The request that has checked the table. Those of all rows name it. */
  check: string
  rows: CarriedRecord[]
  results: Results
}

export function newImport(check: string, rows: CarriedRecord[]): ImportRun {
  const results = { created: 0, changed: 0, same: 0, failed: 0, failures: [] }
  return { id: crypto.randomUUID(), check, rows, results }
}

/** The run as fields of a form. 400 VALIDATION_ERROR if its rows are too many for a form. */
export function fieldsOfImport({ id, check, rows, results }: ImportRun): Record<string, string> {
  return { run: id, check, rows: carriedText(rows), results: JSON.stringify(results) }
}

/** The run of a submitted form. 400 VALIDATION_ERROR if there is none. */
export function importOfForm(form: Form): ImportRun {
  const Rest = z.object({ run: z.uuid(), check: z.uuid(), results: Results })
  const { run: id, ...rest } = check(Rest, {
    run: form.text('run'),
    check: form.text('check'),
    results: carriedJson(form.raw('results')),
  })
  return { id, ...rest, rows: carriedRows(form, CarriedRecord, IMPORTED_MAX) }
}

export function doneIn({ failures, ...counts }: Results): number {
  return sum(Object.values(counts))
}

export type Outcome = 'created' | 'changed' | 'same' | { failed: string }

/** The results with that of one more row. */
export function addResult(
  { failures, ...counts }: Results,
  [row, , name]: CarriedRecord,
  outcome: Outcome,
): Results {
  if (typeof outcome === 'string') return { ...counts, failures, [outcome]: counts[outcome] + 1 }
  const listed: Results['failures'] = [...failures, [row, cut(name), cut(outcome.failed)]]
  return { ...counts, failures: listed.slice(0, FAILURES_MAX), failed: counts.failed + 1 }
}
