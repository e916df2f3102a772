import { describe, expect, it } from 'vitest'
import { mapDocument } from '../../src/engine/mapping/inbound.ts'
import type { SavedRule, SavedRules, Scalar } from '../../src/engine/mapping/saved-rule.ts'
import { asJson, map, mismatch, refusals, sent } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Case, dropping } from './cases.ts'
import { type Refused, refuses } from './saved.ts'

const DROP = { unmapped: 'drop' } as const

describe('what is no value', () => {
  const x = (...none: Scalar[]): Record<string, SavedRule> => ({
    'metadata.x': { from: 'a', none },
  })
  type Row = [about: string, none: Scalar[], value: Json, isNone: boolean]

  it.each<Row>([
    ['false', [false], false, true],
    ['not true', [false], true, false],
    ['a text', ['N/A'], 'N/A', true],
    ['not the text in other letters', ['N/A'], 'n/a', false],
    ['a number', [0], 0, true],
    ['not its text', [0], '0', false],
    ['a day', ['1900-01-01'], '1900-01-01', true],
    ['a time of the day', ['1900-01-01'], '1900-01-01T00:00:00Z', true],
    ['a time of the day with an offset', ['1900-01-01'], '1900-01-01 12:30:00+02:00', true],
    ['the first moment of year 1', ['0001-01-01'], '0001-01-01T00:00:00+14:00', true],
    ['not a text of year 1 that is no time', ['0001-01-01'], '0001-01-01 is a day', false],
    ['not another day', ['1900-01-01'], '1900-01-02T00:00:00Z', false],
    ['not a text that begins so', ['1900-01-01'], '1900-01-01 is a day', false],
    ['a moment', ['1900-01-01T00:00:00Z'], '1900-01-01T01:00:00+01:00', true],
    ['not another moment', ['1900-01-01T00:00:00Z'], '1900-01-01T01:00:00Z', false],
    ['not a number for a day', ['1900-01-01'], 19000101, false],
  ])('is %s', (_, none, value, isNone) => {
    const { value: mapped, problems } = map(x(...none), { a: value }, DROP)
    expect(asJson(problems)).toEqual([])
    expect(mapped).toEqual(isNone ? {} : { metadata: { x: value } })
  })
})

describe('a rule with none', () => {
  it.each<Case>([
    [
      'goes on to the next path',
      { notes: { from: ['a', 'b'], none: ['-'] } },
      { a: '-', b: 'x' },
      { notes: 'x' },
    ],
    [
      'writes its default',
      { notes: { from: 'a', none: ['-'], default: 'none' } },
      { a: '-' },
      { notes: 'none' },
    ],
    [
      'ends a path on the way',
      {
        'metadata.x': { from: 'partner[1]', none: [false] },
        'metadata.y': { from: 'p.name', none: [0] },
      },
      { partner: false, p: 0 },
      {},
    ],
    [
      'ends the path of an element',
      { 'items[].sku_code': { from: 'lines[].product.sku', none: [false] } },
      { lines: [{ product: { sku: 'S1' } }, { product: false }] },
      { items: [{ sku_code: 'S1' }, {}] },
    ],
    [
      'leaves a part of a joined text out',
      { notes: { join: ['a', 'l[].x'], none: ['-', false] } },
      { a: '-', l: [{ x: 'y' }, false, { x: '-' }] },
      { notes: 'y' },
    ],
    [
      'comes before text and values',
      { notes: { from: 'a', none: [' - '], text: ['trim'], values: { '-': 'x' } } },
      { a: ' - ' },
      {},
    ],
  ])('%s', dropping)

  it('requires a value that is one', () => {
    const { problems } = map(
      { notes: { from: 'a', none: ['-'], required: true } },
      { a: '-' },
      DROP,
    )
    expect(problems).toMatchObject([{ reason: 'SOURCE_MISSING', rule: 'notes', at: 'a' }])
  })

  it('names the path whose value it takes', () => {
    const fields: Record<string, SavedRule> = { notes: { from: ['a.x', 'b'], none: [false] } }
    expect(map(fields, { a: false, b: 'x' }, DROP).sourceOf('notes')).toBe('b')
  })
})

