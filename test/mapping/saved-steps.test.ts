import { describe, expect, it } from 'vitest'
import { refusals } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Refused, refuses } from './saved.ts'

describe('steps', () => {
  it.each<Refused>([
    [
      'another kind',
      { notes: { from: 'a', as: 'text' } },
      '"as" must be one of string, integer, decimal, boolean, datetime.',
    ],
    [
      'another format',
      { order_date: { from: 'a', as: 'datetime', format: 'dd.mm.yyyy' } },
      'The format "dd.mm.yyyy" lacks the month: write yyyy, MM and dd.',
    ],
    [
      'a format without as',
      { order_date: { from: 'a', format: 'epoch_seconds' } },
      '"format" needs "as": "datetime".',
    ],
    [
      'a format of another kind',
      { 'metadata.x': { from: 'a', as: 'integer', format: 'epoch_seconds' } },
      '"format" needs "as": "datetime".',
    ],
    [
      'an integer for a text',
      { notes: { from: 'a', as: 'integer' } },
      'The rule gives an integer, which "notes" does not take.',
    ],
    [
      'a boolean for a text',
      { notes: { from: 'a', as: 'boolean' } },
      'The rule gives true or false, which "notes" does not take.',
    ],
    [
      'a text for a number',
      { 'items[].quantity': { from: 'l[].q', as: 'string' } },
      'The rule gives a text, which "items[].quantity" does not take.',
    ],
    [
      'a text for an object',
      { customer_info: { from: 'a', as: 'string' } },
      'The rule gives a text, which "customer_info" does not take.',
    ],
    [
      'values that are no object',
      { status: { from: 'a', values: ['pending'] } },
      '"values" must be an object, such as {"processing": "pending"}.',
    ],
    ['no values', { status: { from: 'a', values: {} } }, '"values" must have at least 1 entry.'],
    [
      '201 values',
      {
        notes: {
          from: 'a',
          values: Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`${n}`, 'x'])),
        },
      },
      '"values" must have at most 200 entries.',
    ],
    [
      'a value for the empty text',
      { notes: { from: 'a', values: { '': 'x' } } },
      '"values" cannot have "": an empty text is no value.',
    ],
    [
      'an object as a result',
      { 'metadata.x': { from: 'a', values: { a: {} } } },
      '"values": "a" must be a text, a number, true, false or null.',
    ],
    [
      'a result that the target refuses',
      { status: { from: 'a', values: { ok: 'pending', done: 'finished' } } },
      'The value of "done" is refused: Must be one of: draft, pending, in_progress, partially_verified, verified, shipped, cancelled.',
    ],
    [
      'a number for a text',
      { notes: { from: 'a', values: { x: 1 } } },
      'The value of "x" is refused: Must be a string, not a number.',
    ],
    [
      'a result that cannot be converted',
      { 'metadata.x': { from: 'a', values: { x: 'one' }, as: 'integer' } },
      'The value of "x" cannot be read as an integer.',
    ],
    [
      'a default that is null',
      { notes: { from: 'a', default: null } },
      '"default" must be a value, not null or an empty text.',
    ],
    [
      'a default that is empty',
      { notes: { from: 'a', default: '' } },
      '"default" must be a value, not null or an empty text.',
    ],
    [
      'a default that the target refuses',
      { status: { from: 'a', default: 'new' } },
      'The default is refused: Must be one of: draft, pending, in_progress, partially_verified, verified, shipped, cancelled.',
    ],
    [
      'a default of another kind',
      { 'items[].quantity': { from: 'l[].q', default: '1' } },
      'The default is refused: Must be an integer, not a string.',
    ],
    [
      'a default that is required',
      { notes: { from: 'a', default: 'x', required: true } },
      'A rule with "default" always has a value: leave "required" out.',
    ],
  ])('are refused when saved: %s', refuses)
})

describe('rules for a document that is an array', () => {
  const MESSAGE = 'Other sources begin with $[, for a document that is an array: this one must too.'

  it.each<Refused>([
    ['beside a name', { order_number: '$[0].n', notes: 'memo' }, MESSAGE],
    ['a name in a list', { notes: { from: ['$[0].a', 'b'] } }, MESSAGE],
    ['a name in a join', { notes: { join: ['b', '$[0].a'] } }, MESSAGE],
    [
      'without $',
      { notes: '[0].a' },
      'The source "[0].a" must begin with a name, or with $[ for a document that is an array.',
    ],
    [
      '$ alone',
      { notes: '$' },
      'The source "$" must begin with a name, or with $[ for a document that is an array.',
    ],
    ['a target', { '$[0]': 'a' }, 'The target must begin with a name.'],
  ])('are refused: %s', refuses)

  const saved = (unmapped?: string) =>
    refusals('orders', {
      inbound: {
        ...(unmapped && { unmapped }),
        fields: { 'items[]': { each: '$[]' }, 'metadata.x': { value: 1 } },
      },
    })

  it.each(['keep', 'reject'])('cannot %s the rest', (unmapped) => {
    const message = 'Must be drop: a document that is an array has no fields to keep or reject.'
    expect(saved(unmapped)).toEqual([[['inbound', 'unmapped'], message]])
  })

  it('drop it, as is said or not', () => {
    expect(saved('drop')).toEqual([])
    expect(saved()).toEqual([])
  })

  it('cannot be outbound: our record is an object', () => {
    expect(refusals('orders', { outbound: { fields: { a: '$[0].x' } } })).toEqual([
      [['outbound', 'fields', 'a'], 'Our record is an object: a source cannot begin with $[.'],
    ])
  })
})

describe('outbound rules', () => {
  const said = (fields: Json) =>
    refusals('orders', { outbound: { fields } }).map(([, message]) => message)

  it('may convert, look up, join, list and filter', () => {
    expect(
      said({
        nr: { join: [{ value: 'X-' }, 'order_number'], with: '' },
        state: { from: 'status', values: { pending: 'NEW', '*': 'OTHER' } },
        at: { from: 'order_date', as: 'datetime', format: 'epoch_seconds' },
        'lines[]': { each: 'items[?@.quantity > 1]' },
        'lines[].n': { from: 'items[].quantity', as: 'string' },
        first: "items[?@.sku.sku == 'A'].quantity",
        note: { from: ['notes', 'customer_name'], default: 'none' },
      }),
    ).toEqual([])
  })

  it('name a field that a filter asks for and our record has not', () => {
    expect(said({ a: 'items[?@.price > 1].quantity' })[0]).toMatch(
      /^There is no field "items\[\?@.price > 1\].price"/,
    )
  })
})
