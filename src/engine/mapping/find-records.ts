import { Filter } from '../json/filter/filter.ts'
import { isObject, memberOf } from '../json/json-object.ts'
import { EACH, type Path, printPath } from '../json/path.ts'
import { convertedText } from './convert.ts'
import { forEachElement, levelsOf } from './each.ts'
import { listAt } from './list.ts'
import type { NoValues } from './no-values.ts'
import type { Problem } from './problem.ts'
import type { FoundRecord } from './record-view.ts'
import { RECORDS_MAX, type RecordRules } from './records.ts'
import { isList, type MappingRule } from './rules.ts'
import { kindName, type MappingRun, noteMissing, noteWork } from './run.ts'
import { Slots } from './streams.ts'

const EACH_RULE = 'records.each'
const GROUP_RULE = 'records.group_by'

/** How the mapping reads documents. */
interface Reading {
  none: NoValues | null
  listsSingles: boolean
}

/** The rule by which problems of `each` are named. */
function ruleOf(path: Path, { none, listsSingles }: Reading): MappingRule {
  const origin = { kind: 'each', path, isFilled: true, split: null } as const
  return {
    name: EACH_RULE,
    target: [],
    origin,
    written: { origin, steps: null },
    source: path,
    value: undefined,
    steps: null,
    none,
    listsSingles,
    required: true,
    within: null,
    isOfRow: false,
    isOfGroup: false,
  }
}

/** The records of a document, in order. Notes a problem if there is no array of records, or if it has too many. */
export function findRecords(
  run: MappingRun,
  records: RecordRules,
  reading: Reading,
): FoundRecord[] {
  return records.groupBy ? findGroups(run, records, reading) : findElements(run, records, reading)
}

function findElements(
  run: MappingRun,
  { path, rows }: RecordRules,
  reading: Reading,
): FoundRecord[] {
  const rule = ruleOf(path, reading)
  const slots = new Slots()
  const levels = levelsOf(rule, [rule], slots)
  const found: FoundRecord[] = []
  visit(run, rule, levels, () => {
    if (found.length === RECORDS_MAX) return noteTooMany(run, rows)
    const elements = levels.map(({ slot }) => run.elements[slot])
    const indexes = [...run.eachPositions]
    found.push({ indexes, elements, rows: null, problem: null })
    return true
  })
  return found
}

/** A filter judges a group by its first row: that alone has what is said once for all of them. */
function findGroups(run: MappingRun, records: RecordRules, reading: Reading): FoundRecord[] {
  const [level] = records.levels
  const array = records.path.slice(0, level?.at)
  const step = level && records.path[level.at]
  const filter = step instanceof Filter ? step : null
  const rule = ruleOf([...array, EACH], reading)
  const levels = levelsOf(rule, [rule], new Slots())
  const groups = new Map<string, FoundRecord['rows']>()
  const found: FoundRecord[] = []
  visit(run, rule, levels, () => {
    const [index = 0] = run.eachPositions
    const row = run.elements[levels[0]?.slot ?? 0]
    const key = keyOf(run, records, reading, row, () => [...array, index])
    if (!run.labour(records.groupBy?.length ?? 1)) {
      noteWork(run, rule, rule.source ?? [])
      return false
    }
    const group = typeof key === 'string' ? groups.get(key) : undefined
    if (group !== undefined) {
      group?.push({ index, row })
      return true
    }
    const isTaken = filter === null || filter.test(row, run)
    const rows = [{ index, row }]
    if (typeof key === 'string') groups.set(key, isTaken ? rows : null)
    if (!isTaken) return true
    if (found.length === RECORDS_MAX) return noteTooMany(run, records.rows)
    const problem = typeof key === 'string' ? null : key
    found.push({ indexes: [index], elements: [], rows, problem })
    return true
  })
  return found
}

function visit(
  run: MappingRun,
  rule: MappingRule,
  levels: ReturnType<typeof levelsOf>,
  take: () => boolean,
): void {
  const before = run.noted
  const isThere = forEachElement(run, rule, levels, take)
  if (isThere || run.noted !== before) return
  noteMissing(run, rule, (rule.source ?? []).slice(0, levels[0]?.end), undefined)
}

/** The values of a row by which it belongs to a record, as one text; or why it has none. */
function keyOf(
  run: MappingRun,
  { groupBy }: RecordRules,
  { none }: Reading,
  row: unknown,
  place: () => Path,
): string | Problem {
  const texts: string[] = []
  for (const below of groupBy ?? []) {
    const value = below.reduce<unknown>(memberOf, row)
    const text = none?.has(value) ? undefined : convertedText(value)
    if (text !== undefined && text.trim() !== '') {
      texts.push(text)
      continue
    }
    const at = printPath([...place(), ...below])
    if (text === undefined && typeof value === 'object' && value !== null) {
      const found = kindName(value)
      return { reason: 'TYPE_MISMATCH', rule: GROUP_RULE, at, expected: 'single value', found }
    }
    return { reason: 'SOURCE_MISSING', rule: GROUP_RULE, at, expected: 'value', found: 'nothing' }
  }
  run.work += texts.reduce((work, text) => work + (text.length >> 4), 0)
  return texts.length === 1 ? (texts[0] ?? '') : JSON.stringify(texts)
}

/** `at` is the path of the array. */
function noteTooMany(run: MappingRun, at: string): false {
  const limit = { expected: RECORDS_MAX, unit: 'records' } as const
  run.note(() => ({ reason: 'TOO_LARGE', rule: EACH_RULE, at, ...limit }))
  return false
}

type PartsReading = Pick<Reading, 'listsSingles'> & { records: RecordRules }

/**
 * The document with these records and no others: their elements stand alone in its arrays, and everything beside them
 * stays. Read by the same rules, it has these records. Nothing below an element is copied.
 */
export function onlyRecords(
  document: unknown,
  found: readonly FoundRecord[],
  reading: PartsReading,
): unknown {
  const ways = found.flatMap(({ indexes, rows }) => rows?.map(({ index }) => [index]) ?? [indexes])
  return kept(document, ways, 0, reading)
}

type Way = readonly number[]

/** `ways` lead from here to the elements that stay. */
function kept(value: unknown, ways: readonly Way[], at: number, reading: PartsReading): unknown {
  const { path, levels } = reading.records
  const step = path[at]
  if (step === undefined || at > (levels.at(-1)?.at ?? 0)) return value
  if (!isList(step)) {
    if (typeof step !== 'string' || !isObject(value)) return value
    return { ...value, [step]: kept(memberOf(value, step), ways, at + 1, reading) }
  }
  const list = listAt(reading, path, at, value)
  if (!list) return value
  const staying = Array.from(Map.groupBy(ways, ([index = 0]) => index))
    .toSorted(([one], [other]) => one - other)
    .map(([index, below]) => {
      const inner = below.map((way) => way.slice(1))
      return [index, kept(list.values[index], inner, at + 1, reading)] as const
    })
  if (list.names) return Object.fromEntries(staying.map(([at, one]) => [list.names?.[at], one]))
  if (Array.isArray(value)) return staying.map(([, element]) => element)
  return staying[0]?.[1]
}
