import { expect } from 'vitest'
import { type Fields, type Options, outcome } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'

export type Case = [about: string, fields: Fields, payload: Json, expected: Json, options?: Options]

export const check = (
  _: string,
  fields: Fields,
  payload: Json,
  expected: Json,
  options?: Options,
) => {
  expect(outcome(fields, payload, options)).toStrictEqual(expected)
}

/** As `check`, without the fields that no rule reads. */
export const dropping = (...[about, fields, payload, expected, options]: Case) =>
  check(about, fields, payload, expected, { unmapped: 'drop', ...options })
