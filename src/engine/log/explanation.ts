import type { Explanation } from '../db/audit-row.ts'
import type { ApiError, FieldErrors } from '../errors.ts'
import { hideKeys } from '../identity/key.ts'
import { byteLength } from '../json/fields.ts'
import { type SourceOf, sourcesOf } from '../json/source.ts'
import { type Problem, problemMessage } from '../mapping/problem.ts'
import { fieldOfAnyElement, withoutKeys, withoutValue } from './values.ts'

const MESSAGE_LENGTH_MAX = 1000
const DETAILS_BYTES_MAX = 4096
/** Of an upload, and of every other list in the details. */
export const ROWS_EXPLAINED_MAX = 20
const FIELDS_LENGTH_MAX = 1000
// More do not fit.
const FIELDS_MAX = 100

/** The document that a request brought, as far as its errors name it. */
export interface Named {
  sourceOf?: SourceOf | undefined
  /** The texts of the partner's rules. A key of the document that they name may be stored. */
  rules: () => string
}

/** An error of an upload's row. */
export interface RowExplanation {
  row: number
  errors: FieldErrors
  source?: Record<string, string>
}

/**
 * What the audit log keeps of an error. It holds names, but no other values of a document: a value that the
 * error shows to the caller is told by its kind and length, unless it is an order number, a SKU, a location
 * code or a status.
 */
export function explain(error: ApiError, { sourceOf, rules }: Named): Explanation {
  const { fields, problems } = error.details as { fields?: FieldErrors; problems?: Problem[] }
  const path = (text: string) => withoutKeys(text, rules)
  if (problems) {
    const stored = problems.map((problem) => withoutValue(problem, path))
    const paths = stored.flatMap(({ at, source, rule }) => [at, source, rule])
    return explanation(messageAbout(stored), { problems: stored }, paths)
  }
  if (!fields) return explanation(error.message, {}, [])
  const all = Object.entries(fields)
  const first = Object.fromEntries(all.slice(0, FIELDS_MAX))
  const { source = {} } = sourcesOf(Object.keys(first), sourceOf)
  const ours = renamed(first, path)
  const theirs = renamed(source, path, path)
  const message = messageOf(ours, theirs, all.length)
  const details = { fields: ours, ...(Object.keys(theirs).length > 0 && { source: theirs }) }
  const paths = [...Object.keys(ours), ...Object.values(theirs)]
  return explanation(message, details, paths, all.length)
}

/** The same of an upload with failed rows, from its first ones. */
export function explainRows(failed: number, total: number, rows: RowExplanation[]): Explanation {
  const errors = rows.slice(0, ROWS_EXPLAINED_MAX)
  const paths = errors.flatMap((row) => [
    ...Object.keys(row.errors).map((name) => `inventory[].${name}`),
    ...Object.values(row.source ?? {}),
  ])
  return explanation(`${failed} of ${total} rows failed.`, { errors }, paths, failed)
}

/** A record that was refused, by its number in the document. */
export interface RecordExplanation {
  index: number
  explanation: Explanation
}

/**
 * The same of a document with several records, from the first refused ones. It names no fields to find it by: the rows of
 * the records do.
 */
export function explainRecords(message: string, refused: RecordExplanation[]): Explanation {
  const first = refused.slice(0, ROWS_EXPLAINED_MAX).map(({ index, explanation }) => {
    const { fields = {}, source, problems = [] } = (explanation.details ?? {}) as Details
    return { row: { row: index, errors: fields, ...(source && { source }) }, problems }
  })
  const records = first.map(({ row }) => row).filter(({ errors }) => Object.keys(errors).length > 0)
  const problems = first.flatMap((one) => one.problems)
  const details = {
    ...(records.length > 0 && { records }),
    ...(problems.length > 0 && { problems }),
  }
  return { message, details: bounded(details), error_fields: null }
}

function messageAbout([first, ...rest]: Problem[]): string {
  if (!first) return ''
  const more = rest.length > 0 ? ` (and ${rest.length} more, see problems)` : ''
  return `${first.source ?? first.at}: ${problemMessage(first)}${more}`
}

function messageOf(fields: FieldErrors, source: Record<string, string>, all: number): string {
  const [[field, messages] = ['', []]] = Object.entries(fields)
  const more = all > 1 ? ` (and ${all - 1} more, see fields)` : ''
  return `${source[field] ?? field}: ${messages[0] ?? ''}${more}`
}

function renamed<Value>(
  entries: Record<string, Value>,
  path: (text: string) => string,
  value: (value: Value) => Value = (same) => same,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(entries).map(([name, member]) => [path(name), value(member)]),
  )
}

function explanation(
  message: string,
  details: Details,
  paths: (string | undefined)[],
  total?: number,
): Explanation {
  return {
    message: hideKeys(message).slice(0, MESSAGE_LENGTH_MAX).toWellFormed(),
    details: bounded(details, total),
    error_fields: fieldsText(paths),
  }
}

interface Details {
  fields?: FieldErrors
  source?: Record<string, string>
  problems?: Problem[]
  errors?: RowExplanation[]
  records?: RowExplanation[]
}

/** The details with as many of their entries as fit; null if there are none. */
function bounded(details: Details, all?: number): Explanation['details'] {
  const counts = Object.values(details).map((list) => Object.keys(list).length)
  const total = all ?? Math.max(0, ...counts)
  if (total === 0) return null
  for (let listed = Math.min(ROWS_EXPLAINED_MAX, total); ; listed -= 1) {
    const cut = Object.entries(details).map(([name, list]) => [name, firstOf(list, listed)])
    const isCut = listed < total
    const kept = { ...Object.fromEntries(cut), ...(isCut && { truncated: true, total }) }
    const text = hideKeys(JSON.stringify(kept))
    if (listed === 0 || byteLength(text) <= DETAILS_BYTES_MAX) return JSON.parse(text)
  }
}

function firstOf(list: object, count: number): object {
  if (Array.isArray(list)) return list.slice(0, count)
  return Object.fromEntries(Object.entries(list).slice(0, count))
}

/** Each field between line breaks, so that one of them can be found in SQL. */
function fieldsText(paths: (string | undefined)[]): string | null {
  const fields = new Set(paths.filter((path) => path !== undefined).map(fieldOfAnyElement))
  let text = ''
  for (const field of fields) {
    if (text.length + field.length > FIELDS_LENGTH_MAX) break
    text += `\n${hideKeys(field)}`
  }
  return text === '' ? null : `${text}\n`.toWellFormed()
}
