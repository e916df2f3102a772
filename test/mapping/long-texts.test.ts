import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../../src/engine/json/exact-number.ts'
import { parseJson } from '../../src/engine/json/json.ts'
import { memberOf } from '../../src/engine/json/json-object.ts'
import { readPath } from '../../src/engine/json/path.ts'
import { mapDocument } from '../../src/engine/mapping/inbound.ts'
import { mapRecord } from '../../src/engine/mapping/outbound.ts'
import { byDepth, inDeepPass, sample } from '../fixtures/depth.ts'
import { type Fields, outcome } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { constructs } from './construct-generators.ts'

// Beside the others of the quick pass these tests have a second or two: an attack that they look for takes that alone.
const RUNS = { numRuns: byDepth(8, 300) }
const ELEMENTS = 20_000
const EM_SPACE = '\u2003'

const many = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index))
const rules = (count: number, rule: (index: number) => [string, Fields[string]]): Fields =>
  Object.fromEntries(many(count, rule))

/** As a request: the numbers of the JSON text keep their digits. */
function questions(resource: 'orders' | 'inventory', fields: Fields, json: string): void {
  const bytes = new TextEncoder().encode(json)
  const { value: payload, hasExactNumbers } = parseJson(bytes, { keepsDigits: true })
  for (const method of ['POST', 'PUT']) {
    const sent = { method, payload, bytes: bytes.length, hasExactNumbers }
    const mapped = mapDocument(resource, { unmapped: 'drop', fields }, sent)
    if (mapped.problems.length > 0) continue
    mapped.unread()
    for (const field of Object.keys(fields)) {
      const [array = ''] = field.split('[]')
      const rows = readPath(array).reduce<unknown>(memberOf, mapped.value)
      const count = field.includes('[]') && Array.isArray(rows) ? rows.length : 1
      for (let row = 0; row < count; row += 4) mapped.sourceOf(field.replace('[]', `[${row}]`))
    }
  }
}

/** The least of three: others use the machine too. Stops as soon as one is short enough. */
function timeOf(work: () => unknown, enough = 0): number {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < 3 && least > enough; turn++) {
    const start = performance.now()
    work()
    least = Math.min(least, performance.now() - start)
  }
  return least
}

/** What the budget of steps allows: filters that look at numbers until it is spent, in a POST and twice in a PUT. */
function timeOfBudget(): number {
  const filters = rules(200, (at) => [`metadata.f${at}`, `a[?@ == -${at + 1}]`])
  const payload = { a: many(999_000, (index) => index) }
  return 3 * timeOf(() => outcome(filters, payload, { unmapped: 'drop' }))
}

let budget = timeOfBudget()

/** The machine may have become slower since the budget was measured. */
function expectWithinBudget(work: () => unknown): void {
  if (timeOf(work, 2 * budget) < 2 * budget) return
  budget = Math.max(budget, timeOfBudget())
  expect(timeOf(work, 2 * budget)).toBeLessThan(2 * budget)
}

const blank = (length: number) => `"${EM_SPACE.repeat(length)}"`
const LONG: Record<string, string> = {
  'em spaces': blank(100_000),
  'em spaces and a letter': `"${EM_SPACE.repeat(100_000)}x"`,
  'as many of two bytes': `"${EM_SPACE.repeat(1)}${'y'.repeat(100_000)}"`,
  letters: `"${'x'.repeat(300_000)}"`,
  'a number of 100,000 digits': '9'.repeat(100_000),
  'a number of 1000 digits': `0.1${'0'.repeat(990)}1`,
  'the longest that is read as a number': `"1${'0'.repeat(398)}"`,
  'the longest that is read as a date': `"${' '.repeat(370)}0001-01-01"`,
  'an object': `{"b":${blank(50_000)},"c":[${many(10_000, () => '1.50').join()}]}`,
}
const SHORT = ['"x"', '1', 'null', '" "', '2.50']
const jsonOf = (name: string) => LONG[name] ?? name
const long = fc.constantFrom(...Object.keys(LONG))
const short = fc.constantFrom(...SHORT)
const one = fc.oneof({ weight: 2, arbitrary: long }, { weight: 1, arbitrary: short })

/** One long text beside many elements: in the document, in the element that they lie in, or in one of them. */
const documents = fc.record({
  text: long,
  a: one,
  k: one,
  v: one,
  inner: short,
  isDeep: fc.boolean(),
})

interface Document {
  text: string
  a: string
  k: string
  v: string
  inner: string
  isDeep: boolean
}

function written({ isDeep, inner, ...names }: Document): string {
  const [text, a, k, v] = [names.text, names.a, names.k, names.v].map(jsonOf)
  const small = `{"k":${inner},"v":"x"}`
  const elements = `[{"k":${k},"v":${v}},${many(ELEMENTS, () => small).join()}]`
  const lines = isDeep ? `[{"k":${k},"v":${v},"o":${elements}}]` : elements
  return `{"a":${a},"b":${text},"c":[${text}],"d":${v},"l":${lines}}`
}

describe('any mapping of one long text and many elements', () => {
  it('takes no more time than its steps allow', () => {
    fc.assert(
      fc.property(constructs, documents, (fields, document) => {
        const json = written(document)
        expectWithinBudget(() => questions('orders', fields, json))
      }),
      { ...RUNS, endOnFailure: true },
    )
  }, 300_000)

  it('of our own record takes no more either', () => {
    const of = (value: string) => JSON.parse(value)
    fc.assert(
      fc.property(constructs, documents, (fields, document) => {
        const { l, ...rest } = of(written(document))
        const record = { ...rest, l: l.slice(0, 1000) }
        expectWithinBudget(() => mapRecord({ unmapped: 'drop', fields }, record))
      }),
      { ...RUNS, endOnFailure: true },
    )
  }, 300_000)
})

