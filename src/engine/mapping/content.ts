import { ExactNumber } from '../json/exact-number.ts'
import type { WorkMeter } from '../json/filter/evaluate.ts'
import { isObject } from '../json/json-object.ts'
import { convertedText } from './convert.ts'
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

/** Whether both are the same as JSON, whatever the order of members. */
export function isSame(one: unknown, other: unknown, meter: WorkMeter): boolean {
  if (one === other) return true
  meter.work += 1
  if (meter.work > meter.workMax) return false
  const isText = typeof one === 'string' || typeof other === 'string'
  const text = isText ? undefined : convertedText(one)
  if (text !== undefined) return text === convertedText(other)
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false
    return one.every((element, at) => isSame(element, other[at], meter))
  }
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name], meter))
  )
}
