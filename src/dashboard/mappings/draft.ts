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
  rows: Row[]
}

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
  /** A path, `a | b` for the first that has a value, `"No. " + a` for joined texts, or a fixed value as JSON. */
  source: string
  as: (typeof CONVERSIONS)[number] | ''
  /** What stands between joined texts, in quotes or as it is. Empty for one space. */
  with: string
  /** What is no value, one a line. */
  none: string
  /** The parts of a text, a step a line (text-steps.ts). */
  text: string
  /** One entry a line: `theirs = ours` (values.ts). */
  values: string
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
  with: '',
  none: '',
  text: '',
  values: '',
  default: '',
  code: '',
}

/** A new mapping, with a blank rule for each required field. */
export function newDraft(resource: Resource): Draft {
  const rows = requiredTargetsOf(resource).map((target): Row => ({ ...BLANK, target }))
  return {
    identifier_field: '',
    inbound: { unmapped: 'keep', none: '', rows },
    outbound: { unmapped: '', none: '', rows: [] },
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
  const targets = form.all(`${direction}.target`)
  const cells = (name: keyof Row) => form.all(`${direction}.${name}`)
  const columns = {
    kind: cells('kind'),
    source: cells('source'),
    as: cells('as'),
    with: cells('with'),
    none: cells('none'),
    text: cells('text'),
    values: cells('values'),
    default: cells('default'),
    code: cells('code'),
  }
  const rows = targets.map((target, index): Row => {
    const cell = (name: keyof typeof columns) => columns[name][index] ?? ''
    return {
      target: target.trim(),
      kind: KINDS.find((kind) => kind === cell('kind')) ?? 'path',
      source: cell('source').trim(),
      as: CONVERSIONS.find((as) => as === cell('as')) ?? '',
      with: cell('with'),
      none: linesOf(cell('none')),
      text: linesOf(cell('text')),
      values: linesOf(cell('values')),
      default: cell('default').trim(),
      code: CODES.find((code) => code === cell('code')) ?? '',
    }
  })
  return {
    unmapped: form.text(`${direction}.unmapped`),
    none: direction === 'inbound' ? linesOf(form.text('inbound.no_values')) : '',
    rows: rows.filter(isFilled),
  }
}

function linesOf(text: string): string {
  return text.replaceAll('\r\n', '\n').trim()
}

function isFilled({ target, source, none, text, values, default: fallback, code }: Row): boolean {
  return [target, source, none, text, values, fallback, code].some((cell) => cell !== '')
}
