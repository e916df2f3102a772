import type { Path } from '../json/path.ts'
import type { Amount } from './amount.ts'
import { convert } from './convert.ts'
import { Listing } from './join.ts'
import type { Steps } from './members.ts'
import type { MappingRule } from './rules.ts'
import { type MappingRun, noteMissing } from './run.ts'
import { beginningOf, type Slots } from './streams.ts'

/** What is left of an integer. Undefined, and noted, if it cannot be told. */
export type AmountReader = (run: MappingRun, whole: number, path: Path) => number | undefined

/** The least that a value may be: what is taken off is never put on. */
const LESS_LEAST = 0
const TIMES_LEAST = 1

export function amountReader(rule: MappingRule, steps: Steps, slots: Slots): AmountReader | null {
  const { amount } = steps
  if (!amount) return null
  const less = amount.less.map((path) => sumReader(rule, path, steps, slots, LESS_LEAST))
  const times = timesReader(rule, amount, steps, slots)
  return (run, whole, path) => {
    const before = run.noted
    const taken = less.reduce((sum, read) => sum + (read(run) ?? 0), 0)
    if (run.noted !== before || run.isSpent) return undefined
    const left = whole - taken
    if (less.length > 0 && left < 0) {
      return refuse(run, rule, path, `integer of at least ${taken}`, String(whole))
    }
    const factor = times(run)
    if (factor === undefined) return undefined
    const result = left * factor
    if (Number.isSafeInteger(left) && Number.isSafeInteger(result)) return result
    return refuse(run, rule, path, 'smaller integer', `${left} x ${factor}`)
  }
}

function timesReader(rule: MappingRule, { times }: Amount, steps: Steps, slots: Slots) {
  if (times === null || typeof times === 'number') return () => times ?? 1
  const read = sumReader(rule, times, steps, slots, TIMES_LEAST)
  return (run: MappingRun) => {
    const before = run.noted
    const factor = read(run)
    // A missing factor may be any: nothing is guessed.
    if (factor === undefined && run.noted === before) noteMissing(run, rule, times, undefined)
    return run.noted === before ? factor : undefined
  }
}

/** The sum of all integers that the path leads to; undefined if there is none. */
function sumReader(
  rule: MappingRule,
  path: Path,
  { hasComma }: Steps,
  slots: Slots,
  least: number,
): (run: MappingRun) => number | undefined {
  const { slot, start } = beginningOf(rule, path, slots)
  return (run) => {
    let sum: number | undefined
    const take = (text: string) => {
      const value = convert(text, 'integer', null, run, hasComma)
      if (value === undefined) return
      if (typeof value === 'number' && value >= least) sum = (sum ?? 0) + value
      else refuseAt(run, rule, listing.place, `integer of at least ${least}`, JSON.stringify(text))
    }
    const listing = new Listing(run, rule, path, { take })
    const [origin, from] = slot === undefined ? [run.payload, 0] : [run.elements[slot], start]
    listing.from(origin, from)
    return sum
  }
}

function refuse(run: MappingRun, rule: MappingRule, path: Path, expected: string, found: string) {
  return refuseAt(run, rule, run.place(rule, path), expected, found)
}

function refuseAt(run: MappingRun, rule: MappingRule, at: string, expected: string, found: string) {
  run.noteValue(rule, () => ({ reason: 'CONVERSION', rule: rule.name, at, expected, found }))
  return undefined
}
