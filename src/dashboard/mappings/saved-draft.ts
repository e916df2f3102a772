import {
  FORMATS,
  type SavedPart,
  type SavedRule,
  type SavedRules,
  type SavedSteps,
} from '../../engine/mapping/saved-rule.ts'
import type { Mapping } from '../../engine/mapping/schema.ts'
import { writeAmount } from './amount-lines.ts'
import { isTypable, writeCell } from './cell.ts'
import { BLANK, type Draft, type DraftRules, NO_RULES, type Row } from './draft.ts'
import { writeFormats } from './format-lines.ts'
import { writeTextSteps } from './text-steps.ts'
import { writeScalars, writeValues } from './values.ts'

export function draftOfMapping({ identifier_field, inbound, outbound }: Mapping): Draft {
  return {
    identifier_field: identifier_field ?? '',
    inbound: draftOfRules(inbound),
    outbound: draftOfRules(outbound),
  }
}

function draftOfRules(saved: SavedRules | null): DraftRules {
  if (!saved) return NO_RULES
  const rows = Object.entries(saved.fields).map(([target, rule]) => ({
    ...BLANK,
    target: writeCell(target),
    ...cellsOf(rule),
  }))
  const { each = '', group_by = [] } = saved.records ?? {}
  return {
    unmapped: saved.unmapped,
    none: writeScalars(saved.none),
    single_as_list: saved.single_as_list ? 'true' : '',
    each: writeCell(each),
    group_by: group_by.map(writeCell).join('\n'),
    first: saved.first ? 'yes' : '',
    formats: writeFormats(saved),
    rows,
  }
}

function cellsOf(rule: SavedRule): Partial<Row> {
  if (typeof rule === 'string') return { source: writeCell(rule) }
  if ('value' in rule) return { kind: 'value', source: JSON.stringify(rule.value) }
  if ('each' in rule) {
    const between = rule.split === undefined ? '' : JSON.stringify(rule.split)
    return { kind: 'each', source: writeCell(rule.each), with: between }
  }
  if ('from' in rule) {
    const kind = rule.required ? 'required' : 'path'
    return { kind, source: writePaths(rule.from), ...stepCells(rule) }
  }
  return {
    kind: rule.required ? 'join_required' : 'join',
    source: rule.join.map(writePart).join(' + '),
    with: writeSeparator(rule.with),
    ...stepCells(rule),
  }
}

function writePaths(from: string | string[]): string {
  if (typeof from === 'string') return writeCell(from)
  const paths = from.map(writeCell)
  return paths.length === 1 ? `${paths[0]} |` : paths.join(' | ')
}

function writePart(part: SavedPart): string {
  if (typeof part === 'string') return writeCell(part)
  if ('value' in part) return JSON.stringify(part.value)
  const between = part.with === undefined ? [] : [JSON.stringify(part.with)]
  return `(${[...part.pair.map(writeCell), ...between].join(', ')})`
}

function writeSeparator(separator = ' '): string {
  return separator === ' ' ? '' : JSON.stringify(separator)
}

function writeCode(code: SavedSteps['code']): Row['code'] {
  if (code === undefined) return ''
  const { of, or_own = false } = typeof code === 'string' ? { of: code } : code
  return or_own ? `${of}_or_own` : of
}

function stepCells({
  none,
  text,
  values,
  as,
  format,
  zone,
  decimal,
  default: fallback,
  code,
  ...amount
}: SavedSteps): Partial<Row> {
  const epoch = FORMATS.find((known) => known === format)
  return {
    as: decimal ? `comma_${as === 'integer' ? as : 'decimal'}` : (epoch ?? as ?? ''),
    format: epoch === undefined ? writeFormat(format) : '',
    zone: zone ?? '',
    none: writeScalars(none),
    text: text ? writeTextSteps(text) : '',
    values: values ? writeValues(values) : '',
    amount: writeAmount(amount),
    default: fallback === undefined ? '' : JSON.stringify(fallback),
    code: writeCode(code),
  }
}

/** In quotes if a form would change it. */
function writeFormat(format = ''): string {
  const isPlain = isTypable(format) && format.trim() === format && !format.startsWith('"')
  return isPlain ? format : JSON.stringify(format)
}
