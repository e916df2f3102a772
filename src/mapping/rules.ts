import { isObject } from '../fields.ts'
import { EACH, type Path, PathError, parsePath } from '../path.ts'

const RULES_MAX = 200

/** Where a target's value comes from, as it is saved: a path of the source, or a fixed value. */
export type SavedRule = string | { from: string; required?: boolean } | { value: unknown }

/** One direction of a mapping, as it is saved: target path to source. */
export interface SavedRules {
  /** What becomes of the top-level fields that no rule reads and no rule writes. */
  unmapped: 'keep' | 'drop' | 'reject'
  fields: Record<string, SavedRule>
}

export interface Rule {
  /** The target as its author wrote it: how faults and problems name the rule. */
  name: string
  target: Path
  /** Null for a fixed value. */
  source: Path | null
  value: unknown
  required: boolean
}

/** Why a rule can never work, whatever the payload. */
export interface Fault {
  rule: string
  message: string
  /** The array that another rule would have to complete. */
  incomplete?: string
}

/** Why a single rule can never work, in words for its author. */
class RuleError extends Error {}

/** Reads each rule by itself; what is wrong between rules is the tree's to find. */
export function readRules(fields: Record<string, unknown>): { rules: Rule[]; faults: Fault[] } {
  const rules: Rule[] = []
  const faults: Fault[] = []
  const entries = Object.entries(fields)
  for (const [name, saved] of entries.slice(0, RULES_MAX)) {
    try {
      rules.push(readRule(name, saved))
    } catch (error) {
      if (!(error instanceof RuleError)) throw error
      faults.push({ rule: name, message: error.message })
    }
  }
  for (const [rule] of entries.slice(RULES_MAX, RULES_MAX + 1)) {
    faults.push({ rule, message: `A mapping has at most ${RULES_MAX} fields.` })
  }
  return { rules, faults }
}

function readRule(name: string, saved: unknown): Rule {
  const target = pathOf('The target', name)
  if (target.includes(-1)) throw new RuleError('A target has no [-1]: its array is being made.')
  const { from, value, required } = membersOf(saved)
  const source = from === undefined ? null : pathOf(`The source "${from}"`, from)
  if (source) checkWildcards(target, source)
  return { name, target, source, value, required }
}

function pathOf(what: string, text: string): Path {
  try {
    return parsePath(text)
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    throw new RuleError(`${what} ${error.message}.`)
  }
}

interface Members {
  from: string | undefined
  value: unknown
  required: boolean
}

function membersOf(saved: unknown): Members {
  if (typeof saved === 'string') return { from: saved, value: undefined, required: false }
  if (!isObject(saved)) {
    throw new RuleError('Must be a path, {"from": path, "required": true} or {"value": any JSON}.')
  }
  const { from, value, required = false, ...others } = saved
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    throw new RuleError(`Must not have "${unknown}": there are from, required, value.`)
  }
  const isFixed = Object.hasOwn(saved, 'value')
  if (isFixed === Object.hasOwn(saved, 'from')) {
    throw new RuleError('Must have either "from" or "value", not both.')
  }
  if (typeof required !== 'boolean') throw new RuleError('"required" must be true or false.')
  if (isFixed && Object.hasOwn(saved, 'required')) {
    throw new RuleError('A fixed value takes no "required".')
  }
  if (!isFixed && typeof from !== 'string') throw new RuleError('"from" must be a path.')
  return { from: from as string | undefined, value, required }
}

/** The k-th wildcard of the source drives the k-th of the target; a source without is broadcast. */
function checkWildcards(target: Path, source: Path): void {
  const [into, outOf] = [wildcardsOf(target), wildcardsOf(source)]
  if (outOf === 0 || into === outOf) return
  throw new RuleError(
    `The source has ${outOf} of [] and the target ${into}: give both the same, or the source an index.`,
  )
}

export function wildcardsOf(path: Path): number {
  return path.filter((step) => step === EACH).length
}
