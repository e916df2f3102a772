import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Resource } from '../../src/engine/mapping/identifier.ts'
import { mapDocument } from '../../src/engine/mapping/inbound.ts'
import { bodyErrors } from '../../src/records/bodies.ts'
import { SaveMapping } from '../../src/settings/mappings/schema.ts'
import { byDepth } from '../fixtures/depth.ts'
import { type Fields, map, outcome, refusals, sent } from '../fixtures/mapped.ts'
import { pace } from '../fixtures/pace.ts'
import type { Json } from '../fixtures/tenant.ts'

const DROP = { unmapped: 'drop' } as const
const several = (rule: string, at: string, found: number) => ({
  reason: 'SEVERAL_RECORDS',
  rule,
  at,
  found,
})

describe('a rule for an identifier or a line that reads one element of several', () => {
  it.each<[string, Fields, Json, object, Resource?]>([
    ['order_number', { order_number: 'o[0].n' }, { o: [{ n: 1 }, {}] }, several('', 'o', 2)],
    ['the last', { order_number: 'o[-1].n' }, { o: [{}, {}, { n: 1 }] }, several('', 'o', 3)],
    ['a later one', { order_number: 'o[1].n' }, { o: [{}, { n: 1 }] }, several('', 'o', 2)],
    [
      'external_order_id of a document that is an array',
      { external_order_id: { from: '$[0].id', as: 'string' } },
      [{ id: 1 }, { id: 2 }],
      several('', '$', 2),
    ],
    [
      'a join',
      { order_number: { join: [{ value: 'M-' }, 'o[0].n'] } },
      { o: [{ n: 1 }, { n: 2 }] },
      several('', 'o', 2),
    ],
    [
      'a list of from',
      { order_number: { from: ['number', 'o[0].n'] } },
      { o: [{ n: 1 }, { n: 2 }] },
      several('', 'o', 2),
    ],
    [
      'the array of the lines',
      { 'items[].sku_code': 'o[0].l[].s' },
      { o: [{ l: [] }, { l: [] }] },
      several('', 'o', 2),
    ],
    [
      'the array of an each',
      { 'items[]': { each: 'o[0].l[?@.s]' }, 'items[].notes': 'o[0].l[].s' },
      { o: [{ l: [] }, { l: [] }] },
      several('', 'o', 2),
    ],
    ['all lines', { items: 'o[0].l' }, { o: [{ l: [] }, {}] }, several('', 'o', 2)],
    [
      'within a line',
      { 'items[].quantity': 'l[].q[0].n' },
      { l: [{ q: [{ n: 1 }] }, { q: [{ n: 2 }, { n: 3 }] }] },
      several('', 'l[1].q', 2),
    ],
    [
      'a third line of two',
      { 'items[0].sku_code': 'l[0].s', 'items[1].sku_code': 'l[1].s' },
      { l: [{ s: 1 }, { s: 2 }, { s: 3 }] },
      several('', 'l', 3),
    ],
    ['an array', { order_number: 'o[0][0]' }, { o: [['a'], ['b']] }, several('', 'o', 2)],
    ['sku', { sku: 'p[0].s' }, { p: [{ s: 1 }, {}] }, several('', 'p', 2), 'products'],
    ['code', { code: 'p[0].s' }, { p: [{ s: 1 }, {}] }, several('', 'p', 2), 'locations'],
    [
      'the warehouse of a stock list',
      { 'inventory[].sku_code': 'w[0].s[].sku' },
      { w: [{ s: [] }, { s: [] }] },
      several('', 'w', 2),
      'inventory',
    ],
  ])('is refused: %s', (_, fields, payload, expected, resource = 'orders') => {
    const rule = Object.keys(fields)[0]
    expect(refusals(resource, { inbound: { fields } })).toEqual([])
    for (const method of ['POST', 'PUT'] as const) {
      const problems = outcome(fields, payload, { ...DROP, resource, method })
      expect(problems[0]).toEqual({ ...expected, rule })
    }
  })

  it('is an error of the row in an upload', async () => {
    const fields: Fields = {
      'inventory[].location_code': 'r[].l',
      'inventory[].sku_code': 'r[].s',
      'inventory[].quantity': 'r[].q[0].n',
    }
    const row = (...q: Json[]) => ({ l: 'A', s: 'S', q })
    const payload = { r: [row({ n: 1 }), row({ n: 2 }, { n: 3 })] }
    const { value, problems } = map(fields, payload, { ...DROP, resource: 'inventory' })
    expect(problems).toEqual([])
    const message =
      'The mapping reads one element here, but there are 2: send each record in a request of its own, or pick the element by a filter.'
    const { errors } = await bodyErrors('inventory', 'POST', value, pace)
    expect(errors).toEqual({
      'inventory[1].quantity': [message],
    })
  })

  it.each<[string, Fields, Json, Json]>([
    ['one', { order_number: 'o[0].n' }, { o: [{ n: 'a' }] }, { order_number: 'a' }],
    ['none', { order_number: 'o[0].n' }, { o: [] }, {}],
    ['a pair', { external_order_id: 'o[1]' }, { o: [7, 'name'] }, { external_order_id: 'name' }],
    [
      'two lines',
      { 'items[0].sku_code': 'l[0].s', 'items[1].sku_code': 'l[1].s' },
      { l: [{ s: 'a' }, { s: 'b' }] },
      { items: [{ sku_code: 'a' }, { sku_code: 'b' }] },
    ],
    ['another field', { notes: 'o[0].n' }, { o: [{ n: 'a' }, {}] }, { notes: 'a' }],
    [
      'the note of a line',
      { 'items[].notes': 'l[].p[0].v' },
      { l: [{ p: [{ v: 'a' }, {}] }] },
      { items: [{ notes: 'a' }] },
    ],
    [
      'an element that a filter picks',
      { order_number: 'o[?@.n].n' },
      { o: [{ n: 'a' }, {}] },
      { order_number: 'a' },
    ],
  ])('is not refused: %s', (_, fields, payload, expected) => {
    expect(outcome(fields, payload, DROP)).toEqual(expected)
  })

  it('is refused where it writes the identifier field of the mapping', () => {
    const payload = { refs: [{ id: 'a' }, { id: 'b' }] }
    const mapped = (fields: Fields, identifier_field: string) =>
      mapDocument(
        'orders',
        { ...DROP, fields },
        { ...sent(payload, 'POST'), identifier_field },
      ).problems.map(({ reason }) => reason)
    const fields = { 'metadata.ref': 'refs[0].id' }
    expect(mapped(fields, 'metadata.ref')).toEqual(['SEVERAL_RECORDS'])
    expect(mapped({ metadata: 'refs[0]' }, 'metadata.ref')).toEqual(['SEVERAL_RECORDS'])
    expect(mapped(fields, 'metadata.other')).toEqual([])
    expect(mapped({ notes: 'refs[0].id' }, 'notes')).toEqual(['SEVERAL_RECORDS'])
  })
})

