import { describe, expect, it } from 'vitest'
import { withPoint } from '../../src/engine/mapping/decimal-comma.ts'
import type { SavedRule } from '../../src/engine/mapping/saved-rule.ts'
import { map, unconverted } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Refused, refuses } from './saved.ts'

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
