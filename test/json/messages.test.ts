import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { mintKey } from '../../src/engine/identity/key.ts'
import {
  fieldErrors,
  isShortened,
  kindOf,
  messageOf,
  pathText,
  shortened,
} from '../../src/engine/json/messages.ts'

describe('pathText', () => {
  it.each([
    [[], ''],
    [['name'], 'name'],
    [['items', 3, 'quantity'], 'items[3].quantity'],
    [['items', 0], 'items[0]'],
    [['scopes', 1], 'scopes[1]'],
    [['a', 'b', 'c'], 'a.b.c'],
    [['a', 0, 1, 'b', 2], 'a[0][1].b[2]'],
    [[0], '[0]'],
    [[0, 'a'], '[0].a'],
    [['customer_info', 'a key'], "customer_info['a key']"],
    [['rules', 'actions', 'order.created'], "rules.actions['order.created']"],
    [['rules', 'actions', '*'], "rules.actions['*']"],
    [['inbound', 'fields', 'items[].sku_code', 'from'], 'inbound.fields.items[].sku_code.from'],
    [['3'], '3'],
  ])('writes %j as "%s"', (path, text) => {
    expect(pathText(path)).toBe(text)
  })

  it('gives different paths of identifiers and places different texts', () => {
    const step = fc.oneof(fc.stringMatching(/^[a-z_]{1,5}$/), fc.nat({ max: 99 }))
    const path = fc.array(step, { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(path, path, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other)
        expect(pathText(one) === pathText(other)).toBe(same)
      }),
    )
  })
})

describe('shortened', () => {
  it('cuts a path of more than 300 units, and marks it', () => {
    const whole = 'n'.repeat(300)
    expect([shortened(whole), isShortened(whole)]).toEqual([whole, false])
    const cut = `${'n'.repeat(299)}…`
    expect([shortened(`${whole}n`), isShortened(cut)]).toEqual([cut, true])
    expect([pathText([`${whole}n`]), pathText(['n'.repeat(299), 0])]).toEqual([cut, cut])
    expect(shortened(`${'n'.repeat(298)}😀😀`)).toBe(`${'n'.repeat(298)}\ufffd…`)
  })

  it('shows no part of an API key', async () => {
    const { value } = await mintKey('demo')
    for (let length = 230; length < 300; length++) {
      const shown = shortened(`${'n.'.repeat(length / 2)}${value}.${'n'.repeat(100)}`)
      expect(shown.replaceAll(value, '')).not.toContain(value.slice(0, 9))
    }
  })
})

describe('kindOf', () => {
  it.each([
    [null, 'null'],
    ['', 'a string'],
    [true, 'a boolean'],
    [1, 'a number'],
    [1.5, 'a fraction'],
    [[], 'an array'],
    [{}, 'an object'],
  ])('calls %j %s', (value, kind) => {
    expect(kindOf(value)).toBe(kind)
  })
})

describe('fieldErrors', () => {
  const Sample = z.object({
    name: z.string().min(1).max(3),
    count: z.int().min(1).max(9),
    kind: z.enum(['a', 'b']),
    list: z
      .array(z.object({ on: z.boolean() }))
      .min(1)
      .max(2),
  })
  const good = { name: 'x', count: 1, kind: 'a', list: [{ on: true }] }
  const errorsOf = (value: unknown) =>
    fieldErrors(Sample.safeParse(value, { error: messageOf }).error?.issues ?? [])

  it('has none for a good value', () => {
    expect(errorsOf(good)).toEqual({})
  })

  it.each([
    [{ name: undefined }, 'name', 'This field is required.'],
    [{ name: null }, 'name', 'Must be a string, not null.'],
    [{ name: 7 }, 'name', 'Must be a string, not a number.'],
    [{ name: '' }, 'name', 'Must have at least 1 character.'],
    [{ name: 'long' }, 'name', 'Must have at most 3 characters.'],
    [{ count: '1' }, 'count', 'Must be a number, not a string.'],
    [{ count: 1.5 }, 'count', 'Must be an integer, not a fraction.'],
    [{ count: 0 }, 'count', 'Must be at least 1.'],
    [{ count: 10 }, 'count', 'Must be at most 9.'],
    [{ kind: 'c' }, 'kind', 'Must be one of: a, b.'],
    [{ list: {} }, 'list', 'Must be an array, not an object.'],
    [{ list: [] }, 'list', 'Must have at least 1 entry.'],
    [{ list: [1, 2, 3].map(() => ({ on: true })) }, 'list', 'Must have at most 2 entries.'],
    [{ list: [{ on: true }, { on: 1 }] }, 'list[1].on', 'Must be a boolean, not a number.'],
    [{ list: [{}] }, 'list[0].on', 'This field is required.'],
  ])('says of %j what is wrong with it', (change, field, message) => {
    expect(errorsOf({ ...good, ...change })).toEqual({ [field]: [message] })
  })

  it('names every bad field, and a fault of the whole as body', () => {
    expect(Object.keys(errorsOf({}))).toEqual(['name', 'count', 'kind', 'list'])
    expect(errorsOf(7)).toEqual({ body: ['Must be an object, not a number.'] })
  })

  it('keeps several findings of one field', () => {
    const issue = (message: string) => ({ code: 'custom' as const, path: ['a'], message, input: 1 })
    expect(fieldErrors([issue('one'), issue('two')])).toEqual({ a: ['one', 'two'] })
  })

  it('keeps the findings of a field that is called like a member of every object', () => {
    const issue = (field: string) => ({ code: 'custom' as const, path: [field], message: 'm' })
    for (const field of ['constructor', 'toString', 'hasOwnProperty']) {
      expect(fieldErrors([{ ...issue(field), input: 1 }])).toEqual({ [field]: ['m'] })
    }
  })
})
