import type { JsonObject } from '../fields.ts'
import { shortened } from '../messages.ts'
import { printPath } from '../path.ts'
import { type Build, buildersOf } from './build.ts'
import type { Problem } from './problem.ts'
import { type Fault, type Rule, readRules, type SavedRules } from './rules.ts'
import { Run } from './run.ts'
import { growTree, type Node } from './tree.ts'

/** One direction of a mapping, ready to be applied. */
export interface CompiledRules {
  unmapped: SavedRules['unmapped']
  root: Node
  /** The payload's top-level fields that some rule reads. */
  consumed: Set<string>
  builders: Map<string, Build>
}

export interface CompileOptions {
  /**
   * A top-level target whose elements are checked one by one after the mapping: `required` within
   * it must not fail them all.
   */
  elementsOf?: string
}

/** Every rule that can never work, and why; `faultOf` says what else rules out a single one. */
export function findFaults(
  fields: Record<string, unknown>,
  faultOf: (rule: Rule) => string | null,
): Fault[] {
  const { rules, faults } = readRules(fields)
  const single = rules.flatMap((rule) => {
    const message = faultOf(rule)
    return message ? [{ rule: rule.name, message }] : []
  })
  const faulty = [...faults, ...single]
  return [...faulty, ...growTree(rules).faults.filter((fault) => !isExplained(fault, faulty))]
}

/** What an array lacks may be what a faulty rule was to write. */
function isExplained({ incomplete }: Fault, faulty: Fault[]): boolean {
  return incomplete !== undefined && faulty.some(({ rule }) => rule.startsWith(`${incomplete}[`))
}

/** Of rules that have no faults. */
export function compileRules(
  { unmapped, fields }: SavedRules,
  { elementsOf }: CompileOptions = {},
): CompiledRules {
  const read = readRules(fields)
  const rules = read.rules.map((rule) => {
    const inElement = rule.target.length > 1 && rule.target[0] === elementsOf
    return inElement ? { ...rule, required: false } : rule
  })
  const { root, faults } = growTree(rules)
  const [fault] = [...read.faults, ...faults]
  if (fault) throw new Error(`a faulty rule was saved: ${fault.message}`)
  const consumed = new Set(rules.flatMap(({ source }) => (source ? [String(source[0])] : [])))
  return { unmapped, root, consumed, builders: buildersOf(root) }
}

export interface Mapped {
  value: JsonObject
  /** At most 20; of a value that has any, no part is to be trusted. */
  problems: Problem[]
}

export interface ApplyOptions {
  /**
   * Fixed values are written, and `required` is asked for, only in top-level fields that something
   * else writes: a PUT that leaves a field out leaves it alone.
   */
  partial?: boolean
}

/** Never throws, whatever the payload. The result shares values with it. */
export function applyRules(
  rules: CompiledRules,
  payload: JsonObject,
  { partial = false }: ApplyOptions = {},
): Mapped {
  const run = new Run(payload)
  const entries = unmappedEntries(rules, run)
  for (const [name, build] of rules.builders) {
    const value = partial ? buildPartially(run, build) : build(run, undefined)
    if (value !== undefined) entries.push([name, value])
  }
  // Unlike an assignment, this defines a member `__proto__` as a member and nothing else.
  return { value: Object.fromEntries(entries), problems: run.problems }
}

function buildPartially(run: Run, build: Build): unknown {
  const probe = new Run(run.payload, { partial: true })
  const isUntouched = build(probe, undefined) === undefined && probe.noted === 0
  return isUntouched ? undefined : build(run, undefined)
}

function unmappedEntries({ unmapped, root, consumed }: CompiledRules, run: Run) {
  const unread = Object.entries(run.payload).filter(([name]) => !consumed.has(name))
  if (unmapped === 'keep') return unread.filter(([name]) => !root.names.has(name))
  if (unmapped === 'drop') return []
  for (const [name] of unread) {
    run.note(() => ({ reason: 'UNMAPPED_FIELD', at: shortened(printPath([name])) }))
  }
  return []
}
