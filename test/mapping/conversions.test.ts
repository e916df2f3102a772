import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../../src/engine/json/exact-number.ts'
import { withPoint } from '../../src/engine/mapping/convert.ts'
import type { ConversionKind, SavedRule } from '../../src/engine/mapping/saved-rule.ts'
import { map, outcome, unconverted } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Refused, refuses } from './saved.ts'

const exact = (digits: string) => new ExactNumber(digits)
const LONG = '820982911946154508'

const fieldsOf = (as: ConversionKind) => ({ 'metadata.x': { from: 'a', as } })

/** What a conversion writes; undefined if it writes nothing. */
function converted(as: ConversionKind, a: Json): Json {
  const { value, problems } = map(fieldsOf(as), { a }, { unmapped: 'drop' })
  expect(problems).toEqual([])
  return (value as Json).metadata?.x
}

/** What a refused value is shown as. */
function refused(as: ConversionKind, a: Json): Json {
  const { problems } = map(fieldsOf(as), { a }, { unmapped: 'drop' })
  const [{ found }] = problems as [Json]
  expect(problems).toEqual([unconverted('metadata.x', 'a', as, found)])
  return found
}

const NO_VALUE = [null, '', ' ', '\t\r\n', '\u00a0', ' '.repeat(5000)]

describe.each(['string', 'integer', 'decimal', 'boolean', 'datetime'] as const)('as %s', (as) => {
  it.each(NO_VALUE)('takes %j for no value', (a) => {
    expect(converted(as, a)).toBeUndefined()
    const fields = { 'metadata.x': { from: 'a', as, required: true } }
    expect(outcome(fields, { a }, { unmapped: 'drop' })).toMatchObject([
      { reason: 'SOURCE_MISSING', at: 'a' },
    ])
  })

  it('takes nothing for no value', () => {
    expect(outcome(fieldsOf(as), {})).toEqual({})
  })

  it.each([
    [{}, 'object'],
    [{ a: 1 }, 'object'],
    [[], 'array'],
    [['1'], 'array'],
  ])('refuses %j', (a, found) => {
    expect(refused(as, a)).toBe(found)
  })
})

describe('as string', () => {
  it.each<[Json, string]>([
    ['x', 'x'],
    [' x ', ' x '],
    [0, '0'],
    [-1.5, '-1.5'],
    [true, 'true'],
    [false, 'false'],
    [exact(LONG), LONG],
    [exact('1.50'), '1.50'],
    [exact('1e2'), '1e2'],
    [exact('1e400'), '1e400'],
  ])('makes %s the text %j', (a, text) => {
    expect(converted('string', a)).toBe(text)
  })
})

describe('as integer', () => {
  it.each<[Json, number]>([
    [2, 2],
    [-2, -2],
    [0, 0],
    [2.0, 2],
    [exact('2.0'), 2],
    [exact('2.50e1'), 25],
    [1e3, 1000],
    ['2', 2],
    ['+2', 2],
    ['-2', -2],
    ['007', 7],
    ['1.0', 1],
    ['1.000', 1],
    ['-0', 0],
    ['-0.0', 0],
    [' 2\n', 2],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
  ])('makes %j the number %j', (a, number) => {
    expect(Object.is(converted('integer', a), number)).toBe(true)
  })

  it.each<[Json, string]>([
    [1.5, '1.5'],
    ['1.5', '"1.5"'],
    ['1,000', '"1,000"'],
    ['1.', '"1."'],
    ['.0', '".0"'],
    ['1e3', '"1e3"'],
    ['0x10', '"0x10"'],
    ['1 000', '"1 000"'],
    ['- 1', '"- 1"'],
    ['--1', '"--1"'],
    ['two', '"two"'],
    ['٣', '"٣"'],
    ['Infinity', '"Infinity"'],
    ['9007199254740992', '"9007199254740992"'],
    [`${LONG}`, `"${LONG}"`],
    [exact(LONG), LONG],
    [exact('1e400'), '1e400'],
    [2 ** 53, '9007199254740992'],
    [true, 'true'],
    [false, 'false'],
    ['1'.repeat(100), `"${'1'.repeat(60)}..."`],
  ])('refuses %j', (a, found) => {
    expect(refused('integer', a)).toBe(found)
  })
})

