import { describe, expect, it } from 'vitest'
import { type Fields, mismatch, outcome } from '../fixtures/mapped.ts'

const DROP = { unmapped: 'drop' } as const

describe('a document that is an array', () => {
  const fields: Fields = {
    'items[]': { each: '$[?@.sku]' },
    'items[].sku_code': '$[].sku',
    order_number: '$[?@.number].number',
    customer_name: '$[-1].name',
    'metadata.source': { value: 'x' },
  }

  it('is read by its elements, filters and indexes', () => {
    const payload = [{ number: 'A-1' }, { sku: 'a' }, { sku: 'b', name: 'Kim' }]
    expect(outcome(fields, payload, DROP)).toEqual({
      items: [{ sku_code: 'a' }, { sku_code: 'b' }],
      order_number: 'A-1',
      customer_name: 'Kim',
      metadata: { source: 'x' },
    })
  })

  it('is read by wildcards without an each', () => {
    expect(outcome({ 'items[].sku_code': '$[].sku' }, [{ sku: 'a' }, {}], DROP)).toEqual({
      items: [{ sku_code: 'a' }, {}],
    })
    expect(outcome({ 'items[].sku_code': '$[0].l[].sku' }, [{ l: [{ sku: 'a' }] }], DROP)).toEqual({
      items: [{ sku_code: 'a' }],
    })
  })

  it('is empty', () => {
    expect(outcome(fields, [], DROP)).toEqual({ items: [], metadata: { source: 'x' } })
  })

  it('is named in problems from $ on', () => {
    expect(outcome({ 'items[].notes': '$[].a.b' }, [{}, { a: 1 }], DROP)).toEqual([
      mismatch('items[].notes', '$[1].a', 'object', 'number'),
    ])
    expect(outcome({ notes: { from: '$[0].a', required: true } }, [], DROP)).toMatchObject([
      { at: '$[0].a' },
    ])
  })

  it('is an array for such rules and an object for others', () => {
    expect(outcome({ notes: '$[0].a' }, {}, DROP)).toEqual([
      mismatch('notes', '$', 'array', 'object'),
    ])
    expect(outcome({ notes: 'a' }, [], DROP)).toEqual([mismatch('notes', '$', 'object', 'array')])
  })

  it("has a name of its root where the brackets hold one: $['key']", () => {
    expect(outcome({ notes: "$['a key'].b" }, { 'a key': { b: 1 } }, DROP)).toEqual({ notes: 1 })
  })
})