describe('none of a mapping', () => {
  const rules: SavedRules = {
    unmapped: 'drop',
    none: [false],
    fields: {
      notes: 'memo',
      customer_name: { from: ['buyer[1]', 'name'], none: ['?'] },
      metadata: 'more',
      'items[].sku_code': 'lines[].sku',
    },
  }
  const mapped = (payload: Json) => mapDocument('orders', rules, sent(payload, 'POST'))

  it('holds in every rule, beside its own', () => {
    expect(mapped({ memo: false, buyer: false, name: '?', lines: [] }).value).toEqual({ items: [] })
    expect(mapped({ buyer: [7, '?'], name: 'Kim' }).value).toEqual({ customer_name: 'Kim' })
  })

  it('takes no list where there is none', () => {
    const { value, problems } = mapped({ lines: false })
    expect([value, problems]).toEqual([{}, []])
  })

  it('changes nothing within a value that is taken whole', () => {
    const { value, sourceOfPath } = mapped({ more: { a: false } })
    expect(value).toEqual({ metadata: { a: false } })
    expect(sourceOfPath(['metadata', 'a'])).toBe('more.a')
  })

  it('says of what is not there where it should be', () => {
    expect(mapped({ memo: false }).sourceOfPath(['notes'])).toBe('memo')
  })
})

describe('without content', () => {
  const first: Record<string, SavedRule> = { customer_info: { from: ['ship_to', 'bill_to'] } }
  const empty = [{}, [], { name: '' }, { name: null, lines: [{ x: '' }, []] }]

  it.each(empty)('%j is passed over in a list of paths', (ship_to) => {
    const { value, sourceOf } = map(first, { ship_to, bill_to: { name: 'Kim' } }, DROP)
    expect(value).toEqual({ customer_info: { name: 'Kim' } })
    expect(sourceOf('customer_info')).toBe('bill_to')
  })

  it.each(empty)('%j is written by a plain path', (ship_to) => {
    const { value } = map({ metadata: 'ship_to' }, { ship_to }, DROP)
    expect(value).toEqual({ metadata: ship_to })
  })

  it.each([[{ a: false }], [{ a: [0] }], [{ a: ' ' }]])('%j has some', (ship_to) => {
    const { value } = map(first, { ship_to, bill_to: { name: 'Kim' } }, DROP)
    expect(value).toEqual({ customer_info: ship_to })
  })

  it('an object has none whose members are in none', () => {
    const rule: SavedRule = { from: ['ship_to', 'bill_to'], none: [false] }
    const { value } = map(
      { customer_info: rule },
      { ship_to: { a: false }, bill_to: { b: 1 } },
      DROP,
    )
    expect(value).toEqual({ customer_info: { b: 1 } })
  })

  it('an array is no object with the member that a path names', () => {
    expect(map({ notes: 'a.b' }, { a: [] }, DROP)).toMatchObject({ value: {}, problems: [] })
    const { problems } = map({ notes: 'a.b' }, { a: [1] }, DROP)
    expect(problems).toEqual([mismatch('notes', 'a', 'object', 'array')])
  })
})

describe('none that is saved', () => {
  const of = (none: unknown) => ({ notes: { from: 'a', none } }) as Refused[1]
  const list = '"none" must be a list of 1 to 20 values, such as [false, "N/A"].'

  it.each<Refused>([
    ['be a text', of('N/A'), list],
    ['be empty', of([]), list],
    ['have 21', of(Array.from({ length: 21 }, (_, n) => n)), list],
    ['have an object', of([{}]), '"none" can have texts, numbers, true and false only.'],
    [
      'have null',
      of([null]),
      '"none" cannot have null or an empty text: they are no value anyway.',
    ],
    [
      'have an empty text',
      of(['']),
      '"none" cannot have null or an empty text: they are no value anyway.',
    ],
    [
      'have a long text',
      of(['x'.repeat(101)]),
      'A text of "none" must have at most 100 characters.',
    ],
  ])('cannot %s', refuses)

  it('is refused below inbound for the same reasons', () => {
    const found = refusals('orders', { inbound: { none: [], fields: {} } })
    expect(found).toEqual([[['inbound', 'none'], list]])
  })

  it('is refused below outbound', () => {
    const found = refusals('orders', { outbound: { none: [1], fields: {} } })
    expect(found).toEqual([[['outbound', 'none'], 'Only "inbound" can have "none".']])
  })
})
