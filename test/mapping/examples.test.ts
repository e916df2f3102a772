import { describe, expect, it } from 'vitest'
import mappings from '../../docs/mappings.md?raw'
import { mapDocument } from '../../src/engine/mapping/inbound.ts'
import { asJson, refusals, refusedRules, sent } from '../fixtures/mapped.ts'
import { ARRAY_EXAMPLE, EXAMPLES, REFUSED } from '../fixtures/mapping-examples.ts'
import { type Row, sectionOf, tablesOf } from '../fixtures/markdown.ts'

const ALL = [...EXAMPLES, ARRAY_EXAMPLE]

const [table = new Map<string, Row>()] = tablesOf(sectionOf(mappings, 'Worked examples'))
const documented = [...table].map(([number, row]) => ({ number: Number(number), row }))

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

  it.each(documented)('$number is the same in docs/mappings.md', ({ number, row }) => {
    const [example] = ALL.filter((one) => one.number === number)
    const { rules, payload, expected } = example!
    for (const target of Object.keys(rules.fields)) {
      expect(row['Rules (mode)']).toContain(`\`${target}: `)
    }
    const [body] = codesIn(row.Body)
    const [result, at] = codesIn(row.Result)
    expect(JSON.parse(body!)).toStrictEqual(payload)
    if ('value' in expected) expect(JSON.parse(result!)).toStrictEqual(expected.value)
    else
      expect({ reason: result, at }).toStrictEqual({
        reason: expected.problem.reason,
        at: expected.problem.at,
      })
  })

  it.each(REFUSED)('15, $about, is refused when it is saved', ({ fields, rule }) => {
    expect(refusedRules('orders', fields)).toContain(rule)
  })

  it('are all there', () => {
    const numbers = Array.from({ length: 29 }, (_, at) => at + 1).filter((number) => number !== 15)
    expect([...new Set(ALL.map(({ number }) => number))].sort((a, b) => a - b)).toEqual(numbers)
    expect(documented.map(({ number }) => number)).toEqual(numbers)
    expect(REFUSED).toHaveLength(6)
  })
})

/** What stands between backticks. */
function codesIn(cell = ''): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '')
}
