import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { DateTime } from '../../src/engine/json/date-time.ts'
import { AnyObject, Decimal } from '../../src/engine/json/fields.ts'
import { withUnknownBeside } from '../../src/engine/json/missing.ts'
import { unusedFields } from '../../src/engine/json/warnings.ts'

const Line = z.object({ sku: z.string(), notes: z.string().nullish() })
const Sample = z.object({
  name: z.string(),
  cost: Decimal.nullish(),
  due: DateTime.optional(),
  extra: AnyObject.default({}),
  address: z.object({ street: z.string() }).nullish(),
  lines: z.array(Line).default([]),
})

const fieldsOf = (value: unknown, schema: z.ZodType = Sample) =>
  unusedFields(schema, value).map(({ field }) => field)

describe('unusedFields', () => {
  it('names nothing that the schema knows, absent or null', () => {
    expect(fieldsOf({})).toEqual([])
    const value = { name: 'x', cost: null, due: '2026-01-01', address: null, lines: [{ sku: 'a' }] }
    expect(fieldsOf(value)).toEqual([])
  })

  it('names what it does not know, where it stands', () => {
    const value = { name: 'x', colour: 1, address: { street: 'y', town: 'z' }, id: null }
    expect(fieldsOf(value)).toEqual(['colour', 'address.town', 'id'])
  })

  it('says that it had no effect', () => {
    expect(unusedFields(Sample, { colour: 1 })).toEqual([
      { field: 'colour', message: expect.stringMatching(/no effect/) },
    ])
  })

  it('names a field of many elements once', () => {
    const lines = Array.from({ length: 500 }, () => ({ sku: 'a', colour: 1, size: { x: 1 } }))
    expect(fieldsOf({ lines })).toEqual(['lines[].colour', 'lines[].size'])
  })

  it('leaves the members of a free object alone', () => {
    expect(fieldsOf({ extra: { anything: { at: ['all'] } } })).toEqual([])
  })

  it('looks through transforms, defaults, optional and nullable', () => {
    const Piped = Sample.transform((value) => value)
    expect(fieldsOf({ colour: 1, lines: [{ colour: 1 }] }, Piped)).toEqual([
      'colour',
      'lines[].colour',
    ])
    const Wrapped = z.object({ deep: z.array(z.array(Line)).nullish().default(null) })
    expect(fieldsOf({ deep: [[{ colour: 1 }]] }, Wrapped)).toEqual(['deep[][].colour'])
  })

  it('names fields that are called like members of every object', () => {
    const value = JSON.parse('{"__proto__":1,"constructor":2,"toString":3,"hasOwnProperty":4}')
    expect(fieldsOf(value)).toEqual(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
  })

  it('takes a value of another shape than the schema asks for', () => {
    for (const value of [null, 7, 'x', [], [{ colour: 1 }], { lines: 7, address: [1] }]) {
      expect(fieldsOf(value)).toEqual([])
    }
  })

  it('does not repeat a field name of any length', () => {
    const [warning] = unusedFields(Sample, { ['x'.repeat(100_000)]: 1 })
    expect(warning?.field.length).toBeLessThanOrEqual(300)
    expect(warning?.field).toMatch(/^x+/)
  })
})

const REQUIRED = 'This field is required.'
const OrderLine = z.object({ sku_code: z.string() })
const Order = z.object({
  order_number: z.string(),
  notes: z.string().optional(),
  items: z.array(OrderLine),
})

const saidOf = (field: string, value: unknown, message = REQUIRED) =>
  withUnknownBeside({ [field]: [message] }, Order, value)[field]

describe('a required field that is missing', () => {
  it.each<[string, string, unknown, string]>([
    ['another case', 'order_number', { orderNumber: '7' }, '"orderNumber"'],
    ['the likeliest first', 'order_number', { id: 1, number: '7' }, '"number", "id"'],
    ['an envelope', 'order_number', { order: { order_number: '7' } }, '"order"'],
    ['a name with quotes in its path', 'items', { $content: {} }, '"$content"'],
    ['one of an element', 'items[1].sku_code', { items: [{}, { sku: 'a' }] }, '"sku"'],
    [
      'more than five',
      'order_number',
      { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 },
      '"a", "b", "c", "d", "e", 2 more',
    ],
    ['a long name', 'order_number', { ['x'.repeat(90)]: 1 }, `"${'x'.repeat(39)}…"`],
    ['a key', 'order_number', { [`xd_demo_${'a'.repeat(49)}`]: 1 }, '"…"'],
  ])('names what is unknown beside it: %s', (_, field, value, names) => {
    expect(saidOf(field, value)).toEqual([`${REQUIRED} Unknown beside it: ${names}.`])
  })

  it('names nothing of other places, and nothing that is known', () => {
    expect(saidOf('order_number', { notes: 'a', items: [{ sku: 'a' }] })).toEqual([REQUIRED])
    expect(saidOf('items[0].sku_code', { orderNumber: 'a', items: [{}] })).toEqual([REQUIRED])
  })

  it('changes no other message', () => {
    expect(saidOf('order_number', { number: 'a' }, 'Must be text.')).toEqual(['Must be text.'])
  })

  it('is named a thousand times beside a thousand names within a moment', () => {
    const names = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`name_${n}`, n]))
    const items = Array.from({ length: 1000 }, () => names)
    const errors = Object.fromEntries(items.map((_, n) => [`items[${n}].sku_code`, [REQUIRED]]))
    const before = process.threadCpuUsage()
    const said = withUnknownBeside(errors, Order, { items })
    const { user } = process.threadCpuUsage(before)
    expect(said['items[999].sku_code']?.[0]).toContain('995 more')
    // Each for itself they take more than a hundred times as long.
    expect(user / 1000).toBeLessThan(2000)
  })
})