const EACH: Fields = { 'inventory[]': { each: 'w[].s[]' } }
const rows = (outer: string) => `{"w":[{${outer},"s":[${many(ELEMENTS, () => '{}').join()}]}]}`
const equal = (length: number, text: string) =>
  `"t":[{"a":${text.repeat(length)},"b":${text.repeat(length)},"v":1}]`
const twenty = many(20, () => '@.a==@.b').join('&&')

describe('a long text beside many elements', () => {
  it.each(
    sample<[string, Fields, string]>(
      [
        [
          'of white space, read as text',
          { ...EACH, 'inventory[].location_code': { from: 'w[].code', as: 'string' } },
          rows(`"code":${LONG['em spaces and a letter']}`),
        ],
        [
          'of white space, in a list with a default',
          {
            ...EACH,
            'inventory[].location_code': {
              from: ['w[].s[].none', ...many(7, () => 'w[].code')],
              as: 'string',
              default: 'L',
            },
          },
          rows(`"code":${blank(133_333)}`),
        ],
        [
          'of white space, in lists of 200 rules',
          rules(200, (at) => [`metadata.f${at}`, { from: many(8, () => 't'), as: 'string' }]),
          `{"t":${blank(3_000_000)}}`,
        ],
        [
          'of digits, compared by a filter',
          { ...EACH, 'inventory[].quantity': { from: `w[].t[?${twenty}].v`, as: 'integer' } },
          rows(equal(100_000, '9')),
        ],
        [
          'that goes as a parent to each of them',
          { 'metadata.x[]': { each: 'w[].s[]' }, 'metadata.x[].o': 'w[].o' },
          rows(`"o":[${many(10_000, () => '1.50').join()}]`),
        ],
      ],
      2,
    ),
  )('%s takes no more time than its steps allow', (_, fields, json) => {
    expectWithinBudget(() => questions('inventory', fields, json))
  })

  inDeepPass(() => {
    it('that is rounded, read as a number takes no more time than its steps allow', () => {
      const fields = rules(100, (at) => [
        `metadata.f[].x${at}`,
        { from: 'w[].q', as: 'integer', default: 1 },
      ])
      const json = `{"w":[${many(9000, () => `{"q":${LONG['a number of 1000 digits']}}`).join()}]}`
      expectWithinBudget(() => questions('inventory', fields, json))
    })
  })

  const compared = rules(200, (at) => [`metadata.f${at}`, `l[?${twenty}&&@.z==${at}]`])
  const text = (end: string) => 'x'.repeat(50_000) + end
  const digits = (end: string) => new ExactNumber(`1${'0'.repeat(500)}${end}`)
  it.each(
    sample<[string, Fields, Json]>(
      [
        [
          'equal ones are compared',
          compared,
          { l: many(60, () => ({ a: text('a'), b: text('a'), z: -1 })) },
        ],
        [
          'numbers are compared',
          compared,
          { l: many(100, () => ({ a: digits('1'), b: digits('1'), z: -1 })) },
        ],
        [
          'numbers are read',
          rules(40, (at) => [`metadata.f[].x${at}`, { from: 'l[].q', as: 'decimal' }]),
          { l: many(20_000, () => ({ q: `1${'0'.repeat(398)}` })) },
        ],
        [
          'it is found to be blank',
          rules(200, (at) => [`metadata.f${at}`, { from: 't', as: 'string' }]),
          { t: EM_SPACE.repeat(3_000_000) },
        ],
      ],
      2,
    ),
  )('counts its characters where %s', (_, fields, payload) => {
    const [problem] = outcome(fields, payload, { unmapped: 'drop' })
    expect(problem).toMatchObject({ reason: 'TOO_LARGE', unit: 'steps' })
  })

  it('counts once for each copy that goes to an inner element', () => {
    const fields: Fields = { ...EACH, 'inventory[].sku_code': 'w[].code' }
    const w = (rows: number): Json => [{ code: 'x'.repeat(1000), s: many(rows, () => ({})) }]
    const one = { resource: 'inventory', unmapped: 'drop' } as const
    expect(outcome(fields, { w: w(10_000) }, one).inventory).toHaveLength(10_000)
    expect(outcome(fields, { w: w(11_000) }, one)).toEqual([
      expect.objectContaining({ reason: 'TOO_LARGE', unit: 'bytes', rule: 'inventory[].sku_code' }),
    ])
  })

  it('is read anew for each outer element', () => {
    const fields: Fields = {
      'items[]': { each: 'w[].s[]' },
      'items[].sku_code': { from: ['w[].s[].own', 'w[].code'], as: 'string' },
      'items[].quantity': { from: 'w[].q', as: 'integer' },
      'items[].notes': { join: ['w[].code', 'w[].s[].n'] },
    }
    const s = (...n: number[]) => n.map((value) => ({ n: value }))
    const w = [
      { code: 'A', q: '1', s: s(1, 2) },
      { code: 'B', q: '2', s: [{ n: 3, own: 'C' }, { n: 4 }] },
    ]
    expect(outcome(fields, { w }, { unmapped: 'drop' }).items).toEqual([
      { sku_code: 'A', quantity: 1, notes: 'A 1' },
      { sku_code: 'A', quantity: 1, notes: 'A 2' },
      { sku_code: 'C', quantity: 2, notes: 'B 3' },
      { sku_code: 'B', quantity: 2, notes: 'B 4' },
    ])
  })
})
