import { describe, expect, it } from 'vitest'
import { mapDocument } from '../../src/engine/mapping/inbound.ts'
import { asJson, refusals, refusedRules, sent } from '../fixtures/mapped.ts'
import { ARRAY_EXAMPLE, EXAMPLES, REFUSED } from '../fixtures/mapping-examples.ts'

const ALL = [...EXAMPLES, ARRAY_EXAMPLE]

describe('the worked examples', () => {
  it.each(ALL)('$number, $about, gives what it says', (example) => {
    const { rules, payload, expected, ...options } = example
    const { value, problems } = mapDocument(options.resource, rules, sent(payload, options.method))
    if ('value' in expected) {
      expect(asJson(problems)).toEqual([])
      expect(value).toStrictEqual(expected.value)
    } else {
      expect(asJson(problems)).toStrictEqual([expected.problem])
    }
  })

  it.each(ALL)('$number, $about, may be saved', ({ resource, rules }) => {
    expect(refusals(resource, { inbound: rules })).toEqual([])
  })

  it.each(REFUSED)('15, $about, is refused when it is saved', ({ fields, rule }) => {
    expect(refusedRules('orders', fields)).toContain(rule)
  })

  it('are all there', () => {
    const numbers = Array.from({ length: 29 }, (_, at) => at + 1).filter((number) => number !== 15)
    expect([...new Set(ALL.map(({ number }) => number))].sort((a, b) => a - b)).toEqual(numbers)
    expect(REFUSED).toHaveLength(6)
  })
})
