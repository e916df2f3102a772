import { ExactNumber } from './exact-number.ts'

// In a file of its own because the dashboard's script, which reads paths, loads it too.

export type JsonObject = Record<string, unknown>

export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber)
  )
}

/** Whether the step leads to the text of an XML element, which is the element where nothing else is in it. */
export function isOwnText(value: unknown, step: unknown): boolean {
  return step === '#text' && typeof value === 'string'
}

/**
 * The own member of an object, or the element of an array (-1 is the last); undefined if there is none. `#text` of a text is
 * that text.
 */
export function memberOf(value: unknown, step: unknown): unknown {
  if (isOwnText(value, step)) return value
  if (typeof step === 'string') {
    return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  }
  return typeof step === 'number' && Array.isArray(value) ? value.at(step) : undefined
}
