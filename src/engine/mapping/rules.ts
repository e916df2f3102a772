import { Filter } from '../json/filter/filter.ts'
import {
  EACH,
  firstSteps,
  isOfArray,
  type Path,
  type PathStep,
  printPath,
  takesMembers,
} from '../json/path.ts'
import { amountPaths } from './amount.ts'
import {
  allPaths,
  type Origin,
  partPaths,
  pathsRead,
  readMembers,
  type Sources,
  type Steps,
} from './members.ts'
import type { NoValues } from './no-values.ts'
import { atHand, inWords, type RecordRules, unfiltered } from './records.ts'
import { RuleError } from './rule-error.ts'
import { parsedPath } from './source-path.ts'

export const RULES_MAX = 200

export interface MappingRule {
  /** The target as its author wrote it. Faults and problems name the rule by it. */
  name: string
  target: Path
  origin: Origin
  /** The same with paths that begin at the document, also where it has several records. */
  written: Sources
  /** The path that problems name and whose wildcards drive those of the target. Null for a fixed value. */
  source: Path | null
  /** Of a rule without a source. */
  value: unknown
  steps: Steps | null
  /** What is no value where the rule reads. */
  none: NoValues | null
  /** A single value is a list of one where the rule looks for a list. */
  listsSingles: boolean
  required: boolean
  /** The path of the `each` whose elements the rule fills. */
  within: Path | null
  /** It writes a field of an upload's row: a value that it cannot give is an error of that row alone. */
  isOfRow: boolean
  /** It writes a field of the header, and reads it from the rows of a group: all of them have the same. */
  isOfGroup: boolean
  /** The most elements of an array of which it may read one by its index (single.ts). Undefined for any number. */
  elementsMax?: number | undefined
}

/** Why a rule can never work, whatever the payload. */
export interface RuleFault {
  rule: string
  message: string
  /** The array that another rule would have to complete. */
  incomplete?: string
}

/** Parses each rule, and checks it against the `each` above it. tree.ts finds other faults between rules. */
export function readRules(
  fields: Record<string, unknown>,
  records: RecordRules | null = null,
): { rules: MappingRule[]; faults: RuleFault[] } {
  const entries = Object.entries(fields)
  const read = entries
    .slice(0, RULES_MAX)
    .map(([name, saved]) => attempt(name, () => readRule(name, saved, records)))
  const all = read.flatMap(({ rule }) => rule ?? [])
  const eachRules = read.flatMap(({ rule }) => (rule?.origin.kind === 'each' ? [rule] : []))
  const placed = read.map(({ name, rule, fault }) =>
    rule ? attempt(name, () => placedRule(rule, eachRules, all)) : { name, rule, fault },
  )
  const rules = placed.flatMap(({ rule }) => rule ?? [])
  const faults = placed.flatMap(({ fault }) => fault ?? [])
  for (const [rule] of entries.slice(RULES_MAX, RULES_MAX + 1)) {
    faults.push({ rule, message: `A mapping has at most ${RULES_MAX} fields.` })
  }
  const found = [...faults, ...rootFaults(rules)]
  return { rules, faults: found.map((one) => ({ ...one, message: inWords(records, one.message) })) }
}

interface Attempt {
  name: string
  rule?: MappingRule
  fault?: RuleFault
}

function attempt(name: string, make: () => MappingRule): Attempt {
  try {
    return { name, rule: make() }
  } catch (error) {
    if (!(error instanceof RuleError)) throw error
    return { name, fault: { rule: name, message: error.message } }
  }
}

function readRule(name: string, saved: unknown, records: RecordRules | null): MappingRule {
  const target = parsedPath('The target', name)
  if (target.includes(-1)) throw new RuleError('A target cannot have [-1]: write the index.')
  const { none, required, ...written } = readMembers(saved)
  checkPairs(written.origin)
  const { origin, steps, isOfRow: isOfGroup } = atHand(records, written, target)
  const source = sourceOf(origin, wildcardsOf(target))
  const value = origin.kind === 'value' ? origin.value : undefined
  const read = { name, target, origin, written, source, value, steps, none, required }
  return { ...read, within: null, isOfRow: false, isOfGroup, listsSingles: false }
}

/** Of the parts of a joined text, the first that goes through the target's arrays. */
function sourceOf(origin: Origin, wildcards: number): Path | null {
  if (origin.kind === 'value') return null
  if (origin.kind === 'each') return origin.path
  const paths = pathsRead(origin)
  return paths.find((path) => wildcardsOf(path) >= wildcards) ?? paths[0] ?? null
}

