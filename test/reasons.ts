import { expect } from 'vitest'
import { REASONS } from '../src/engine/errors.ts'

// Most errors of these codes have none.
const OPTIONAL = ['VALIDATION_ERROR', 'INTERNAL_ERROR']

/** The names of the reasons of a code. */
export function reasonsOf(code: string): string[] {
  return Object.keys(Object.entries(REASONS).find(([name]) => name === code)?.[1] ?? {})
}

/** `{reason}` as an error of this code must have it: one of the code's own, or none where it has none. */
export function reasonIn(error: { code: string; reason?: string } | undefined, code: string) {
  const reasons = reasonsOf(code)
  const mayLack = reasons.length === 0 || OPTIONAL.includes(code)
  return mayLack && error?.reason === undefined ? {} : { reason: expect.toBeOneOf(reasons) }
}
