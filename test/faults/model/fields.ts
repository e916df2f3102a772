import type { Json } from './state.ts'

// What a field of a body may be. The generators send what is plainly one thing or another: nothing
// here knows the finer points.

export type Check = (value: unknown) => boolean

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isName: Check = (value) => typeof value === 'string' && value !== ''
export const isText: Check = (value) => typeof value === 'string'
export const isFlag: Check = (value) => typeof value === 'boolean'
export const isDate: Check = (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
export const isDecimal: Check = (value) => /^\d{1,12}(\.\d{1,6})?$/.test(String(value))

export const isInteger =
  (least: number, most = 2_000_000_000): Check =>
  (value) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most

export const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value)

export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length > 0 && value.every(check)

export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)

export const clearable =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null || check(value)

/** Whether each of these members is as it should be; what else there is has no effect. */
export const hasFields =
  (checks: Record<string, Check>) =>
  (value: unknown): boolean =>
    isObject(value) && Object.entries(checks).every(([name, check]) => check(value[name]))

/** The members of the body that are among these. */
export function given(body: Json, names: readonly string[]): Json {
  return Object.fromEntries(
    names.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]),
  )
}

/** Generated with both members. A day that is over is refused. */
export const isPause = hasFields({
  until: (moment) => moment === null || String(moment) > '2026',
  note: (note) => note !== '',
})

/** What is kept of documents; generated with all three members. */
export const isPolicy = hasFields({
  of: oneOf('errors', 'all'),
  days: isInteger(1, 90),
  redact: (paths) => Array.isArray(paths) && paths.every((path) => !String(path).endsWith('[')),
})

export function instant(date: unknown): string | null {
  return typeof date === 'string' ? new Date(date).toISOString() : null
}
