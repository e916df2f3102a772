import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { withUnknownBeside } from '../../src/engine/json/missing.ts'

const REQUIRED = 'This field is required.'
const Line = z.object({ sku_code: z.string() })
const Order = z.object({
  order_number: z.string(),
  notes: z.string().optional(),
  items: z.array(Line),
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
