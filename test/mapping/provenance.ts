import { expect } from 'vitest'
import { readPath } from '../../src/engine/json/path.ts'
import { type Fields, map } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'

export type Case = [
  about: string,
  fields: Fields,
  payload: Json,
  sources: Record<string, string | null>,
]

export const check = (_: string, fields: Fields, payload: Json, sources: Case[3]) => {
  const { sourceOfPath, sourceOf } = map(fields, payload)
  const targets = Object.keys(sources)
  const found = Object.fromEntries(targets.map((target) => [target, sourceOf(target)]))
  expect(found).toEqual(sources)
  for (const target of targets) expect(sourceOfPath(readPath(target))).toBe(sources[target])
}