describe('as decimal', () => {
  it.each<[Json, string]>([
    [12, '12'],
    [12.5, '12.5'],
    [exact('12.50'), '12.50'],
    [exact('123456789012.123456'), '123456789012.123456'],
    [1e-7, '0.0000001'],
    [1e21, '1000000000000000000000'],
    [0.30000000000000004, '0.3'],
    [exact('0.34999999999999998'), '0.35'],
    [0.3333333333333333, '0.3333333333333333'],
    [exact('1.25e1'), '12.5'],
    [exact('1.25e-2'), '0.0125'],
    [exact('125E3'), '125000'],
    ['12.50', '12.50'],
    ['+12.50', '12.50'],
    ['-1.5', '-1.5'],
    ['.5', '0.5'],
    ['0012.5', '12.5'],
    ['000', '0'],
    [' 12.5 ', '12.5'],
    ['12.3400000000', '12.340000'],
    ['12.3456789', '12.3456789'],
    ['-0.00', '0.00'],
    ['-0', '0'],
    [-0, '0'],
  ])('makes %s the text %j', (a, text) => {
    expect(converted('decimal', a)).toBe(text)
  })

  it.each<[Json, string]>([
    ['12,50', '"12,50"'],
    ['1.234,50', '"1.234,50"'],
    ['1,234.50', '"1,234.50"'],
    ['12.', '"12."'],
    ['.', '"."'],
    ['-', '"-"'],
    ['1e3', '"1e3"'],
    ['$12', '"$12"'],
    ['12 EUR', '"12 EUR"'],
    [exact('1e500'), '1e500'],
    [true, 'true'],
  ])('refuses %j', (a, found) => {
    expect(refused('decimal', a)).toBe(found)
  })

  it('is checked by the field that takes it', () => {
    const { value } = map(
      { cost: { from: 'p', as: 'decimal' } },
      { p: 12.5 },
      { resource: 'products' },
    )
    expect(value).toEqual({ cost: '12.5' })
  })
})

describe('as boolean', () => {
  it.each<[Json, boolean]>([
    [true, true],
    [false, false],
    [1, true],
    [0, false],
    [exact('1.0'), true],
    ['true', true],
    ['false', false],
    ['1', true],
    ['0', false],
    [' true ', true],
  ])('makes %s %s', (a, result) => {
    expect(converted('boolean', a)).toBe(result)
  })

  it.each<[Json, string]>([
    [2, '2'],
    [-1, '-1'],
    ['yes', '"yes"'],
    ['TRUE', '"TRUE"'],
    ['Y', '"Y"'],
    ['on', '"on"'],
    ['1.0', '"1.0"'],
  ])('refuses %j', (a, found) => {
    expect(refused('boolean', a)).toBe(found)
  })
})

describe('a value that cannot be converted', () => {
  it('is shown shortened and whole in its characters', () => {
    expect(refused('integer', `${'x'.repeat(59)}📦`)).toBe(`"${'x'.repeat(59)}\ufffd..."`)
    expect(refused('integer', 'a"b\n')).toBe('"a\\"b\\n"')
  })

  it('is named by its place, and the default does not stand in for it', () => {
    const fields = {
      'items[].quantity': { from: 'lines[].qty', as: 'integer' as const, default: 1 },
    }
    expect(outcome(fields, { lines: [{ qty: '2' }, { qty: 'x' }, {}] })).toEqual([
      unconverted('items[].quantity', 'lines[1].qty', 'integer', '"x"'),
    ])
    expect(outcome(fields, { lines: [{ qty: '2' }, {}] })).toEqual({
      items: [{ quantity: 2 }, { quantity: 1 }],
    })
  })

  it('is one problem where it goes into every element', () => {
    const fields = {
      'items[].sku_code': 'lines[].sku',
      'items[].quantity': { from: 'qty', as: 'integer' as const },
    }
    expect(outcome(fields, { qty: 'x', lines: [{}, {}, {}] })).toHaveLength(1)
  })
})

