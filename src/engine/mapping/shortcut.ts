import { isObject } from '../json/json-object.ts'
import type { Path } from '../json/path.ts'
import type { MappingRule } from './rules.ts'
import type { MappingRun } from './run.ts'
import { beginningOf, type Slots } from './streams.ts'

/** The names that lead from the element of a slot (see Run) to the value that a rule reads. */
export interface Shortcut {
  slot: number
  names: string[]
}

/** Null if the path does not lead by names alone from the elements at hand to a value. */
export function shortcutTo(rule: MappingRule, path: Path, slots: Slots): Shortcut | null {
  const { slot, start, isOuter } = beginningOf(rule, path, slots)
  const steps = path.slice(start)
  const names = steps.filter((step) => typeof step === 'string').filter(isNeverInherited)
  if (slot === undefined || isOuter || rule.none) return null
  return names.length === steps.length ? { slot, names } : null
}

function isNeverInherited(name: string): boolean {
  return !(name in Object.prototype)
}

/** Skips `hasOwn`, which is 20 % faster and safe here: `Object.prototype` has none of these names. */
export function readShortcut(run: MappingRun, { slot, names }: Shortcut): unknown {
  let value = run.elements[slot]
  for (const name of names) {
    if (!isObject(value)) return undefined
    value = value[name]
  }
  return value
}
