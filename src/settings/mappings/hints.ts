import { isObject, memberOf } from '../../engine/json/json-object.ts'
import { EACH, type Path, readPath } from '../../engine/json/path.ts'
import type { Warning } from '../../engine/json/warnings.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import type { SavedRule, SavedRules } from '../../engine/mapping/saved-rule.ts'

/** For all rules together, so many values of the record are looked at. */
const LOOKED_MAX = 1_000_000

const DATES = ['order_date', 'due_date']
// The first moment of year 1 may be a day before it in UTC.
const NO_DATE = /^(?:0001-01-01|0000-12-31|1900-01-01|1970-01-01T00:00:00|1899-12-3)/
/** Milliseconds since 1970 that are before this are more likely seconds. */
const FIRST_DATE = '1980-01-01'
const SHIPPING = /ship|deliver|recipient/i
const BILLING = /bill|invoice|payer/i

/** What a preview says of rules that may not do what is meant, although the document can be read with them. */
export function hintsOf({ fields }: SavedRules, tried: HintedDocument): Warning[] {
  const { mapped, payload } = tried
  return [
    ...foundNothing(fields, mapped),
    ...statusWithoutEffect(fields, tried),
    ...strangeDates(fields, mapped),
    ...groupedNumbers(fields, payload),
    ...mixedAddresses(fields),
  ]
}

/** A document, and what the mapping has made of it. */
export interface HintedDocument {
  resource: Resource
  method: string
  payload: unknown
  mapped: object
}

/** A new order is pending, whatever the document says. */
function statusWithoutEffect(
  fields: Record<string, SavedRule>,
  { resource, method }: HintedDocument,
): Warning[] {
  if (resource !== 'orders' || method !== 'POST' || !Object.hasOwn(fields, 'status')) return []
  const message =
    'This rule has no effect on POST: a new order is pending. A cancelled order would be taken as a new one, so do not send it.'
  return [{ field: 'status', message }]
}

function foundNothing(fields: Record<string, SavedRule>, mapped: object): Warning[] {
  const looking = { left: LOOKED_MAX }
  return Object.entries(fields).flatMap(([field, rule]) => {
    const isFixed = typeof rule === 'object' && 'value' in rule
    if (isFixed || isFound(mapped, readPath(field), looking)) return []
    return [{ field, message: 'This rule found nothing in this document.' }]
  })
}

/** True as well if too much has been looked at. */
function isFound(value: unknown, path: Path, looking: { left: number }): boolean {
  if (looking.left-- <= 0) return true
  const [step, ...rest] = path
  if (step === undefined) return value !== undefined
  if (step !== EACH) return isFound(memberOf(value, step), rest, looking)
  if (!Array.isArray(value)) return false
  // An array that is there is found, even if nothing is in it.
  if (rest.length === 0) return true
  return value.some((element) => isFound(element, rest, looking))
}

function strangeDates(fields: Record<string, SavedRule>, mapped: object): Warning[] {
  if (!isObject(mapped)) return []
  return DATES.flatMap((field) => {
    const date = mapped[field]
    if (typeof date !== 'string') return []
    const message = NO_DATE.test(date) ? noDate(date.slice(0, 10)) : earlyDate(date, fields[field])
    return message === null ? [] : [{ field, message }]
  })
}

function noDate(day: string): string {
  return `${day} often stands for "no date". If it does here, write "none": ["${day}"] in the rule or beside "fields".`
}

function earlyDate(date: string, rule: SavedRule | undefined): string | null {
  const isEpoch =
    typeof rule === 'object' && 'format' in rule && rule.format === 'epoch_milliseconds'
  if (!isEpoch || date >= FIRST_DATE) return null
  return `This is ${date.slice(0, 10)}. If the document has seconds since 1970, write "format": "epoch_seconds".`
}

const GROUPED = /^[+-]?\d{1,3}(?:\.\d{3})+$/
const COMMA = /^[+-]?[\d.]*\d,\d+$|;/

/** `1.000` is one, unless the sender groups thousands: another text with a comma or a semicolon tells of that. */
function groupedNumbers(fields: Record<string, SavedRule>, payload: unknown): Warning[] {
  const looking = { left: LOOKED_MAX }
  const grouped = Object.entries(fields).filter(([, rule]) => {
    if (typeof rule !== 'object' || !('from' in rule) || rule.decimal) return false
    if (rule.as !== 'integer' && rule.as !== 'decimal') return false
    return [rule.from].flat().some((path) => hasText(payload, readPath(path), GROUPED, looking))
  })
  if (grouped.length === 0 || !hasAnyText(payload, COMMA, looking)) return []
  const message =
    'Texts such as "1.000" are read as 1. If the point groups thousands here, write "decimal": ",".'
  return grouped.map(([field]) => ({ field, message }))
}

function hasText(value: unknown, path: Path, form: RegExp, looking: { left: number }): boolean {
  if (looking.left-- <= 0) return false
  const [step, ...rest] = path
  if (step === undefined) return typeof value === 'string' && isOfForm(value, form)
  const isList = typeof step !== 'string' && typeof step !== 'number'
  if (!isList) return hasText(memberOf(value, step), rest, form, looking)
  const elements = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  return elements.some((element) => hasText(element, rest, form, looking))
}

function hasAnyText(value: unknown, form: RegExp, looking: { left: number }): boolean {
  if (looking.left-- <= 0) return false
  if (typeof value === 'string') return isOfForm(value, form)
  const members = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  return members.some((member) => hasAnyText(member, form, looking))
}

/** Longer texts are no number, and no list of numbers. */
const TEXT_LENGTH_MAX = 100

function isOfForm(text: string, form: RegExp): boolean {
  return text.length <= TEXT_LENGTH_MAX && form.test(text.trim())
}

/** Each field of an address takes the first path that has a value, so an address may be made of two. */
function mixedAddresses(fields: Record<string, SavedRule>): Warning[] {
  const mixing = Object.entries(fields).flatMap(([field, rule]) => {
    const paths = typeof rule === 'object' && 'from' in rule ? [rule.from].flat() : []
    const isMixing = [SHIPPING, BILLING].every((name) => paths.some((path) => name.test(path)))
    return isMixing ? [field] : []
  })
  const [field, ...others] = mixing
  if (field === undefined || others.length === 0) return []
  const message = `This and ${others.slice(0, 5).join(', ')} each take the first path that has a value, so an address may be made of the shipping and the billing address. Read all of them from one address, or take the address as a whole: {"from": ["shipping", "billing"]}.`
  return [{ field, message }]
}
