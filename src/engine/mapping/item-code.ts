import { isObject } from '../json/json-object.ts'
import type { Path } from '../json/path.ts'
import { RuleError } from './rule-error.ts'

// A rule writes the text of the partner. What it stands for is known only to the database, where `code` is looked up:
// of orders in the batch of the write, of all else before it.

/** What a partner may have numbers of its own for. */
export const CODE_KINDS = ['products', 'locations'] as const
export type CodeKind = (typeof CODE_KINDS)[number]

/** The most that one product of a partner can be of ours. */
export const UNITS_MAX = 1_000_000

/** How a text is looked up among the item codes of the partner. */
export interface CodeUse {
  of: CodeKind
  /** A text that is no item code may be our own code. */
  or_own: boolean
}

/** Which texts of a mapped document are item codes, by their place; null for all others. */
export type CodeAt = (target: Path) => CodeUse | null

/** Reads the member `code` of a rule. Throws RuleError. */
export function readCodeUse(saved: unknown): CodeUse {
  const { of, or_own = false, ...others } = isObject(saved) ? saved : { of: saved }
  const kind = CODE_KINDS.find((name) => name === of)
  const [odd] = Object.keys(others)
  if (odd !== undefined) throw new RuleError(`"code" must not have "${odd}": only of and or_own.`)
  if (kind === undefined) {
    throw new RuleError(`"code" must be one of ${CODE_KINDS.join(', ')}, or have one as "of".`)
  }
  if (typeof or_own !== 'boolean') throw new RuleError('"or_own" must be true or false.')
  return { of: kind, or_own }
}
