import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mapDocument } from '../../src/engine/mapping/inbound.ts'
import { byDepth } from '../fixtures/depth.ts'
import { sent } from '../fixtures/mapped.ts'
import { fitting, foreign } from '../fixtures/mapping-generators.ts'
import { mapNaively } from './reference.ts'

describe('a mapping without any of the newer members', () => {
  it('means to the byte what it has always meant', () => {
    let [mapped, refused] = [0, 0]
    const numRuns = byDepth(250, 3500)
    const situations = fc.oneof(
      { weight: 3, arbitrary: fitting },
      { weight: 1, arbitrary: foreign },
    )
    fc.assert(
      fc.property(situations, ({ saved, payload }) => {
        const { value, problems } = mapDocument('orders', saved, sent(payload, 'POST'))
        const expected = mapNaively(saved, payload)
        expect(problems.length === 0 ? JSON.stringify(value) : 'null').toBe(
          JSON.stringify(expected),
        )
        if (expected === null) refused += 1
        else mapped += 1
      }),
      { numRuns },
    )
    expect(mapped).toBeGreaterThan(numRuns / 10)
    expect(refused).toBeGreaterThan(numRuns / 30)
  })
})
