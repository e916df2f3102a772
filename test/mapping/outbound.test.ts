import { describe, expect, it } from 'vitest'
import { mapRecord } from '../../src/engine/mapping/outbound.ts'
import type { SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { type Fields, fixed } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'

const record = {
  id: '1',
  order_number: 'A-1',
  notes: null,
  metadata: { ref: 7, tags: 'x', p: [1, 2], q: [1] },
  items: [{ sku: { sku: 'S1' }, quantity: 2 }, { sku: { sku: 'S2' } }],
}

const shown = (fields: Fields, unmapped: SavedRules['unmapped'] = 'drop') =>
  mapRecord({ unmapped, fields }, record).value

describe('a record that goes out', () => {
  it.each<[about: string, fields: Fields, expected: Json]>([
    ['a rename', { no: 'order_number' }, { no: 'A-1' }],
    [
      'a path',
      { 'head.no': 'order_number', 'head.ref': 'metadata.ref' },
      { head: { no: 'A-1', ref: 7 } },
    ],
    ['an array', { 'lines[].sku': 'items[].sku.sku' }, { lines: [{ sku: 'S1' }, { sku: 'S2' }] }],
    [
      'an element',
      { first: 'items[0].sku.sku', last: 'items[-1].sku.sku' },
      { first: 'S1', last: 'S2' },
    ],
    ['a fixed value', { source: fixed('wms') }, { source: 'wms' }],
    ['a null', { memo: 'notes' }, { memo: null }],
  ])('is written by %s', (_, fields, expected) => {
    expect(shown(fields)).toStrictEqual(expected)
  })

  it.each<[about: string, fields: Fields, expected: Json]>([
    ['what is missing', { no: 'order_number', a: 'metadata.b.c' }, { no: 'A-1' }],
    ['what is behind a null', { no: 'order_number', a: 'notes.b' }, { no: 'A-1' }],
    ['what is of a wrong kind', { no: 'order_number', a: 'metadata.tags[0]' }, { no: 'A-1' }],
    ['an array that is none', { no: 'order_number', 'a[].b': 'metadata.tags[]' }, { no: 'A-1' }],
    ['a field of an element', { 'a[].q': 'items[].quantity' }, { a: [{ q: 2 }, {}] }],
    [
      'arrays of different lengths',
      { no: 'order_number', 'a[].p': 'metadata.p[]', 'a[].q': 'metadata.q[]' },
      { no: 'A-1' },
    ],
    ['a gap', { no: 'order_number', 'a[0]': 'metadata.b', 'a[1]': 'id' }, { no: 'A-1' }],
  ])('leaves out %s', (_, fields, expected) => {
    expect(shown(fields)).toStrictEqual(expected)
  })

  it('keeps what no rule reads or writes where the mapping says so', () => {
    expect(shown({ no: 'order_number', id: fixed('x') }, 'keep')).toEqual({
      no: 'A-1',
      id: 'x',
      notes: null,
      metadata: record.metadata,
      items: record.items,
    })
  })

  it('is itself left as it is', () => {
    const before = JSON.stringify(record)
    shown({ metadata: 'metadata', 'metadata.ref': fixed(8) })
    expect(JSON.stringify(record)).toBe(before)
  })
})

describe('a record that its mapping makes large', () => {
  const long = 'x'.repeat(60_000)
  const lines = (count: number) => ({
    number: 'A-1',
    lines: Array.from({ length: count }, (_, n) => ({ n })),
  })
  const map = (fields: Fields, ours: object, unmapped: SavedRules['unmapped'] = 'drop') =>
    mapRecord({ unmapped, fields }, ours)

  it('is whole up to 256 KB', () => {
    const fields = { a: fixed(long), b: fixed(long), c: fixed(long), d: fixed(long) }
    const { value, leftOut } = map({ ...fields, no: 'number' }, lines(1))
    expect(JSON.stringify(value).length).toBeGreaterThan(240_000)
    expect([Object.keys(value), leftOut]).toEqual([['a', 'b', 'c', 'd', 'no'], []])
  })

  it('lacks the fields that do not fit, and names them; the others are there', () => {
    const fields = { 'a[].x': fixed(long), 'a[].n': 'lines[].n', no: 'number', c: fixed(long) }
    const { value, leftOut } = map(fields, lines(5))
    expect([Object.keys(value), leftOut]).toEqual([['no', 'c'], ['a']])
  })

  it('lacks copies of a field that do not fit', () => {
    const copies = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`c${n}`, 'text']))
    const { value, leftOut } = map(copies, { text: 'y'.repeat(40_000) })
    expect(Object.keys(value)).toHaveLength(6)
    expect(leftOut).toHaveLength(14)
  })

  it('may be twice as large as ours where that is large itself', () => {
    const ours = { text: 'z'.repeat(1_000_000), other: 1 }
    expect(map({ a: 'text', b: 'text' }, ours).leftOut).toEqual([])
    expect(map({ a: 'text', b: 'text', c: 'text' }, ours).leftOut).toEqual(['c'])
    expect(map({ a: 'other' }, ours, 'keep').value).toEqual({ text: ours.text, a: 1 })
  })

  it('never has more than a million values at a time', () => {
    const ours = { many: Array.from({ length: 30_000 }, () => 0) }
    const fields = Object.fromEntries(Array.from({ length: 198 }, (_, n) => [`a[].f${n}`, 'x']))
    const { value, leftOut } = map({ ...fields, 'a[].n': 'many[]', x: fixed(1) }, ours)
    expect([value, leftOut]).toEqual([{ x: 1 }, ['a']])
  })
})

describe('a record that is too large and has many problems besides', () => {
  it('names the field that it leaves out', () => {
    const wrong = Array.from({ length: 25 }, (_, n) => [`w${n}`, `name.w${n}`])
    const deep = Array.from({ length: 170 }, (_, n) => [`lines[].f${n}.a.b.c.d`, 'items[].n'])
    const fields = Object.fromEntries([...wrong, ...deep])
    const items = Array.from({ length: 1000 }, () => ({ n: 1 }))
    const { value, leftOut } = mapRecord({ unmapped: 'drop', fields }, { name: 'x', items })
    expect([value, leftOut]).toEqual([{}, ['lines']])
  })
})

inDeepPass(() => {
  describe('the records of one answer', () => {
    it('have the steps of one document together, and each a few more', () => {
      const filtered = Array.from({ length: 100 }, (_, n) => [`f${n}`, `items[?@.a == 'x${n}'].b`])
      const saved = {
        unmapped: 'drop' as const,
        fields: Object.fromEntries([...filtered, ['name', 'name']]),
      }
      const recordOf = (length: number) => {
        return { name: 'n', items: Array.from({ length }, () => ({ a: 'y' })) }
      }
      const spent = { work: 0 }
      // Each takes less than it adds.
      for (let n = 0; n < 100; n++) mapRecord(saved, recordOf(10), spent)
      expect(spent.work).toBeLessThan(10_000)
      const results = Array.from({ length: 25 }, () => mapRecord(saved, recordOf(3000), spent))
      const whole = results.filter(({ leftOut }) => leftOut.length === 0)
      expect(whole.length).toBeGreaterThan(1)
      expect(whole.length).toBeLessThan(20)
      expect(results.at(-1)?.leftOut).toContain('f99')
      expect(results.at(-1)?.value).toEqual({ name: 'n' })
      // One with little to do is still mapped.
      expect(mapRecord(saved, recordOf(10), spent).leftOut).toEqual([])
    })
  })
})