describe('a mapping that would make one record of several', () => {
  const lines: Fields = { 'items[].sku_code': '$[].sku', 'items[].quantity': '$[].qty' }
  const nested: Fields = {
    'items[]': { each: 'orders[].lines[]' },
    'items[].sku_code': 'orders[].lines[].sku',
  }

  it.each<[string, Fields, rule: string, resource?: Resource]>([
    ['the first row', { order_number: '$[0].order', ...lines }, 'order_number'],
    [
      'the last, where a filter chooses the lines',
      { external_order_id: '$[-1].id', 'items[]': { each: '$[?@.sku]' }, ...lines },
      'external_order_id',
    ],
    ['the first order', { order_number: 'orders[0].number', ...nested }, 'order_number'],
    ['all orders', { order_number: { join: ['orders[].number'] }, ...nested }, 'order_number'],
    [
      'a line within the first order',
      {
        order_number: 'o[0].lines[0].number',
        'items[].sku_code': 'o[0].lines[].sku',
      },
      'order_number',
    ],
    [
      'the quantity of the first row',
      { 'items[].sku_code': 'rows[].sku', 'items[].quantity': 'rows[0].qty' },
      'items[].quantity',
    ],
    [
      'the first warehouse',
      {
        'inventory[]': { each: 'w[].s[]' },
        'inventory[].location_code': 'w[0].code',
        'inventory[].sku_code': 'w[].s[].sku',
      },
      'inventory[].location_code',
      'inventory',
    ],
  ])('is refused when it is saved: %s', (_, fields, rule, resource = 'orders') => {
    const [refusal, ...others] = refusals(resource, { inbound: { fields } })
    expect([refusal?.[0], others]).toEqual([['inbound', 'fields', rule], []])
    expect(refusal?.[1]).toMatch(/^Takes part of ".+", of whose elements "(?:items|inventory)\[\]/)
    expect(refusal?.[1]).toContain('pick it by a filter')
  })

  it('is refused when its identifier field is one element', () => {
    const fields = { ...nested, order_number: 'number', 'metadata.ref': 'orders[0].ref' }
    const inbound = { fields }
    expect(refusals('orders', { inbound })).toEqual([])
    const places = refusals('orders', { identifier_field: 'metadata.ref', inbound })
    expect(places.map(([place]) => place)).toEqual([['inbound', 'fields', 'metadata.ref']])
  })

  it('is not refused where a note is one element', () => {
    const fields = { ...lines, order_number: '$[?@.order].order', notes: '$[0].note' }
    expect(refusals('orders', { inbound: { fields } })).toEqual([])
  })
})

describe('any mapping of a document with two orders', () => {
  const order = (number: string, ...skus: string[]) => ({
    number,
    lines: skus.map((sku) => ({ number, sku, qty: 1 })),
  })
  const orders = [order('A', 'a1', 'a2'), order('B', 'b1', 'b2')]
  // Each kind as the orders stand in it, and where an order and a line stand.
  const KINDS = [
    { wrap: (list: Json[]) => list, order: '$', line: '$', isFlat: true },
    { wrap: (list: Json[]) => ({ rows: list }), order: 'rows', line: 'rows', isFlat: true },
    { wrap: (list: Json[]) => list, order: '$', line: '.lines', isFlat: false },
    { wrap: (list: Json[]) => ({ d: { o: list } }), order: 'd.o', line: '.lines', isFlat: false },
  ]
  const element = fc.constantFrom('[0]', '[1]', '[-1]', '[?@.number]', '[]', '[?length(@.sku) > 0]')

  const situations = fc.constantFrom(...KINDS).chain((kind) => {
    const deeper = kind.isFlat ? fc.constant('') : fc.constantFrom('', '.lines[0]', '.lines[-1]')
    const path = fc.tuple(element, deeper).map((steps) => `${kind.order}${steps.join('')}.number`)
    const number = fc.oneof(
      path,
      fc.record({
        from: fc.array(path, { minLength: 1, maxLength: 2 }),
        as: fc.constant('string'),
      }),
      fc.record({ join: fc.array(path, { minLength: 1, maxLength: 2 }), with: fc.constant('+') }),
    )
    const list = fc.constantFrom('[]', '[?@.sku]', '[?@.qty > 0]')
    const array = kind.isFlat
      ? list.map((step) => `${kind.line}${step}`)
      : fc.tuple(element, list).map(([one, step]) => `${kind.order}${one}${kind.line}${step}`)
    return fc.record({ kind: fc.constant(kind), number, array, by: fc.boolean() })
  })

  function fieldsOf(number: Json, array: string, by: boolean): Fields {
    // Below an each, paths repeat its arrays without the filters.
    const within = array.replaceAll(/\[\?[^\]]*\]/g, '[]')
    return {
      ...(by && { external_order_id: number }),
      order_number: number,
      'items[]': { each: array },
      'items[].sku_code': `${within}.sku`,
      'items[].quantity': `${within}.qty`,
    }
  }

  it('is refused when it is saved, or refuses the document', async () => {
    let usable = 0
    const check = fc.asyncProperty(situations, async ({ kind, number, array, by }) => {
      const fields = fieldsOf(number, array, by)
      const saved = SaveMapping('orders').safeParse({ inbound: { unmapped: 'drop', fields } })
      if (!saved.success || !saved.data.inbound) return
      const { inbound } = saved.data
      const isTaken = async (list: Json[]) => {
        const rows = kind.isFlat ? list.flatMap(({ lines }) => lines) : list
        const payload = kind.wrap(rows)
        const { value, problems } = mapDocument('orders', inbound, sent(payload, 'POST'))
        const { errors } = await bodyErrors('orders', 'POST', value, pace)
        return problems.length === 0 && Object.keys(errors).length === 0
      }
      if (await isTaken([order('A', 'a1')])) usable += 1
      expect(await isTaken(orders), JSON.stringify(fields)).toBe(false)
    })
    await fc.assert(check, { numRuns: byDepth(700, 20_000) })
    expect(usable).toBeGreaterThan(50)
  })
})