function checkPairs(origin: Origin): void {
  for (const part of origin.kind === 'join' ? origin.parts : []) {
    const [first, ...others] = partPaths(part).map((path) => printPath(listsOf(path)))
    if (others.some((other) => other !== first)) {
      throw new RuleError('Both paths of a "pair" must go through the same arrays.')
    }
  }
}

/** The path up to and with the last step that leads to many values. */
export function listsOf(path: Path): Path {
  return firstSteps(path, path.findLastIndex(isList) + 1)
}

/** Checks the rule's wildcards, by themselves or below an `each`. Throws RuleError. */
function placedRule(rule: MappingRule, eachRules: MappingRule[], all: MappingRule[]): MappingRule {
  if (rule.origin.kind === 'each') {
    checkEach(rule, eachRules)
    const isFilled = all.some(({ target }) => isBelow(target, rule.target))
    return {
      ...rule,
      origin: { ...rule.origin, isFilled },
      written: { ...rule.written, origin: { ...rule.written.origin, isFilled } as Origin },
    }
  }
  const each = eachRules.find(({ target }) => isBelow(rule.target, target))
  if (!each?.source) {
    for (const path of pathsRead(rule.origin)) checkWildcards(rule, path)
    checkSameArrays(rule)
    checkAmount(rule)
    return rule
  }
  for (const path of pathsRead(rule.origin)) checkWithin(rule, path, each.source)
  checkParts(rule, each)
  checkAmount(rule, each.source)
  if (wildcardsOf(rule.target) > 1) {
    throw new RuleError(`Below "${each.name}" a target has no further []: write an index.`)
  }
  return { ...rule, within: each.source }
}

function isBelow(target: Path, above: Path): boolean {
  return target.length > above.length && above.every((step, at) => step === target[at])
}

function checkEach({ name, target, source }: MappingRule, eachRules: MappingRule[]): void {
  if (target.at(-1) !== EACH) {
    throw new RuleError(`"each" is for a target that ends in []: write "${name}[]".`)
  }
  if (wildcardsOf(target) > 1 || target.some((step) => typeof step === 'number')) {
    throw new RuleError('The target of "each" cannot lie in an element of another array.')
  }
  if (!source?.some(isList)) {
    throw new RuleError('"each" needs a path with [] or a filter [?...], such as "lines[]".')
  }
  if (eachRules.some((other) => isBelow(target, other.target))) {
    throw new RuleError('The target of "each" cannot lie below that of another "each".')
  }
}

/** The k-th wildcard of the source drives the k-th of the target. A source without wildcards is repeated. */
function checkWildcards({ target, origin }: MappingRule, path: Path): void {
  const [into, outOf] = [wildcardsOf(target), wildcardsOf(path)]
  if (outOf === 0) return
  if (origin.kind === 'join') checkListFilters(path, into)
  if (into === outOf || (origin.kind === 'join' && outOf > into)) return
  const advice = origin.kind === 'join' ? '' : ', or "join" to put several values into one text'
  throw new RuleError(
    `The source has ${outOf} [] and the target ${into}: write the same number in both, or an index in the source${advice}.`,
  )
}

/** The arrays that drive those of the target are taken whole: only an `each` leaves elements out. */
function checkListFilters(path: Path, driving: number): void {
  const lists = path.filter(isList).slice(0, driving)
  if (!lists.some((step) => step instanceof Filter)) return
  throw new RuleError('A filter that chooses the elements of the target stands in an "each".')
}

/** All paths of a list or a join that go through arrays of the target go through the same ones. */
function checkSameArrays({ target, origin, source }: MappingRule): void {
  const wildcards = wildcardsOf(target)
  if (origin.kind === 'value' || !source) return
  if (origin.kind === 'from') {
    const [first, ...others] = origin.paths.map(arraysOf)
    if (others.every((arrays) => arrays === first)) return
    throw new RuleError('All paths of "from" must go through the same arrays.')
  }
  const driving = pathsRead(origin).filter((path) => wildcardsOf(path) >= Math.max(1, wildcards))
  const [first, ...others] = driving.map((path) => printPath(throughArray(path, wildcards)))
  if (wildcards === 0 || others.every((arrays) => arrays === first)) return
  throw new RuleError('All parts of "join" must go through the same arrays.')
}

function arraysOf(path: Path): string {
  return printPath(path.slice(0, path.lastIndexOf(EACH) + 1))
}

