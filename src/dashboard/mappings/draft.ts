import { byName } from '../../engine/json/by-name.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import { CODE_KINDS } from '../../engine/mapping/item-code.ts'
import { FORMATS, CONVERSION_KINDS as SAVED_KINDS } from '../../engine/mapping/saved-rule.ts'
import type { Form } from '../form/form.ts'
import { requiredTargetsOf } from './known-fields.ts'

/** A mapping as form fields. */
export interface Draft {
  identifier_field: string
  inbound: DraftRules
  outbound: DraftRules
}

export type Direction = 'inbound' | 'outbound'

export interface DraftRules {
  /** Empty if the direction is not mapped. */
  unmapped: string
  /** What is no value, one a line. Inbound only. */
  none: string
  /** `true` if a single value is a list of one; else empty. Inbound only. */
  single_as_list: string
  /** The path to the records of a document; empty if it is one record. Inbound only. */
  each: string
  /** The paths by which rows belong to one record, one a line. Inbound only. */
  group_by: string
  /** `yes` if an index that reads the first of several records is meant. Inbound only. */
  first: string
  /** How bodies are read that are no JSON, one option a line (format-lines.ts). Inbound only. */
  formats: string
  rows: Row[]
}

/** The texts of a direction that is not mapped, in the order in which a conflict names them. */
const NO_TEXTS: Omit<DraftRules, 'rows'> = {
  unmapped: '',
  none: '',
  single_as_list: '',
  each: '',
  group_by: '',
  first: '',
  formats: '',
}

export const RULE_TEXTS = Object.keys(NO_TEXTS) as (keyof typeof NO_TEXTS)[]

/** A direction that is not mapped. */
export const NO_RULES: DraftRules = { ...NO_TEXTS, rows: [] }

export const KINDS = ['path', 'required', 'join', 'join_required', 'each', 'value'] as const

/** Conversions: `as`, for epochs with its `format`, and for numbers with a decimal comma with `decimal`. */
export const CONVERSIONS = [...SAVED_KINDS, ...FORMATS, 'comma_decimal', 'comma_integer'] as const

/** Item codes: of which kind, and whether our own code of the same text would do. */
export const CODES = [
  ...CODE_KINDS,
  ...CODE_KINDS.map((kind) => `${kind}_or_own` as const),
] as const

/** A rule as the texts of its form fields, which have these names. */
export interface Row {
  target: string
  kind: (typeof KINDS)[number]
  /** A path, `a | b` for the first that has a value, `"No. " + a + (b[].label, b[].value)` for joined texts, or a fixed value as JSON. */
  source: string
  as: (typeof CONVERSIONS)[number] | ''
  /** A pattern of times, such as `dd.MM.yyyy`. Empty for none, and for an epoch, which `as` names. */
  format: string
  /** Of times without an offset. */
  zone: string
  /**
   * What stands between joined texts, in quotes or as it is; empty for one space. Of an `each`: what stands between the parts
   * of a text; empty if the path leads to lists alone.
   */
  with: string
  /** What is no value, one a line. */
  none: string
  /** The parts of a text, a step a line (text-steps.ts). */
  text: string
  /** One entry a line: `theirs = ours` (values.ts). */
  values: string
  /** What is made of an integer, one a line (amount-lines.ts). */
  amount: string
  /** As JSON; empty for none. */
  default: string
  /** Whether the text is an item code, and of which kind. */
  code: (typeof CODES)[number] | ''
}

export const BLANK: Row = {
  target: '',
  kind: 'path',
  source: '',
  as: '',
  format: '',
  zone: '',
  with: '',
  none: '',
  text: '',
  values: '',
  amount: '',
  default: '',
  code: '',
}

/** The names of a row's cells. */
export const CELLS = Object.keys(BLANK) as (keyof Row)[]

const OF_LINES: readonly string[] = ['none', 'text', 'values', 'amount']

/** A new mapping, with a blank rule for each required field. */
export function newDraft(resource: Resource): Draft {
  const rows = requiredTargetsOf(resource).map((target): Row => ({ ...BLANK, target }))
  return {
    identifier_field: '',
    inbound: { ...NO_RULES, unmapped: 'keep', rows },
    outbound: NO_RULES,
  }
}

/** The submitted mapping, without its blank rows. */
export function draftOfForm(form: Form): Draft {
  return {
    identifier_field: form.text('identifier_field'),
    inbound: rulesOfForm(form, 'inbound'),
    outbound: rulesOfForm(form, 'outbound'),
  }
}

function rulesOfForm(form: Form, direction: Direction): DraftRules {
  const columns = byName(CELLS, (name) => form.all(`${direction}.${name}`))
  const rows = columns.target.map((_, index) =>
    rowOf(byName(CELLS, (name) => columns[name][index] ?? '')),
  )
  return {
    ...NO_RULES,
    ...(direction === 'inbound' && {
      none: linesOf(form.text('inbound.no_values')),
      single_as_list: form.text('inbound.single_as_list') === 'true' ? 'true' : '',
      each: form.text('inbound.records_each').trim(),
      group_by: linesOf(form.text('inbound.group_by')),
      first: form.text('inbound.first'),
      formats: linesOf(form.text('inbound.formats')),
    }),
    unmapped: form.text(`${direction}.unmapped`),
    rows: rows.filter(isFilled),
  }
}

function rowOf(cells: Record<keyof Row, string>): Row {
  return {
    ...byName(CELLS, (name) =>
      OF_LINES.includes(name) ? linesOf(cells[name]) : cells[name].trim(),
    ),
    with: cells.with,
    kind: KINDS.find((kind) => kind === cells.kind) ?? 'path',
    as: CONVERSIONS.find((as) => as === cells.as) ?? '',
    code: CODES.find((code) => code === cells.code) ?? '',
  }
}

function linesOf(text: string): string {
  return text.replaceAll('\r\n', '\n').trim()
}

function isFilled({ kind, as, format, zone, with: between, ...others }: Row): boolean {
  return Object.values(others).some((cell) => cell !== '')
}
