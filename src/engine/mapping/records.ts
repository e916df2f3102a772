import { Filter } from '../json/filter/filter.ts'
import { isObject } from '../json/json-object.ts'
import {
  appendName,
  checkLists,
  EACH,
  isOfArray,
  type Path,
  PathError,
  printPath,
  stepsBehind,
} from '../json/path.ts'
import { SentValue } from '../json/sent-with.ts'
import type { Amount } from './amount.ts'
import type { JoinedPart, Origin, Sources } from './members.ts'
import { RuleError } from './rule-error.ts'
import { parsedPath } from './source-path.ts'

/** Most records of one document. */
export const RECORDS_MAX = 500
/** Most paths of `group_by`. */
export const GROUP_PATHS_MAX = 4

/** One of the nested arrays whose elements are records, outermost first. */
interface RecordLevel {
  /** The number of the step that lists its elements. */
  at: number
  /** The path of its elements, `data.orders[]`. */
  text: string
}

/** Which elements of a document are records. */
export interface RecordRules {
  path: Path
  levels: readonly RecordLevel[]
  /** Below an element. Null if each is a record of its own. */
  groupBy: readonly Path[] | null
  /** The path of the outermost array; with `groupBy` that of the rows. */
  rows: string
}

/** Reads `records` as saved. Throws RuleError. */
export function readRecordRules(saved: unknown): RecordRules {
  if (!isObject(saved) || typeof saved.each !== 'string') {
    throw new RuleError('"records" must be {"each": path}, such as {"each": "orders[]"}.')
  }
  const odd = Object.keys(saved).find((name) => name !== 'each' && name !== 'group_by')
  if (odd) throw new RuleError(`"records" must not have "${odd}": it has "each" and "group_by".`)
  // A copy, so that [*] is []: the records of a document are elements, never members.
  const path = [...parsedPath('"each" of "records"', saved.each, { isSource: true, isList: true })]
  const levels = path.flatMap((step, at) =>
    step === EACH || step instanceof Filter
      ? [{ at, text: printPath(unfiltered(path.slice(0, at + 1))) }]
      : [],
  )
  if (levels.length === 0 || path[0] instanceof SentValue) {
    throw new RuleError('"each" of "records" needs a path with [] or a filter, such as "orders[]".')
  }
  if (path.some((step) => typeof step === 'number')) {
    throw new RuleError('"each" of "records" cannot have an index: it would pass over records.')
  }
  const { at = 0 } = levels[0] ?? {}
  const groupBy = saved.group_by === undefined ? null : groupPaths(saved.group_by, levels)
  return { path, levels, groupBy, rows: printPath(path.slice(0, at)) || '$' }
}

function groupPaths(saved: unknown, levels: RecordLevel[]): Path[] {
  const [level, other] = levels
  if (!level || other) {
    throw new RuleError('"group_by" needs rows in one array: "each" has one [] or filter.')
  }
  if (!Array.isArray(saved) || saved.length === 0 || saved.length > GROUP_PATHS_MAX) {
    throw new RuleError(
      `"group_by" must be a list of 1 to ${GROUP_PATHS_MAX} paths, such as ["${level.text}.number"].`,
    )
  }
  return saved.map((text) => {
    if (typeof text !== 'string') throw new RuleError('Each entry of "group_by" must be a path.')
    const path = parsedPath(`The path "${text}"`, text, { isSource: true })
    const below = path.slice(level.at + 1)
    const isOfRow = printPath(path.slice(0, level.at + 1)) === level.text
    if (!isOfRow || below.some((step) => step === EACH || step instanceof Filter)) {
      throw new RuleError(
        `The path "${text}" of "group_by" must lead to one value of a row: "${level.text}.number".`,
      )
    }
    return below
  })
}

/** Where a document says what its records are. */
export function recordSources({ path, levels, groupBy }: RecordRules): Sources[] {
  const element = path.slice(0, (levels[0]?.at ?? 0) + 1)
  const keys = (groupBy ?? []).map((below): Path => [...unfiltered(element), ...below])
  const origins: Origin[] = [
    { kind: 'each', path, isFilled: true, split: null },
    ...keys.map((key): Origin => ({ kind: 'from', paths: [key], isList: false })),
  ]
  return origins.map((origin) => ({ origin, steps: null }))
}

/** How a rule reads what is its own of a record. */
export interface AtHand extends Sources {
  /** It reads a field of the row: all rows of a group have the same value there. */
  isOfRow: boolean
}

