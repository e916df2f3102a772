import { type ApiError, type FieldErrors, invalid } from '../../errors.ts'
import type { SavedRule } from '../../mapping/rules.ts'
import { type Direction, type Draft, type Row, readCell } from './draft.ts'
import { readJson } from './json.ts'

interface Options {
  /** Rows that lack their target or source are left out rather than refused. */
  isUnfinished?: boolean
}

/**
 * What is to be saved, still to be checked. 400 that names the rows which cannot be read: where two
 * write the same target, the later one.
 */
export function mappingOf(draft: Draft, options: Options = {}) {
  const errors: FieldErrors = {}
  const inbound = rulesOf(draft, 'inbound', options, errors)
  const outbound = rulesOf(draft, 'outbound', options, errors)
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return { identifier_field: draft.identifier_field || null, inbound, outbound }
}

/** What the error says of a row, whether it could not be read or is a rule that can never work. */
export function rowMessages(
  error: ApiError | null,
  direction: Direction,
  index: number,
  { target }: Row,
): string[] {
  const fields = error?.details.fields ?? {}
  const names = [rowName(direction, index), `${direction}.fields.${readCell(target)}`]
  return names.flatMap((name) => (Object.hasOwn(fields, name) ? (fields[name] ?? []) : []))
}

function rulesOf(draft: Draft, direction: Direction, options: Options, errors: FieldErrors) {
  const { unmapped, rows } = draft[direction]
  if (unmapped === '') {
    if (rows.some(({ source }) => source)) {
      errors[`${direction}.unmapped`] = ['There are rules below: choose what becomes of the rest.']
    }
    return null
  }
  const fields = new Map<string, SavedRule>()
  for (const [index, row] of rows.entries()) {
    const target = readCell(row.target)
    const rule = ruleOf(row)
    const lacking = lacks(row, direction)
    if (lacking && options.isUnfinished) continue
    const fault = lacking ?? (fields.has(target) ? duplicate(target) : faultOf(rule))
    if (fault) errors[rowName(direction, index)] = [fault]
    else if (!('fault' in rule)) fields.set(target, rule.saved)
  }
  return { unmapped, fields: Object.fromEntries(fields) }
}

function lacks({ target, kind, source }: Row, direction: Direction): string | null {
  const [ours, theirs] = direction === 'inbound' ? ['our', 'their'] : ['their', 'our']
  if (!target) return `Name ${ours} field that this fills, or clear the row.`
  if (source) return null
  return kind === 'value'
    ? 'Give the fixed value as JSON, or clear the row.'
    : `Give the path in ${theirs} document, or clear the row.`
}

type ReadRule = { saved: SavedRule } | { fault: string }

function ruleOf({ kind, source }: Row): ReadRule {
  const from = readCell(source)
  if (kind === 'path') return { saved: from }
  if (kind === 'required') return { saved: { from, required: true } }
  const json = readJson(source)
  if ('value' in json) return { saved: json }
  return { fault: `The fixed value is ${json.fault}. Text stands in quotes: "acme".` }
}

function faultOf(rule: ReadRule): string | null {
  return 'fault' in rule ? rule.fault : null
}

function duplicate(target: string): string {
  return `A rule above fills "${target}" already: only one can.`
}

function rowName(direction: Direction, index: number): string {
  return `${direction} rule ${index + 1}`
}
