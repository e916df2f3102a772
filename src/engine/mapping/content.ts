import { ExactNumber } from '../json/exact-number.ts'
import type { WorkMeter } from '../json/filter/evaluate.ts'
import type { NoValues } from './no-values.ts'

/** Whether the value is one, or has one at any depth: null, empty texts and what is in `none` are none. */
export function hasContent(value: unknown, none: NoValues | null, meter: WorkMeter): boolean {
  if (value === undefined || value === null || value === '' || none?.has(value)) return false
  if (typeof value !== 'object' || value instanceof ExactNumber) return true
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    meter.work += 1
    if (meter.work > meter.workMax) return false
    if (hasContent(member, none, meter)) return true
  }
  return false
}
