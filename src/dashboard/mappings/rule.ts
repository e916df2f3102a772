import { CODE_KINDS } from '../../engine/mapping/item-code.ts'
import type {
  SavedPair,
  SavedPart,
  SavedRule,
  SavedSteps,
} from '../../engine/mapping/saved-rule.ts'
import { readDocumentText } from '../form/json-text.ts'
import { readAmountLines } from './amount-lines.ts'
import { readCell, readQuoted, splitCell } from './cell.ts'
import type { Row } from './draft.ts'
import { readTextLines } from './text-steps.ts'
import { readScalars, readValues } from './values.ts'

export type ReadRule = { saved: SavedRule } | { fault: string }

class CellFault extends Error {}

/** The rule that the row's cells say, in its shortest form. */
export function ruleOf(row: Row): ReadRule {
  try {
    return { saved: savedOf(row) }
  } catch (error) {
    if (error instanceof CellFault) return { fault: error.message }
    throw error
  }
}

function savedOf(row: Row): SavedRule {
  const { kind, source } = row
  if (kind === 'value') return { value: jsonOf('fixed value', source) }
  if (kind === 'each') {
    const split = readQuoted(row.with) ?? row.with
    return { each: readCell(source), ...(split !== '' && { split }) }
  }
  if (kind === 'join' || kind === 'join_required') {
    const separator = readQuoted(row.with) ?? (row.with === '' ? ' ' : row.with)
    const join = splitCell(source, '+').map(partOf)
    return { join, ...(separator !== ' ' && { with: separator }), ...stepsOf(row) }
  }
  if (splitCell(source, '+').length > 1) {
    throw new CellFault('To put texts together choose the kind "joined texts".')
  }
  const paths = splitCell(source, '|').map(readCell)
  const from = isList(source, paths) ? paths : readCell(source)
  const steps = stepsOf(row)
  const isPlain = typeof from === 'string' && Object.keys(steps).length === 0
  return isPlain ? from : { from, ...steps }
}

/** `a |` is a list of one path: unlike the path alone it passes over empty texts. */
function isList(source: string, paths: string[]): boolean {
  return paths.length > 1 || (paths.length === 1 && source.endsWith('|'))
}

function partOf(part: string): SavedPart {
  if (part.startsWith('(')) return pairOf(part)
  if (!part.startsWith('"')) return readCell(part)
  const value = readQuoted(part)
  if (value === null) throw new CellFault(`The text ${part} must stand in quotes: "text".`)
  return { value }
}

/** `(label, value)`, and what stands between the two if it is not `: `. */
function pairOf(part: string): SavedPart {
  const cells = part.endsWith(')') ? splitCell(part.slice(1, -1), ',') : []
  const [label, value, between, ...others] = cells
  const separator = between === undefined ? undefined : readQuoted(between)
  if (label === undefined || value === undefined || separator === null || others.length > 0) {
    throw new CellFault(
      `The pair ${part} must be (label path, value path) or (label path, value path, "text").`,
    )
  }
  const pair: SavedPair['pair'] = [readCell(label), readCell(value)]
  return separator === undefined ? { pair } : { pair, with: separator }
}

function stepsOf(row: Row): SavedSteps {
  const { kind, as, format, zone, none, text, values, amount, default: fallback, code } = row
  return {
    ...(none.trim() !== '' && { none: readScalars(none) }),
    ...(text.trim() !== '' && { text: sound(readTextLines(text)).steps }),
    ...(values.trim() !== '' && { values: sound(readValues(values)).values }),
    ...conversionOf(as),
    ...(format !== '' && { format: readQuoted(format) ?? format }),
    ...(zone !== '' && { zone }),
    ...(amount.trim() !== '' && sound(readAmountLines(amount)).amount),
    ...(fallback !== '' && { default: jsonOf('default', fallback) }),
    ...codeOf(code),
    ...((kind === 'required' || kind === 'join_required') && { required: true }),
  }
}

function conversionOf(as: Row['as']): SavedSteps {
  if (as === '') return {}
  if (as === 'epoch_seconds' || as === 'epoch_milliseconds') return { as: 'datetime', format: as }
  if (as === 'comma_decimal') return { as: 'decimal', decimal: ',' }
  return as === 'comma_integer' ? { as: 'integer', decimal: ',' } : { as }
}

function codeOf(code: Row['code']): SavedSteps {
  if (code === '') return {}
  const of = CODE_KINDS.find((kind) => code.startsWith(kind)) ?? 'products'
  return { code: code === of ? of : { of, or_own: true } }
}

/** What was read. Throws what is wrong with the cell. */
function sound<Read extends object>(read: Read | { fault: string }): Read {
  if ('fault' in read) throw new CellFault(read.fault)
  return read
}

function jsonOf(what: string, text: string): unknown {
  const json = readDocumentText(text)
  if ('value' in json) return json.value
  throw new CellFault(`The ${what} is ${json.fault}. Put text in quotes: "acme".`)
}