/** The path up to and with its wildcard of this number (1 is the first). */
function throughArray(path: Path, wildcards: number): Path {
  let seen = 0
  const end = path.findIndex((step) => step === EACH && ++seen === wildcards)
  return path.slice(0, end + 1)
}

/** The parts of a text have nothing in them. */
function checkParts(rule: MappingRule, { source, origin }: MappingRule): void {
  if (origin.kind !== 'each' || origin.split === null || !source) return
  const parts = printPath(unfiltered(source))
  const odd = allPaths(rule).find(
    (path) => path.length > source.length && printPath(path.slice(0, source.length)) === parts,
  )
  if (odd)
    throw new RuleError(`"${parts}" are parts of a text: "${printPath(odd)}" leads to nothing.`)
}

/** What is taken off may lie in one array more, whose elements add up. A factor is one value. */
function checkAmount(rule: MappingRule, each: Path | null = null): void {
  const { steps, source, target } = rule
  if (!steps?.amount || !source) return
  if (steps.amount.leavesOutZero && (!each || printPath(target) !== QUANTITY)) {
    throw new RuleError(`"at_zero" is for "${QUANTITY}" below an "each" of "items[]".`)
  }
  const wildcards = Math.min(wildcardsOf(source), wildcardsOf(target))
  const driving = each ? each.filter(isList).length : wildcards
  for (const path of amountPaths(steps.amount)) {
    const lists = path.filter(isList).length
    const more = path === steps.amount.times ? 0 : 1
    if (each) checkWithin(rule, path, each, isList)
    else if (lists > 0) checkThrough(path, throughArray(source, wildcards), wildcards)
    if (lists <= driving + more) continue
    throw new RuleError(
      more === 0
        ? `"times" takes one value: "${printPath(path)}" leads to several.`
        : `"less" adds up the elements of one array: "${printPath(path)}" goes through more.`,
    )
  }
}

const QUANTITY = 'items[].quantity'

function checkThrough(path: Path, arrays: Path, wildcards: number): void {
  if (wildcards === 0 || printPath(throughArray(path, wildcards)) === printPath(arrays)) return
  throw new RuleError(
    `"${printPath(path)}" must go through "${printPath(arrays)}", as the rule does.`,
  )
}

/** Below an `each`, paths go through its arrays in order, each written as []. */
function checkWithin(
  { origin }: MappingRule,
  path: Path,
  each: Path,
  isArray = origin.kind === 'join' ? isList : (step: PathStep) => step === EACH,
): void {
  const arrays = prefixesOf(each, isList).map((prefix) => printPath(unfiltered(prefix)))
  const repeated = prefixesOf(path, (step) => step instanceof Filter)
    .map((prefix) => printPath(unfiltered(prefix)))
    .find((array) => arrays.includes(array))
  if (repeated) throw new RuleError(`Repeats the filter of "each": write "${repeated}".`)
  const goesOn = isArray === isList
  for (const [level, prefix] of prefixesOf(path, isArray).entries()) {
    const array = printPath(prefix)
    if (array === arrays[level] || (goesOn && level >= arrays.length)) continue
    const due = arrays[level] ?? arrays.at(-1)
    throw new RuleError(`Goes through "${array}", but the "each" above through "${due}".`)
  }
}

/** The parts of the path that end with such a step. */
function prefixesOf(path: Path, isEnd: (step: PathStep) => boolean): Path[] {
  return path.flatMap((step, at) => (isEnd(step) ? [path.slice(0, at + 1)] : []))
}

/** Whether the step leads to many values where many may be read: in `each` and `join`. */
export function isList(step: PathStep): boolean {
  return step === EACH || step instanceof Filter
}

export function wildcardsOf(path: Path): number {
  return path.filter((step) => step === EACH).length
}

/** Whether the rule reads a document of which the members have unknown names: `$[*]`. A filter there looks for an array. */
export function readsRootMembers(rule: MappingRule): boolean {
  return allPaths(rule).some((path) => path[0] === EACH && takesMembers(path, 0))
}

/** Whether the rule reads a document that is an array. */
export function readsArray(rule: MappingRule): boolean {
  return allPaths(rule).some(isOfArray)
}

function rootFaults(rules: MappingRule[]): RuleFault[] {
  const odd = rules.find((rule) => allPaths(rule).some(([first]) => typeof first === 'string'))
  if (!odd || !rules.some(readsArray)) return []
  const message = 'Other sources begin with $[, for a document that is an array: this one must too.'
  return [{ rule: odd.name, message }]
}
