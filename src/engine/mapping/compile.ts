import type { JsonObject } from '../json/json-object.ts'
import { shortened } from '../json/messages.ts'
import { EACH, isOfArray, type Path, type PathStep, printPath } from '../json/path.ts'
import { SentValue } from '../json/sent-with.ts'
import type { Warning } from '../json/warnings.ts'
import { type Build, buildersOf } from './build.ts'
import { codesOf } from './coded-places.ts'
import type { Resource } from './identifier.ts'
import type { CodeAt } from './item-code.ts'
import { allPaths, type Sources } from './members.ts'
import { eitherOf, type NoValues, readNoValues } from './no-values.ts'
import { pointerFaults } from './pointer.ts'
import type { Problem } from './problem.ts'
import { type RecordRules, readRecordRules, recordSources } from './records.ts'
import {
  type MappingRule,
  type RuleFault,
  readRules,
  readsArray,
  readsRootMembers,
} from './rules.ts'
import { type Exceeded, type LeftOut, MappingRun, type RunOptions, type Taken } from './run.ts'
import type { SavedRules } from './saved-rule.ts'
import { elementsMaxOf } from './single.ts'
import { buildTree, type Node } from './tree.ts'

/** One direction of a mapping, ready to be applied. */
export interface CompiledRules {
  unmapped: SavedRules['unmapped']
  root: Node
  /** The payload's top-level fields that some rule reads. */
  consumed: Set<string>
  /** The document must be an array: the rules' paths begin with `$[`. */
  readsArray: boolean
  /** Or an object, whose members they take: `$[*]`. */
  readsRootMembers: boolean
  /** A single value is a list of one where a list is looked for. */
  listsSingles: boolean
  /** Some rule writes a number as text. */
  needsDigits: boolean
  /** The most copies that the rules make of one value of the payload. Repeated values do not count. */
  copiesMax: number
  builders: Map<string, Build>
  /** Where they write item codes; null if nowhere. */
  codeAt: CodeAt | null
  /** Null if a document is one record. */
  records: RecordRules | null
  /** It is meant that an index reads one of several records. */
  takesFirst: boolean
  /** What is no value in any document. */
  none: NoValues | null
  /** What is read of a document, with paths that begin there. */
  read: readonly Sources[]
}

/** Every rule that can never work, and why. `faultOf` adds faults that a single rule has by itself. */
export function findFaults(
  fields: Record<string, unknown>,
  faultOf: (rule: MappingRule) => string | null,
  records: RecordRules | null = null,
): RuleFault[] {
  const { rules, faults } = readRules(fields, records)
  const single = rules.flatMap((rule) => {
    const message = faultOf(rule)
    return message ? [{ rule: rule.name, message }] : []
  })
  const pointers = pointerFaults(fields)
  const others = [...faults, ...single].filter(
    ({ rule }) => !pointers.some((one) => one.rule === rule),
  )
  const faulty = [...pointers, ...others]
  return [...faulty, ...buildTree(rules).faults.filter((fault) => !isExplained(fault, faulty))]
}

/** The element that an array lacks may be one that a faulty rule was to write. */
function isExplained({ incomplete }: RuleFault, faulty: RuleFault[]): boolean {
  return incomplete !== undefined && faulty.some(({ rule }) => rule.startsWith(`${incomplete}[`))
}

/**
 * Compiles saved rules. Throws if they have a fault: such rules are refused before they are saved. `inbound` is the
 * resource that the rules write. The rows of an upload stand for themselves: a value that one of them cannot have is
 * its own problem (row-faults.ts) and does not fail them all. Absent if the rules read our own records: `format` then
 * says how to write a datetime.
 */
