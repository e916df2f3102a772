import { invalid } from '../../errors.ts'
import type { Resource } from '../../mapping/identifier.ts'
import type { SavedRule, SavedRules } from '../../mapping/rules.ts'
import type { Mapping } from '../../mapping/schema.ts'
import type { Form } from '../form.ts'
import { requiredTargetsOf } from './known-fields.ts'

// More than a mapping may have, so that one too many is told of in its form; all are shown again.
const ROWS_MAX = 500

/** A mapping as the fields of its form have it. */
export interface Draft {
  identifier_field: string
  inbound: DraftRules
  outbound: DraftRules
}

export type Direction = 'inbound' | 'outbound'

export interface DraftRules {
  /** Empty where the direction is not mapped. */
  unmapped: string
  rows: Row[]
}

export const KINDS = ['path', 'required', 'value'] as const

export interface Row {
  target: string
  kind: (typeof KINDS)[number]
  /** A path, or a fixed value as JSON. */
  source: string
}

/** What a mapping may begin with. */
export function newDraft(resource: Resource): Draft {
  const rows = requiredTargetsOf(resource).map(
    (target): Row => ({ target, kind: 'path', source: '' }),
  )
  return {
    identifier_field: '',
    inbound: { unmapped: 'keep', rows },
    outbound: { unmapped: '', rows: [] },
  }
}

export function draftOfMapping({ identifier_field, inbound, outbound }: Mapping): Draft {
  return {
    identifier_field: identifier_field ?? '',
    inbound: draftOfRules(inbound),
    outbound: draftOfRules(outbound),
  }
}

/** What was filled in, without the rows that are blank. */
export function draftOfForm(form: Form): Draft {
  return {
    identifier_field: form.text('identifier_field'),
    inbound: rulesOfForm(form, 'inbound'),
    outbound: rulesOfForm(form, 'outbound'),
  }
}

function draftOfRules(saved: SavedRules | null): DraftRules {
  if (!saved) return { unmapped: '', rows: [] }
  const rows = Object.entries(saved.fields).map(([target, rule]) => ({
    target: writeCell(target),
    ...cellsOf(rule),
  }))
  return { unmapped: saved.unmapped, rows }
}

function cellsOf(rule: SavedRule): Omit<Row, 'target'> {
  if (typeof rule === 'string') return { kind: 'path', source: writeCell(rule) }
  if ('value' in rule) return { kind: 'value', source: JSON.stringify(rule.value) }
  return { kind: rule.required ? 'required' : 'path', source: writeCell(rule.from) }
}

function rulesOfForm(form: Form, direction: Direction): DraftRules {
  const targets = form.all(`${direction}.target`)
  if (targets.length > ROWS_MAX) {
    throw invalid({ [`${direction}.fields`]: [`A form has at most ${ROWS_MAX} rows.`] })
  }
  const [kinds, sources] = [form.all(`${direction}.kind`), form.all(`${direction}.source`)]
  const rows = targets.map((target, index) => ({
    target: target.trim(),
    kind: KINDS.find((kind) => kind === kinds[index]) ?? 'path',
    source: (sources[index] ?? '').trim(),
  }))
  return {
    unmapped: form.text(`${direction}.unmapped`),
    rows: rows.filter(({ target, source }) => target || source),
  }
}

/**
 * A path as a text field can hold it: one with line breaks or the like is written as a JSON string,
 * which no path looks like.
 */
function writeCell(path: string): string {
  return /\p{Cc}/u.test(path) || !path.isWellFormed() ? JSON.stringify(path) : path
}

export function readCell(text: string): string {
  try {
    return text.startsWith('"') ? String(JSON.parse(text)) : text
  } catch {
    return text
  }
}
