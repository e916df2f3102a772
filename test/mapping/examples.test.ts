import { describe, expect, it } from 'vitest'
import { EXAMPLES, REFUSED } from './examples.ts'
import { asJson, map, refusals, refusedRules } from './mapped.ts'

describe('the worked examples', () => {
  it.each(EXAMPLES)('$number, $about, gives what it says', (example) => {
    const { rules, payload, expected, ...options } = example
    const { value, problems } = map(rules.fields, payload, { ...options, ...rules })
    if ('value' in expected) {
      expect(asJson(problems)).toEqual([])
      expect(value).toStrictEqual(expected.value)
    } else {
      expect(asJson(problems)).toStrictEqual([expected.problem])
    }
  })

  it.each(EXAMPLES)('$number, $about, may be saved', ({ resource, rules }) => {
    expect(refusals(resource, { inbound: rules })).toEqual([])
  })

  it.each(REFUSED)('15, $about, is refused when it is saved', ({ fields, rule }) => {
    expect(refusedRules('orders', fields)).toContain(rule)
  })

  it('are all there', () => {
    const numbers = Array.from({ length: 14 }, (_, at) => at + 1)
    expect([...new Set(EXAMPLES.map(({ number }) => number))]).toEqual(numbers)
    expect(REFUSED).toHaveLength(5)
  })
})
