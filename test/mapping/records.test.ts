import { describe, expect, it } from 'vitest'
import { mapDocument, mapRecords } from '../../src/engine/mapping/inbound.ts'
import type { SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import { SaveMapping } from '../../src/settings/mappings/schema.ts'
import { mismatch, missing, refusals, sent } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'

/** The mapping as it is saved. */
function saved(inbound: object, resource: 'orders' | 'products' = 'orders'): SavedRules {
  const { inbound: rules } = SaveMapping(resource).parse({ inbound })
  return rules as SavedRules
}

/** The value of each record, or its problems. */
function each(inbound: object, payload: Json): Json {
  const { records, problems } = mapRecords('orders', saved(inbound), sent(payload, 'POST'))
  if (problems.length > 0) return problems
  return records.map((record) => (record.problems.length > 0 ? record.problems : record.value))
}

const by = (path: string, ...group_by: string[]) => ({
  records: { each: path, ...(group_by.length > 0 && { group_by }) },
})

describe('records with each', () => {
  it.each<[string, string, object, Json, Json]>([
    [
      'what lies below and beside',
      'data.orders[]',
      { order_number: 'data.orders[].id', notes: 'data.shop' },
      { data: { shop: 'W', orders: [{ id: 'A' }, { id: 'B' }] } },
      [
        { notes: 'W', order_number: 'A' },
        { notes: 'W', order_number: 'B' },
      ],
    ],
    [
      'a document that is an array',
      '$[?@.n]',
      { order_number: '$[].n' },
      [{ n: 'A' }, { x: 1 }, { n: 'B' }],
      [{ order_number: 'A' }, { order_number: 'B' }],
    ],
    [
      'an object below an element',
      'edges[].node',
      { order_number: 'edges[].node.id', notes: 'edges[].cursor' },
      { edges: [{ cursor: 'c', node: { id: 'A' } }, { node: null }] },
      [{ order_number: 'A', notes: 'c' }, {}],
    ],
    [
      'nested arrays',
      'batches[].orders[?@.n]',
      { order_number: 'batches[].orders[].n', notes: 'batches[].name' },
      { batches: [{ name: 'x', orders: [{ n: 'A' }, {}] }, {}, { orders: [{ n: 'B' }] }] },
      [{ order_number: 'A', notes: 'x' }, { order_number: 'B' }],
    ],
    [
      'three further arrays',
      'o[]',
      { 'items[]': { each: 'o[].a[].b[].c[?@.s]' }, 'items[].sku_code': 'o[].a[].b[].c[].s' },
      { o: [{ a: [{ b: [{ c: [{ s: 'S' }, {}] }] }] }] },
      [{ items: [{ sku_code: 'S' }] }],
    ],
    [
      'joined texts, and an element that a filter picks',
      'o[]',
      {
        customer_name: { join: ['o[].f', 'o[].l'] },
        notes: "o[].attributes[?@.k == 'gift'].v",
        'metadata.tags[]': 'o[].tags[]',
      },
      { o: [{ f: 'A', l: 'B', attributes: [{ k: 'gift', v: 'yes' }], tags: ['x', 'y'] }] },
      [{ customer_name: 'A B', notes: 'yes', metadata: { tags: ['x', 'y'] } }],
    ],
    [
      'a value of the wrong kind in one of them',
      'o[]',
      { order_number: 'o[].h.n' },
      { o: [{ h: { n: 'A' } }, { h: 'no' }, 5] },
      [
        { order_number: 'A' },
        [mismatch('order_number', 'o[1].h', 'object', 'string')],
        [mismatch('order_number', 'o[2]', 'object', 'number')],
      ],
    ],
    [
      'pairs, and a quantity without what was cancelled',
      'o[]',
      {
        'items[].quantity': {
          from: 'o[].l[].q',
          as: 'integer',
          less: ['o[].l[].cancelled[].q'],
          times: 'o[].pack',
        },
        'items[].notes': { join: [{ pair: ['o[].l[].k[].n', 'o[].l[].k[].v'] }] },
      },
      {
        o: [{ pack: 12, l: [{ q: 5, cancelled: [{ q: 2 }, { q: 1 }], k: [{ n: 'a', v: 'b' }] }] }],
      },
      [{ items: [{ quantity: 24, notes: 'a: b' }] }],
    ],
    ['no records', 'o[]', { order_number: 'o[].n' }, { o: [] }, []],
    ['no array', 'a.o[]', { order_number: 'a.o[].n' }, { a: {} }, [missing('records.each', 'a.o')]],
    [
      'one object instead of an array',
      'o[]',
      { order_number: 'o[].n' },
      { o: { n: 'A' } },
      [mismatch('records.each', 'o', 'array', 'object')],
    ],
  ])('map %s', (_, path, fields, payload, expected) => {
    expect(each({ ...by(path), fields }, payload)).toEqual(expected)
  })

  it('are 500 and not one more', () => {
    const rules = { ...by('o[?@.n > 0]'), fields: { order_number: 'o[].n' } }
    const document = (records: number) => ({
      o: [{ n: 0 }, ...Array.from({ length: records }, () => ({ n: 1 }))],
    })
    expect(each(rules, document(500))).toHaveLength(500)
    expect(each(rules, document(501))).toEqual([
      { reason: 'TOO_LARGE', rule: 'records.each', at: 'o', expected: 500, unit: 'records' },
    ])
  })

  it('take together what one document may take', () => {
    const rules = { ...by('o[]'), fields: { order_number: 'o[].n', notes: 'shop' } }
    const long = 'x'.repeat(100_000)
    const payload = { shop: long, o: Array.from({ length: 200 }, (_, n) => ({ n: `${n}` })) }
    expect(each(rules, payload)).toMatchObject([
      { reason: 'TOO_LARGE', rule: 'records.each', unit: 'bytes' },
    ])
    const many = { ...by('o[]'), fields: { 'metadata.t[]': { each: 'shop[?@.a]' } } }
    const shop = Array.from({ length: 100_000 }, () => ({}))
    const work = { shop, o: Array.from({ length: 500 }, () => ({})) }
    expect(each(many, work)).toMatchObject([{ reason: 'TOO_LARGE', unit: 'steps' }])
  })

  it('tell where each value comes from', () => {
    const fields = {
      order_number: 'b[].o[].n',
      notes: 'b[].x',
      customer_name: 'shop',
      'items[].sku_code': 'b[].o[].l[].s',
    }
    const payload = { shop: 'W', b: [{}, { x: 'X', o: [{}, { n: 'A', l: [{}, { s: 'S' }] }] }] }
    const { records } = mapRecords(
      'orders',
      saved({ ...by('b[].o[?@.n]'), fields }),
      sent(payload, 'POST'),
    )
    const [record] = records
    expect(
      Object.keys({ ...fields, 'items[1].sku_code': 1 }).map((f) => record?.sourceOf(f)),
    ).toEqual(['b[1].o[1].n', 'b[1].x', 'shop', 'b[1].o[1].l[].s', 'b[1].o[1].l[1].s'])
  })
})

describe('records with group_by', () => {
  const fields = {
    order_number: '$[].n',
    customer_name: { from: ['$[].buyer', '$[].company'] },
    'items[].sku_code': '$[].s',
  }
  const grouped = { ...by('$[]', '$[].n'), fields }

  it.each<[string, object, Json, Json]>([
    [
      'in the order in which the first row of each comes',
      grouped,
      [
        { n: 'B', s: 1 },
        { n: 'A', s: 2 },
        { n: 'B', s: 3 },
      ],
      [
        { order_number: 'B', items: [{ sku_code: 1 }, { sku_code: 3 }] },
        { order_number: 'A', items: [{ sku_code: 2 }] },
      ],
    ],
    [
      'with a header that only some rows have',
      grouped,
      [
        { n: 'A', buyer: '', s: 1 },
        { n: 'A', buyer: 'Kim', s: 2 },
        { n: 'A', buyer: null, s: 3 },
      ],
      [
        {
          order_number: 'A',
          customer_name: 'Kim',
          items: [{ sku_code: 1 }, { sku_code: 2 }, { sku_code: 3 }],
        },
      ],
    ],
    [
      'and refuse two that say different things, alone',
      grouped,
      [{ n: 'A', buyer: 'Kim' }, { n: 'B' }, { n: 'A', company: 'Lou' }],
      [
        [{ reason: 'DIFFERS', rule: 'customer_name', at: '$[0].buyer', found: '$[2].buyer' }],
        { order_number: 'B', items: [{}] },
      ],
    ],
    [
      'by several values',
      { ...by('r[]', 'r[].a', 'r[].b'), fields: { 'items[].quantity': 'r[].q' } },
      {
        r: [
          { a: 1, b: 2, q: 1 },
          { a: 12, b: '', q: 2 },
          { a: '1', b: '2', q: 3 },
        ],
      },
      [{ items: [{ quantity: 1 }, { quantity: 3 }] }, [missing('records.group_by', 'r[1].b')]],
    ],
    [
      'judged by the first row of each',
      { ...by('$[?@.paid == 1]', '$[].n'), fields: { 'items[].sku_code': '$[].s' } },
      [
        { n: 'A', paid: 1, s: 1 },
        { n: 'B', paid: 0, s: 2 },
        { n: 'A', s: 3 },
        { n: 'B', paid: 1, s: 4 },
      ],
      [{ items: [{ sku_code: 1 }, { sku_code: 3 }] }],
    ],
    [
      'with lines that a filter of their own chooses',
      {
        ...by('$[]', '$[].n'),
        fields: {
          order_number: '$[].n',
          'items[]': { each: '$[?@.q > 0]' },
          'items[].quantity': '$[].q',
          'items[].notes': { join: ['$[].a', '$[].b'] },
        },
      },
      [
        { n: 'A', q: 0 },
        { n: 'B', q: 5 },
        { n: 'A', q: 2, a: 'x', b: 'y' },
      ],
      [
        { order_number: 'A', items: [{ quantity: 2, notes: 'x y' }] },
        { order_number: 'B', items: [{ quantity: 5 }] },
      ],
    ],
    [
      'with a default and what is required',
      {
        ...by('$[]', '$[].n'),
        fields: {
          order_number: { from: '$[].m', required: true },
          notes: { from: '$[].x', default: 'none' },
        },
      },
      [{ n: 'A', x: '' }, { n: 'A', m: 'M', x: 'y' }, { n: 'B' }],
      [{ order_number: 'M', notes: 'y' }, [missing('order_number', '$[2].m')]],
    ],
  ])('are made %s', (_, rules, payload, expected) => {
    expect(each(rules, payload)).toEqual(expected)
  })

  it('compares what the rule makes of the rows', () => {
    const fields = { metadata: '$[].m', order_date: { from: '$[].d', as: 'datetime' } }
    const rules = { ...by('$[]', '$[].n'), fields }
    const first = { n: 1, m: { a: 1, b: [1] }, d: '2024-01-02' }
    const second = { n: 1, m: { b: [1], a: 1 }, d: '2024-01-02T00:00:00Z' }
    expect(each(rules, [first, second])).toHaveLength(1)
    expect(each(rules, [first, { ...second, m: { a: 1, b: [2] } }])).toMatchObject([
      [{ reason: 'DIFFERS', rule: 'metadata', at: '$[0].m', found: '$[1].m' }],
    ])
    expect(each(rules, [first, { ...second, d: '2024-01-03' }])).toMatchObject([
      [{ reason: 'DIFFERS', rule: 'order_date' }],
    ])
  })

  it('takes part of the text of each row', () => {
    const fields = { order_number: { from: '$[].id', text: [{ before: '/' }] } }
    const rules = { ...by('$[]', '$[].n'), fields }
    const rows = [
      { n: 1, id: 'A/1' },
      { n: 1, id: 'A/2' },
    ]
    expect(each(rules, rows)).toEqual([{ order_number: 'A' }])
  })

  it('tells which row each value comes from', () => {
    const payload = [{ n: 'B' }, { n: 'A', s: 1 }, { n: 'A', company: 'C', s: 2 }]
    const { records } = mapRecords('orders', saved(grouped), sent(payload, 'POST'))
    const places = ['order_number', 'customer_name', 'items[1].sku_code']
    expect(places.map((place) => records[1]?.sourceOf(place))).toEqual([
      '$[1].n',
      '$[2].company',
      '$[2].s',
    ])
  })
})

describe('a mapping whose document has several records', () => {
  const AT_HAND = 'write a path below "o[]", or one beside it.'
  it.each<[string, object, string[], string]>([
    [
      'no path',
      { records: { each: 5 } },
      ['inbound', 'records'],
      '"records" must be {"each": path}, such as {"each": "orders[]"}.',
    ],
    [
      'another member',
      { records: { each: 'o[]', by: 1 } },
      ['inbound', 'records'],
      '"records" must not have "by": it has "each" and "group_by".',
    ],
    [
      'no array',
      { records: { each: 'o' } },
      ['inbound', 'records'],
      '"each" of "records" needs a path with [] or a filter, such as "orders[]".',
    ],
    [
      'a JSON pointer',
      { records: { each: '/data/o[]' } },
      ['inbound', 'records'],
      `The path "/data/o[]" is a JSON pointer: write "data.o[]". A field of this name is "['/data/o[]']".`,
    ],
    [
      'an index',
      { records: { each: 'o[0].l[]' } },
      ['inbound', 'records'],
      '"each" of "records" cannot have an index: it would pass over records.',
    ],
    [
      'groups of nothing',
      { records: { each: 'o[]', group_by: [] } },
      ['inbound', 'records'],
      '"group_by" must be a list of 1 to 4 paths, such as ["o[].number"].',
    ],
    [
      'groups in several arrays',
      { records: { each: 'a[].o[]', group_by: ['a[].o[].n'] } },
      ['inbound', 'records'],
      '"group_by" needs rows in one array: "each" has one [] or filter.',
    ],
    [
      'groups by what lies beside',
      { records: { each: 'o[]', group_by: ['n'] } },
      ['inbound', 'records'],
      'The path "n" of "group_by" must lead to one value of a row: "o[].number".',
    ],
    [
      'groups by an array',
      { records: { each: 'o[]', group_by: ['o[].l[].n'] } },
      ['inbound', 'records'],
      'The path "o[].l[].n" of "group_by" must lead to one value of a row: "o[].number".',
    ],
    ['first that is no flag', { first: 1 }, ['inbound', 'first'], '"first" must be true or false.'],
    [
      'others kept',
      { records: { each: 'o[]' }, unmapped: 'keep' },
      ['inbound', 'unmapped'],
      'Must be drop: a document of several records has no fields to keep or reject.',
    ],
  ])('is refused with %s', (_, members, place, message) => {
    expect(refusals('orders', { inbound: { fields: {}, ...members } })).toEqual([[place, message]])
  })

  it.each<[string, object, string, string]>([
    [
      'another record',
      { order_number: 'o[0].n' },
      'order_number',
      `Reads another record than the one at hand: ${AT_HAND}`,
    ],
    [
      'the last record',
      { notes: 'o[-1].n' },
      'notes',
      `Reads another record than the one at hand: ${AT_HAND}`,
    ],
    [
      'one that a filter picks',
      { notes: 'o[?@.a].n' },
      'notes',
      'Chooses records once more: write "o[]" for the one at hand.',
    ],
    ['all of them', { items: 'o' }, 'items', `Reads all records at once: ${AT_HAND}`],
    [
      'the root',
      { notes: '$[0].a' },
      'notes',
      'The records lie in an object, so a source cannot begin with "$[".',
    ],
    [
      'an array of its own into one value',
      { notes: 'o[].l[].x' },
      'notes',
      'The source has 1 [] and the target 0: write the same number in both, or an index in the source, or "join" to put several values into one text.',
    ],
    [
      'an array of another path than its each',
      { 'items[]': { each: 'o[].l[]' }, 'items[].notes': 'o[].m[].x' },
      'items[].notes',
      'Goes through "o[].m[]", but the "each" above through "o[].l[]".',
    ],
  ])('is refused if a rule reads %s', (_, fields, rule, message) => {
    const found = refusals('orders', { inbound: { ...by('o[]'), fields } })
    expect(found).toEqual([[['inbound', 'fields', rule], message]])
  })

  it('is refused if rules of an array read beside it', () => {
    const fields = { order_number: 'n' }
    expect(refusals('orders', { inbound: { ...by('$[]'), fields } })).toEqual([
      [
        ['inbound', 'fields', 'order_number'],
        'The records are elements of the document, so a source begins with "$[]".',
      ],
    ])
  })

  it('is told alone if it is faulty: rules cannot be judged without it', () => {
    const fields = { order_number: 'o[].n', 'items[].sku_code': 'o[].l[].s' }
    const records = { each: 'o[]', group: ['o[].n'] }
    expect(refusals('orders', { inbound: { records, fields } })).toEqual([
      [['inbound', 'records'], '"records" must not have "group": it has "each" and "group_by".'],
    ])
  })

  it('is refused outbound, and for inventory', () => {
    const records = { each: 'inventory[]' }
    expect(refusals('orders', { outbound: { records, fields: {} } })).toEqual([
      [['outbound', 'records'], 'Only "inbound" can have "records".'],
    ])
    expect(refusals('inventory', { inbound: { records, fields: {} } }).at(-1)).toEqual([
      ['inbound', 'records'],
      'Not for inventory: one document is one upload. "inventory[]": {"each": path} says which rows it has.',
    ])
  })

  it('is saved as it is given, and drops the rest', () => {
    const records = { each: '$[?@.a]', group_by: ["$[]['No.']"] }
    const fields = { order_number: "$[]['No.']" }
    expect(saved({ records, fields })).toEqual({ unmapped: 'drop', records, fields })
    expect(saved({ first: true, fields: {} })).toEqual({
      unmapped: 'keep',
      first: true,
      fields: {},
    })
    expect(saved({ first: false, fields: {} })).toEqual({ unmapped: 'keep', fields: {} })
  })
})

describe('records that are members of an object', () => {
  it('are read one by one, with their names in places', () => {
    const payload = { o: { K1: { n: 'A' }, 'K 2': { n: 'B' } } }
    const rules = saved({ ...by('o[?@.n]'), fields: { order_number: 'o[*].n' } })
    const { records } = mapRecords('orders', rules, sent(payload, 'POST'))
    expect(records.map(({ value }) => value)).toEqual([
      { order_number: 'A' },
      { order_number: 'B' },
    ])
    expect(records.map(({ sourceOf }) => sourceOf('order_number'))).toEqual([
      'o.K1.n',
      "o['K 2'].n",
    ])
  })
})

describe('records of which one may stand alone', () => {
  it.each([
    [by('o[]'), { o: { n: 'A', l: { s: 'S' } } }, ['o.n', 'o.l.s']],
    [by('o[]', 'o[].n'), { o: { n: 'A', l: { s: 'S' } } }, ['o.n', 'o.s']],
  ])('are found, and their places', (records, payload, places) => {
    const isGrouped = 'group_by' in records.records
    const fields = {
      order_number: 'o[].n',
      'items[].sku_code': isGrouped ? 'o[].s' : 'o[].l[].s',
    }
    const rules = saved({ ...records, single_as_list: true, fields })
    const [record] = mapRecords('orders', rules, sent(payload, 'POST')).records
    expect(record?.value.order_number).toBe('A')
    expect(['order_number', 'items[0].sku_code'].map((at) => record?.sourceOf(at))).toEqual(places)
  })
})

describe('"first": true', () => {
  it('reads one of several records, which is refused otherwise', () => {
    const fields = { order_number: 'o[0].n', external_order_id: 'o[-1].n' }
    const payload = { o: [{ n: 'A' }, { n: 'B' }] }
    const map = (members: object) => {
      const rules = saved({ unmapped: 'drop', fields, ...members })
      const all = { ...sent(payload, 'POST'), identifier_field: 'external_order_id' }
      const { value, problems } = mapDocument('orders', rules, all)
      return problems.length > 0 ? problems.map(({ reason }) => reason) : value
    }
    expect(map({})).toEqual(['SEVERAL_RECORDS', 'SEVERAL_RECORDS'])
    expect(map({ first: true })).toEqual({ order_number: 'A', external_order_id: 'B' })
  })

  it('does not let rows of several orders become one', () => {
    const fields = { order_number: '$[0].n', 'items[].sku_code': '$[].s' }
    const [[place, message] = []] = refusals('orders', { inbound: { first: true, fields } })
    expect(place).toEqual(['inbound', 'fields', 'order_number'])
    expect(message).toContain('"records" with "each": "$[]" and "group_by"')
  })
})
