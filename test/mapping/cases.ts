import { expect } from 'vitest'
import type { Json } from '../tenant.ts'
import { type Fields, type Options, outcome } from './mapped.ts'

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