export function compileRules(
  { unmapped, fields, single_as_list: listsSingles = false, ...saved }: SavedRules,
  inbound?: Resource,
): CompiledRules {
  const records = saved.records ? readRecordRules(saved.records) : null
  const read = readRules(fields, records)
  const none = saved.none ? readNoValues(saved.none) : null
  const rules = read.rules.map((rule) => ({
    ...rule,
    none: eitherOf(rule.none, none),
    listsSingles,
    isOfRow: inbound === 'inventory' && rule.target.length > 2 && rule.target[0] === inbound,
    elementsMax: inbound && !saved.first ? elementsMaxOf(inbound, rule, read.rules) : undefined,
  }))
  const { root, faults } = buildTree(rules)
  const [fault] = [...read.faults, ...faults]
  if (fault) throw new Error(`a faulty rule was saved: ${fault.message}`)
  const paths = rules.flatMap(allPaths).filter(isInPayload)
  return {
    unmapped,
    root,
    readsArray: records ? isOfArray(records.path) : rules.some(readsArray),
    readsRootMembers: rules.some(readsRootMembers),
    listsSingles,
    needsDigits: rules.some(needsDigits),
    consumed: new Set(paths.map(([top]) => String(top))),
    copiesMax: copiesOf(paths),
    builders: buildersOf(root, inbound === undefined),
    codeAt: codesOf(rules),
    records,
    takesFirst: saved.first === true,
    none,
    read: [...rules.map(({ written }) => written), ...(records ? recordSources(records) : [])],
  }
}

function isInPayload([first]: Path): boolean {
  return !(first instanceof SentValue)
}

/** Whether the rule writes numbers by their digits. */
function needsDigits({ origin, steps }: MappingRule): boolean {
  if (origin.kind === 'join' || steps?.text) return true
  return steps?.as === 'string' || steps?.as === 'decimal'
}

function copiesOf(paths: Path[]): number {
  const sources = paths.map((path) => path.map(anyIndex))
  const readers = sources.map((path) => sources.filter((other) => startsWith(path, other)).length)
  return Math.max(1, ...readers)
}

function anyIndex(step: PathStep): PathStep {
  return typeof step === 'string' ? step : EACH
}

function startsWith(path: Path, beginning: Path): boolean {
  return beginning.every((step, at) => step === path[at])
}

export interface Mapped {
  value: JsonObject
  /** At most 20. If there are any, no part of the value may be used. */
  problems: Problem[]
  /** Bytes as JSON of all copies of the values that were written into every element of an array. */
  repeatedBytes: number
  /** The memory that the objects and arrays that were made take, in bytes. */
  memory: number
  /** Null if the value is whole. */
  exceeded: Exceeded | null
  /** The steps that it took, and those before. */
  work: number
  /** By `each`: which of the elements that it leads to have been left out. */
  leftOut: LeftOut
  /** Warnings about values that may be meant otherwise. */
  doubts: Warning[]
  taken: Taken
}

/**
 * Maps a payload. Never throws. The result shares values with the payload. `partial` is for a PUT, which does not
 * change a field that it leaves out: fixed values are written, and `required` is checked, only in top-level fields
 * that another rule writes.
 */
export function applyRules(
  rules: CompiledRules,
  payload: unknown,
  { partial = false, ...options }: RunOptions = {},
): Mapped {
  const run = new MappingRun(payload, options)
  const probe = partial ? new MappingRun(payload, { ...options, partial }) : null
  const entries = unmappedEntries(rules, run)
  for (const [name, build] of rules.builders) {
    const value = probe ? buildPartially(run, probe, build) : build(run, undefined)
    if (value !== undefined) entries.push([name, value])
  }
  // Unlike an assignment, this makes `__proto__` an ordinary member.
  const value = Object.fromEntries(entries)
  const { problems, repeatedBytes, memory, work, leftOut, doubts } = run
  const exceeded = run.exceeded ?? probe?.exceeded ?? null
  return {
    value,
    problems,
    repeatedBytes,
    memory,
    exceeded,
    work,
    leftOut,
    doubts,
    taken: run.taken,
  }
}

/** The probe serves all fields, so that all together take at most twice the steps of a POST. */
function buildPartially(run: MappingRun, probe: MappingRun, build: Build): unknown {
  const { noted, work } = probe
  const isUntouched = build(probe, undefined) === undefined && probe.noted === noted
  if (!isUntouched || probe.isSpent) return build(run, undefined)
  run.work += probe.work - work
  return undefined
}

/** The payload's top-level fields that pass through unchanged; with `reject`, notes them as problems. */
export function unmappedEntries({ unmapped, root, consumed }: CompiledRules, run: MappingRun) {
  if (unmapped === 'drop') return []
  const unread = Object.entries(Object(run.payload)).filter(([name]) => !consumed.has(name))
  if (unmapped === 'keep') return unread.filter(([name]) => !root.names.has(name))
  for (const [name] of unread) {
    run.note(() => ({ reason: 'UNMAPPED_FIELD', at: shortened(printPath([name])) }))
  }
  return []
}