/**
 * The rule's paths as they lead into a record (record-view.ts): from the element at hand instead of the document. Throws
 * RuleError for one that leads to other records.
 */
export function atHand(records: RecordRules | null, written: Sources, target: Path): AtHand {
  const { origin, steps } = written
  const isEach = origin.kind === 'each'
  const isOfRows = isEach || target.includes(EACH)
  let isOfRow = false
  const lead: Lead = (path, isList) => {
    const own = records ? pathAtHand(records, path, isOfRows, isEach) : path
    isOfRow ||= records !== null && records.groupBy !== null && own[0] === records.levels[0]?.text
    checkOwnLists(own, isList, path)
    return own
  }
  const amount = steps?.amount ? amountAtHand(steps.amount, lead) : null
  return { origin: originAtHand(origin, lead), steps: steps && { ...steps, amount }, isOfRow }
}

/** Gives the path as it leads into a record. `isList`: it lists all that it leads to. */
type Lead = (path: Path, isList: boolean) => Path

function originAtHand(origin: Origin, lead: Lead): Origin {
  if (origin.kind === 'value') return origin
  if (origin.kind === 'each') return { ...origin, path: lead(origin.path, true) }
  if (origin.kind === 'join') {
    return { ...origin, parts: origin.parts.map((part) => partAtHand(part, lead)) }
  }
  const [first, ...others] = origin.paths
  return { ...origin, paths: [lead(first, false), ...others.map((path) => lead(path, false))] }
}

function partAtHand(part: JoinedPart, lead: Lead): JoinedPart {
  if (!('path' in part)) return part
  const { path, label } = part
  return {
    path: lead(path, true),
    ...(label && { label: { ...label, path: lead(label.path, true) } }),
  }
}

function amountAtHand({ less, times, ...others }: Amount, lead: Lead): Amount {
  return {
    ...others,
    less: less.map((path) => lead(path, true)),
    times: times === null || typeof times === 'number' ? times : lead(times, false),
  }
}

function checkOwnLists(path: Path, isList: boolean, written: Path): void {
  try {
    checkLists(path, { isSource: true, isList })
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    throw new RuleError(`The source "${printPath(written)}" ${error.message}.`)
  }
}

function pathAtHand(records: RecordRules, path: Path, isOfRows: boolean, isEach: boolean): Path {
  const [first] = path
  if (first instanceof SentValue) return path
  const { levels, groupBy, rows, path: each } = records
  const reached = levels.filter(
    ({ at, text }) => printPath(unfiltered(path.slice(0, at + 1))) === text,
  )
  const level = reached.at(-1)
  if (level && groupBy && isOfRows) {
    if (!isEach) refuseFilter(path, level)
    return stepsBehind(rows, path, level.at)
  }
  if (level) {
    refuseFilter(path, level)
    const next = levels[reached.length]
    if (next) refuseOthers(path, each, next)
    return stepsBehind(level.text, path, level.at + 1)
  }
  if (isOfArray(path) !== isOfArray(each)) {
    const [outer] = levels
    throw new RuleError(
      isOfArray(each)
        ? `The records are elements of the document, so a source begins with "${outer?.text}".`
        : 'The records lie in an object, so a source cannot begin with "$[".',
    )
  }
  if (levels[0]) refuseOthers(path, each, levels[0])
  return path
}

function refuseFilter(path: Path, { at, text }: RecordLevel): void {
  if (!path.slice(0, at + 1).some((step) => step instanceof Filter)) return
  throw new RuleError(`Chooses records once more: write "${text}" for the one at hand.`)
}

/** All records together, and another one than the one at hand, would make one record of several. */
function refuseOthers(path: Path, each: Path, { at, text }: RecordLevel): void {
  const array = each.slice(0, at)
  const isAlong = array.every((step, index) => {
    const own = path[index]
    return own === undefined || own === step || typeof own !== 'string' || typeof step !== 'string'
  })
  if (!isAlong) return
  const what = path.length > at ? 'another record than the one at hand' : 'all records at once'
  throw new RuleError(`Reads ${what}: write a path below "${text}", or one beside it.`)
}

/** A message with paths as their authors write them: a record's own begin with a name that stands for the way to it. */
export function inWords(records: RecordRules | null, message: string): string {
  if (!records) return message
  const names = [records.rows, ...records.levels.map(({ text }) => text)]
  return names.reduce((words, name) => words.replaceAll(appendName('', name), name), message)
}

/** The path with each filter as a wildcard. */
export function unfiltered(path: Path): Path {
  return path.map((step) => (step instanceof Filter ? EACH : step))
}
