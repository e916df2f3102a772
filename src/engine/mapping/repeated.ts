import { jsonBytes } from '../json/fields.ts'
import type { Problem } from './problem.ts'
import type { MappingRule } from './rules.ts'
import { type Broadcast, hasRoomForBytes, type MappingRun } from './run.ts'

/** The value that a rule writes into every element. Reads it once, so that problems are noted once. */
export function readBroadcast(
  run: MappingRun,
  rule: MappingRule,
  read: (run: MappingRun) => unknown,
): unknown {
  const known = run.broadcast.get(rule) ?? readOnce(run, rule, read)
  if (known.fault) run.noteValue(rule, () => known.fault as Problem)
  return hasRoomForBytes(run, rule, known.bytes) ? known.value : undefined
}

function readOnce(
  run: MappingRun,
  rule: MappingRule,
  read: (run: MappingRun) => unknown,
): Broadcast {
  const value = read(run)
  const fault = rule.isOfRow ? run.rowFaults?.get(String(rule.target[2])) : undefined
  const known = { value, bytes: bytesOf(run, value), fault }
  run.broadcast.set(rule, known)
  return known
}

/** The size as JSON; a little more than there is room for if it is larger. */
function bytesOf(run: MappingRun, value: unknown): number {
  return value === undefined ? 0 : jsonBytes(value, run.bytesLeft)
}

interface Known<Value> {
  origin: unknown
  value: Value
  bytes?: number
}

/**
 * Reads what is the same for many elements of the target, because it lies in an outer array's element (that of the
 * slot) or in none: once for each outer element. `written` is the part that the rule writes: each further copy of it
 * counts. What notes a problem is read again, and notes it for each element.
 */
export function onceForOuter<Value>(
  rule: MappingRule,
  slot: number | undefined,
  read: (run: MappingRun) => Value,
  written: (value: Value) => unknown,
): (run: MappingRun) => Value | undefined {
  const byRun = new WeakMap<MappingRun, Known<Value>>()
  return (run) => {
    const origin = slot === undefined ? run.payload : run.elements[slot]
    const known = byRun.get(run)
    if (known && known.origin === origin) {
      known.bytes ??= bytesOf(run, written(known.value))
      return hasRoomForBytes(run, rule, known.bytes) ? known.value : undefined
    }
    const before = run.noted
    const value = read(run)
    if (run.noted === before) byRun.set(run, { origin, value })
    return value
  }
}
