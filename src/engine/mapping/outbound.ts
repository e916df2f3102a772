import { fitsAsJson, jsonBytes } from '../json/fields.ts'
import type { JsonObject } from '../json/json-object.ts'
import { applyRules, type CompiledRules, compileRules, unmappedEntries } from './compile.ts'
import { MappingRun, type RunLimits, WORK_MAX } from './run.ts'
import type { SavedRules } from './saved-rule.ts'

/** The largest mapped record in bytes as JSON; or twice our own record, if that is more. */
export const RECORD_BYTES_MAX = 262_144

export interface MappedRecord {
  value: object
  /** Top-level fields that would have made the record too large. */
  leftOut: string[]
}

const compiled = new WeakMap<SavedRules, CompiledRules>()

/** Allows any record of this size as JSON: `{},` in an array takes 80 bytes of memory. */
function limitsFor(bytesMax: number): RunLimits {
  return { bytesMax, memoryMax: 32 * bytesMax }
}

/** The steps that the records of one answer take. Together they have those of one document, and each adds a few. */
export interface SpentWork {
  work: number
}

const RECORD_WORK = WORK_MAX / 1000

/** Our record in a partner's format. Leaves out fields that cannot be resolved. */
export function mapRecord(
  saved: SavedRules,
  record: object,
  spent: SpentWork = { work: 0 },
): MappedRecord {
  const rules = compiled.getOrInsertComputed(saved, compileRules)
  const work = Math.max(0, spent.work - RECORD_WORK)
  const run = applyRules(rules, { ...record }, { ...limitsFor(RECORD_BYTES_MAX), work })
  spent.work = run.work
  if (run.exceeded === null && fitsAsJson(run.value, RECORD_BYTES_MAX)) {
    return { value: run.value, leftOut: [] }
  }
  spent.work = work
  const mapped = mapFieldByField(rules, { ...record }, spent)
  spent.work = Math.min(spent.work, WORK_MAX)
  return mapped
}

/** As many fields as fit. Measures each field before it makes the next. */
function mapFieldByField(rules: CompiledRules, record: JsonObject, spent: SpentWork): MappedRecord {
  let left = Math.max(RECORD_BYTES_MAX, 2 * jsonBytes(record))
  const entries = unmappedEntries(rules, new MappingRun(record))
  for (const entry of entries) left -= jsonBytes(entry)
  const leftOut: string[] = []
  for (const [name, build] of rules.builders) {
    const run = new MappingRun(record, limitsFor(left))
    run.work = spent.work
    const value = build(run, undefined)
    spent.work = run.work
    if (value === undefined && !run.isSpent) continue
    const entry: [string, unknown] = [name, value]
    if (run.isSpent || !fitsAsJson(entry, left)) leftOut.push(name)
    else {
      entries.push(entry)
      left -= jsonBytes(entry)
    }
  }
  return { value: Object.fromEntries(entries), leftOut }
}
