import { isObject, memberOf } from '../../engine/json/json-object.ts'
import { EACH, type Path, readPath } from '../../engine/json/path.ts'
import type { Warning } from '../../engine/json/warnings.ts'
import type { SavedRule, SavedRules } from '../../engine/mapping/saved-rule.ts'

/** For all rules together, so many values of the record are looked at. */
const LOOKED_MAX = 1_000_000

const DATES = ['order_date', 'due_date']
const NO_DATE = /^(?:1900-01-01|1970-01-01T00:00:00|1899-12-3)/
const SHIPPING = /ship|deliver|recipient/i
const BILLING = /bill|invoice|payer/i

/** What a preview says of rules that may not do what is meant, although the document can be read with them. */
export function hintsOf({ fields }: SavedRules, mapped: object): Warning[] {
  return [...foundNothing(fields, mapped), ...strangeDates(mapped), ...mixedAddresses(fields)]
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

function strangeDates(mapped: object): Warning[] {
  if (!isObject(mapped)) return []
  return DATES.flatMap((field) => {
    const date = mapped[field]
    if (typeof date !== 'string' || !NO_DATE.test(date)) return []
    const message = `${date.slice(0, 10)} often stands for "no date". If it does here, leave the field out, or map it to null with "values".`
    return [{ field, message }]
  })
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
