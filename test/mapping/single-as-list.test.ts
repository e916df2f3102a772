import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyFault, mapDocument } from '../../src/engine/mapping/inbound.ts'
import type { SavedRule, SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import { byDepth } from '../fixtures/depth.ts'
import { mismatch, refusals, sent } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { constructs } from './construct-generators.ts'

const rulesOf = (fields: Record<string, SavedRule>): SavedRules => ({
  unmapped: 'drop',
  single_as_list: true,
  fields,
})
const mapped = (fields: Record<string, SavedRule>, payload: Json) =>
  mapDocument('orders', rulesOf(fields), sent(payload, 'POST'))

const line: Record<string, SavedRule> = {
  'items[].sku_code': 'order.line[].sku',
  'items[].quantity': { from: 'order.line[].qty', as: 'integer' },
}

describe('a single value under "single_as_list"', () => {
  it.each<[about: string, fields: Record<string, SavedRule>, payload: Json, value: Json]>([
    [
      'is a list of one',
      line,
      { order: { line: { sku: 'A', qty: '2' } } },
      { items: [{ sku_code: 'A', quantity: 2 }] },
    ],
    [
      'is no list where there is one',
      line,
      { order: { line: [{ sku: 'A' }, { sku: 'B' }] } },
      { items: [{ sku_code: 'A' }, { sku_code: 'B' }] },
    ],
    ['is an empty list as an empty text', line, { order: { line: '' } }, { items: [] }],
    ['is no value as null', line, { order: { line: null } }, {}],
    [
      'has an element 0, and a last one',
      { notes: 'a[0]', 'metadata.x': 'a[-1]', 'metadata.y': 'a[1]' },
      { a: 'x' },
      { notes: 'x', metadata: { x: 'x' } },
    ],
    [
      'is an object at an index',
      { notes: 'a[0].b', 'metadata.x': 'a[-1].b' },
      { a: { b: 1 } },
      { notes: 1, metadata: { x: 1 } },
    ],
    [
      'is tested by a filter',
      { notes: "a[?@.k == 'x'].v", 'metadata.y': "a[?@.k == 'y'].v" },
      { a: { k: 'x', v: 1 } },
      { notes: 1 },
    ],
    [
      'is each element',
      {
        'items[]': { each: 'a[?@.q > 0].l[]' },
        'items[].sku_code': 'a[].l[].s',
        'items[].notes': 'a[].n',
      },
      { a: { q: 1, n: 'x', l: { s: 'A' } } },
      { items: [{ sku_code: 'A', notes: 'x' }] },
    ],
    [
      'is joined',
      { notes: { join: ['a[].v', 'b[0].v', { pair: ['c[].n', 'c[].v'] }] } },
      { a: { v: 1 }, b: { v: 2 }, c: { n: 'x', v: 3 } },
      { notes: '1 2 x: 3' },
    ],
    [
      'is taken off',
      { 'metadata.x': { from: 'q', as: 'integer', less: ['c[].q'] } },
      { q: 3, c: { q: 1 } },
      { metadata: { x: 2 } },
    ],
    [
      'is a text, a number, true',
      { 'metadata.tags[]': 't[]' },
      { t: 'a' },
      { metadata: { tags: ['a'] } },
    ],
  ])('%s', (_, fields, payload, value) => {
    const { problems, value: got } = mapped(fields, payload)
    expect([problems, got]).toEqual([[], value])
  })

  it('keeps the path that it has in the document', () => {
    const { sourceOf, unread, problems } = mapped(
      { ...line, 'items[].notes': { join: ['order.line[].o[].v'] } },
      { order: { line: { sku: 'A', qty: 1, o: { v: 'x', w: 1 }, more: 1 } } },
    )
    expect(problems).toEqual([])
    expect(sourceOf('items[0].sku_code')).toBe('order.line.sku')
    expect(sourceOf('items[0].notes')).toBe('order.line.o.v')
    expect(sourceOf('items')).toBe('order.line')
    expect(unread().fields.map(({ field }) => field)).toEqual([
      'order.line[].o[].w',
      'order.line[].more',
    ])
    const faulty = mapped(line, { order: { line: { sku: 'A', qty: 'x' } } })
    expect(faulty.problems).toMatchObject([{ reason: 'CONVERSION', at: 'order.line.qty' }])
  })

  it('is the document itself', () => {
    const rules = rulesOf({ order_number: '$[0].no', 'items[].sku_code': '$[0].l[].s' })
    const { value } = mapDocument('orders', rules, sent({ no: 'A', l: [{ s: 'B' }] }, 'POST'))
    expect(value).toEqual({ order_number: 'A', items: [{ sku_code: 'B' }] })
    expect([bodyFault('orders', rules, {}), bodyFault('orders', rules, [])]).toEqual([null, null])
    expect(bodyFault('orders', { ...rules, single_as_list: false }, {})).toContain(
      'must be an array, of JSON or the rows of a CSV',
    )
  })

  it('is refused where the mapping does not say so', () => {
    const { problems } = mapDocument(
      'orders',
      { ...rulesOf(line), single_as_list: false },
      sent({ order: { line: { sku: 'A' } } }, 'POST'),
    )
    expect(problems).toEqual([mismatch('items[].sku_code', 'order.line', 'array', 'object')])
  })

  it('gives what the list of it gives, by any rules', () => {
    const few = { requiredKeys: [] as never[], noNullPrototype: true }
    const scalar = fc.constantFrom<Json[]>('x', 'y', 1, 0, true, '2020-01-01')
    const inner = fc.record({ k: scalar, v: scalar }, few)
    const element = fc.record({ k: scalar, v: scalar, o: fc.tuple(inner) }, few)
    const document = fc.record(
      { a: scalar, b: scalar, c: fc.tuple(scalar), l: fc.tuple(element) },
      few,
    )
    fc.assert(
      fc.property(constructs, document, (fields, listed) => {
        // A rule that takes a list whole writes it as it is.
        const isWhole = Object.values(fields).some((rule) =>
          /"(?:c|l|a)"/.test(JSON.stringify(rule)),
        )
        fc.pre(!isWhole)
        const single = unlisted(listed)
        const [one, other] = [mapped(fields, listed), mapped(fields, single)]
        expect(other.problems.map(({ reason }) => reason)).toEqual(
          one.problems.map(({ reason }) => reason),
        )
        if (one.problems.length === 0) expect(unlisted(other.value)).toEqual(unlisted(one.value))
      }),
      { numRuns: byDepth(200, 3000) },
    )
  })

  it('is said in true or false, of what comes in', () => {
    const of = (direction: object) => refusals('orders', direction).map(([, message]) => message)
    expect(of({ inbound: { fields: {}, single_as_list: true } })).toEqual([])
    expect(of({ inbound: { fields: {}, single_as_list: 'yes' } })).toHaveLength(1)
    expect(of({ outbound: { fields: {}, single_as_list: true } })).toEqual([
      'Only "inbound" can have "single_as_list".',
    ])
  })
})

/** The document with its lists of one as single values. */
function unlisted(value: Json): Json {
  if (Array.isArray(value)) return unlisted(value[0])
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unlisted(member)]))
}
