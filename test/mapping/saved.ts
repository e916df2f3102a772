import { expect } from 'vitest'
import type { Resource } from '../../src/engine/mapping/identifier.ts'
import { refusals } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'

/** The messages about the rules of an inbound mapping, by rule. */
export function words(fields: unknown, resource: Resource = 'orders'): Record<string, string> {
  const found = refusals(resource, { inbound: { fields } })
  return Object.fromEntries(found.map(([place, message]) => [place.at(-1), message]))
}

export type Refused = [about: string, fields: Record<string, Json>, message: string]

/** One of the rules is refused, with this message. */
export const refuses = (_: string, fields: Record<string, Json>, message: string) => {
  expect(Object.values(words(fields))).toEqual([message])
}
