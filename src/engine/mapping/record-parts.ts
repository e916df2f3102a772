import { isObject, memberOf } from '../json/json-object.ts'
import type { FoundRecord } from './find-records.ts'
import { listAt } from './list.ts'
import type { RecordRules } from './records.ts'
import { isList } from './rules.ts'

/** How a mapping reads the records of a document. */
interface Reading {
  records: RecordRules
  listsSingles: boolean
}

/**
 * The document with these records and no others: their elements stand alone in its arrays, and everything beside them
 * stays. Read by the same rules, it has these records. Nothing below an element is copied.
 */
export function onlyRecords(
  document: unknown,
  found: readonly FoundRecord[],
  reading: Reading,
): unknown {
  const ways = found.flatMap(({ indexes, rows }) => rows?.map(({ index }) => [index]) ?? [indexes])
  return kept(document, ways, 0, reading)
}

type Way = readonly number[]

/** `ways` lead from here to the elements that stay. */
function kept(value: unknown, ways: readonly Way[], at: number, reading: Reading): unknown {
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
