import { type ApiError, type FieldErrors, invalid } from '../../engine/errors.ts'
import type { SavedRule } from '../../engine/mapping/saved-rule.ts'
import { readCell } from './cell.ts'
import type { Direction, Draft, DraftRules, Row } from './draft.ts'
import { readFormats } from './format-lines.ts'
import { type ReadRule, ruleOf } from './rule.ts'
import { readScalars } from './values.ts'

interface Options {
  /** Leaves out rows without a target or source instead of refusing them. */
  isUnfinished?: boolean
}

/**
 * The draft as a mapping, which SaveMapping has yet to check. Throws 400 that names the rows that cannot
 * be read. Of two rows with the same target, that is the later one.
 */
export function mappingOf(draft: Draft, options: Options = {}) {
  const errors: FieldErrors = {}
  const inbound = rulesOf(draft, 'inbound', options, errors)
  const outbound = rulesOf(draft, 'outbound', options, errors)
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return { identifier_field: draft.identifier_field || null, inbound, outbound }
}

function rulesOf(draft: Draft, direction: Direction, options: Options, errors: FieldErrors) {
  const { unmapped, none, single_as_list, first, rows } = draft[direction]
  const read = readFormats(draft[direction].formats)
  if ('fault' in read) errors[`${direction}.formats`] = [read.fault]
  const records = recordsOf(draft[direction], errors)
  if (unmapped === '') {
    if (rows.some(({ source }) => source)) {
      errors[`${direction}.unmapped`] = [
        'There are rules below: choose what happens to the other fields.',
      ]
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
  // A document that is an array has no fields to keep, so that is only what the form begins with.
  const isOfArray = direction === 'inbound' && rows.some(({ source }) => source.startsWith('$['))
  return {
    ...(!(isOfArray && unmapped === 'keep') && { unmapped }),
    ...(none !== '' && { none: readScalars(none) }),
    ...(single_as_list !== '' && { single_as_list: true }),
    ...(records && { records }),
    ...(first !== '' && { first: true }),
    ...('formats' in read && read.formats),
    fields: Object.fromEntries(fields),
  }
}

function recordsOf({ each, group_by }: DraftRules, errors: FieldErrors) {
  if (each === '' && group_by !== '') {
    errors['inbound.records'] = [
      'Enter the path to the rows, such as $[], or clear the paths below it.',
    ]
  }
  if (each === '') return null
  const paths = group_by.split('\n').filter((line) => line.trim() !== '')
  return { each: readCell(each), ...(paths.length > 0 && { group_by: paths.map(readCell) }) }
}

function lacks({ target, kind, source }: Row, direction: Direction): string | null {
  const [ours, theirs] = direction === 'inbound' ? ['our', 'their'] : ['their', 'our']
  if (!target) return `Enter ${ours} field that this rule fills, or clear the row.`
  if (source) return null
  return kind === 'value'
    ? 'Enter the fixed value as JSON, or clear the row.'
    : `Enter the path in ${theirs} document, or clear the row.`
}

function faultOf(rule: ReadRule): string | null {
  return 'fault' in rule ? rule.fault : null
}

function duplicate(target: string): string {
  return `A rule above already fills "${target}". Remove one of the two.`
}

/** The error's messages about a row: that it cannot be read, or that its rule is not valid. */
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

function rowName(direction: Direction, index: number): string {
  return `${direction} rule ${index + 1}`
}