describe('a number that JSON.parse would change', () => {
  it('is the same in a table whether or not another rule reads digits', () => {
    const table = { status: { from: 'a', values: { '1': 'pending' } } } as const
    for (const a of [1, exact('1.0')]) expect(outcome(table, { a })).toEqual({ status: 'pending' })
  })

  it('is named by its digits where a table has no entry for it', () => {
    const fields = { status: { from: 'a', values: { x: 'pending' } } }
    expect(outcome(fields, { a: exact(LONG) })).toMatchObject([
      { reason: 'UNMAPPED_VALUE', found: `"${LONG}"` },
    ])
  })

  it('is a number for the kinds that a problem names', () => {
    expect(outcome({ notes: 'a.b' }, { a: exact(LONG) })).toMatchObject([
      { reason: 'TYPE_MISMATCH', found: 'number' },
    ])
  })
})

const read = (as: 'decimal' | 'integer', a: Json) => {
  const rule: SavedRule = { from: 'a', as, decimal: ',' }
  return map({ 'metadata.x': rule }, { a }, { unmapped: 'drop' })
}

describe('a decimal comma', () => {
  it.each<['decimal' | 'integer', Json, Json]>([
    ['decimal', '12,50', '12.50'],
    ['decimal', '1.234,50', '1234.50'],
    ['decimal', '1.234.567', '1234567'],
    ['decimal', '-1.234,5', '-1234.5'],
    ['decimal', ' 12,5 ', '12.5'],
    ['decimal', '7', '7'],
    ['decimal', 12.5, '12.5'],
    ['integer', '1.000', 1000],
    ['integer', '12', 12],
    ['integer', '12,00', 12],
    ['integer', 7, 7],
  ])('as %s reads %j', (as, sent, value) => {
    expect(read(as, sent)).toMatchObject({ value: { metadata: { x: value } }, problems: [] })
  })

  it.each<['decimal' | 'integer', Json]>([
    ['decimal', '1.00'],
    ['decimal', '1.2345'],
    ['decimal', '1234.567,8'],
    ['decimal', '1,2,3'],
    ['decimal', ',5'],
    ['decimal', '5,'],
    ['decimal', '1,234.5'],
    ['decimal', 'EUR 5'],
    ['integer', '12,5'],
  ])('as %s cannot read %j', (as, sent) => {
    expect(read(as, sent).problems).toMatchObject([
      unconverted('metadata.x', 'a', as, JSON.stringify(sent)),
    ])
  })

  it('is no value where there is white space alone', () => {
    expect(read('decimal', ' ')).toMatchObject({ value: {}, problems: [] })
  })

  it('reads no text that is longer than any number', () => {
    const long = `${'1.'.repeat(300)}0`
    expect(withPoint(long)).toBe(long)
    expect(read('decimal', long).problems).toMatchObject([{ reason: 'CONVERSION' }])
  })

  it('is not assumed: 1.000 is one without it', () => {
    const { value } = map(
      { 'metadata.x': { from: 'a', as: 'integer' } },
      { a: '1.000' },
      { unmapped: 'drop' },
    )
    expect(value).toEqual({ metadata: { x: 1 } })
  })

  it.each<Refused>([
    [
      'another mark',
      { notes: { from: 'a', as: 'decimal', decimal: '.' } },
      '"decimal" can only be ",". Leave it out for a decimal point.',
    ],
    [
      'no number',
      { notes: { from: 'a', decimal: ',' } },
      '"decimal" needs "as": "decimal" or "as": "integer".',
    ],
    [
      'a table that gives no such number',
      { 'metadata.x': { from: 'a', values: { one: '1.00' }, as: 'integer', decimal: ',' } },
      'The value of "one" cannot be read as an integer.',
    ],
  ])('cannot be saved with %s', refuses)
})
