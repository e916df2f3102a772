import type { FieldErrors } from '../../engine/errors.ts'
import { byName } from '../../engine/json/by-name.ts'
import { BODY_BYTES_MAX } from '../../engine/json/fields.ts'
import type { Field } from '../../engine/model/fields.ts'
import { fieldNames, type RecordDefinition } from '../../engine/model/record.ts'
import { check } from '../../middleware/validate.ts'
import type { Form } from '../form/form.ts'
import { readDocumentText } from '../form/json-text.ts'
import type { Shape } from '../form/shape.ts'
import { VERSION } from '../form/version.tsx'
import { fieldTime } from '../parts/field-time.ts'
import { JSON_LENGTH_MAX } from '../records/object.ts'

/** The fields of a record as a form shows them, by name. */
export type Texts = Record<string, string>

type Part = 'create' | 'update'

/** The names of the fields that a form sets, in their order. The state has pages of its own. */
export function formNames({ fields }: RecordDefinition, part: Part): string[] {
  return fieldNames(fields, (field) => field[part] !== null && field.kind !== 'flag')
}

/** Begins the name of a hidden field: what the field was as the form was shown. */
export const WAS = 'was.'

/** What the form of a new record sends. */
export function newShape(record: RecordDefinition): Shape {
  return { fields: formNames(record, 'create'), bytesMax: BODY_BYTES_MAX }
}

/** What the form of a record sends. Its objects have 64 KiB each, and stand in it twice. */
export function editShape(record: RecordDefinition): Shape {
  const names = formNames(record, 'update')
  return {
    fields: [VERSION, ...names.map((name) => WAS + name), ...names],
    bytesMax: BODY_BYTES_MAX,
  }
}

export function textsOf({ fields }: RecordDefinition, names: string[], row: object): Texts {
  return byName(names, (name) => textOf(fields[name], Reflect.get(row, name)))
}

/** The texts that were sent, as `textsOf` gives those of a record. `before` is in the name of each. */
export function textsSent(
  { fields }: RecordDefinition,
  names: string[],
  form: Form,
  before = '',
): Texts {
  return byName(names, (name) => {
    const text = form.text(before + name)
    return fields[name]?.kind === 'time' ? fieldTime(text) : text
  })
}

/** The body of a POST with these texts. 400 VALIDATION_ERROR names each field that is wrong. */
export function createBody(record: RecordDefinition, texts: Texts) {
  const given = Object.entries(texts).filter(([, text]) => text !== '')
  return bodyOf(record, 'create', Object.fromEntries(given))
}

/** The body of a PUT that changes what differs from `before`. Errors as those of createBody. */
export function updateBody(record: RecordDefinition, texts: Texts, before: Texts) {
  const changed = Object.entries(texts).filter(([name, text]) => text !== before[name])
  return bodyOf(record, 'update', Object.fromEntries(changed))
}

function bodyOf(record: RecordDefinition, part: Part, texts: Texts): Record<string, unknown> {
  const faults: FieldErrors = {}
  const body = Object.entries(texts).map(([name, text]) => {
    const parsed = parsedOf(record.fields[name], part, text)
    if ('fault' in parsed) {
      faults[name] = [parsed.fault]
      return [name, undefined]
    }
    return [name, parsed.value]
  })
  const schema = part === 'create' ? record.Create : record.Update
  return check(schema, Object.fromEntries(body), faults)
}

const FLAGS: Record<string, boolean> = { true: true, false: false }

function parsedOf(field: Field | undefined, part: Part, text: string) {
  if (field?.kind === 'object') {
    return text === '' ? nothingOf(field, part) : jsonIn(text)
  }
  if (text === '' && takesNull(field, part)) return { value: null }
  if (field?.kind === 'flag') return { value: FLAGS[text.toLowerCase()] ?? text }
  return field?.kind === 'quantity' ? wholeNumber(text) : { value: text }
}

function jsonIn(text: string) {
  const parsed = readDocumentText(text, { keepsDigits: true })
  return 'fault' in parsed ? { fault: `Is ${parsed.fault}.` } : parsed
}

/** Reads the number in a field or a cell. The schema checks how large it is; a text of over 15 digits is refused here. */
export function wholeNumber(text: string): { value: number } | { fault: string } {
  if (!/^-?\d+$/.test(text)) return { fault: 'Must be a whole number.' }
  return /^-?\d{1,15}$/.test(text) ? { value: Number(text) } : { fault: 'Is too large.' }
}

function takesNull(field: Field | undefined, part: Part): boolean {
  return field?.[part]?.safeParse(null).success ?? false
}

/** An object that must be there is empty. */
function nothingOf(field: Field, part: Part) {
  return { value: takesNull(field, part) ? null : {} }
}

function textOf(field: Field | undefined, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (field?.kind === 'object') return jsonOf(value)
  if (field?.kind === 'time') return fieldTime(String(value))
  // As the form sends it back.
  return String(value).replaceAll('\r\n', '\n').trim()
}

/** Indented, unless the blanks would be most of a long text. */
function jsonOf(value: unknown): string {
  const text = JSON.stringify(value, null, 2)
  return text.length > JSON_LENGTH_MAX ? JSON.stringify(value) : text
}
