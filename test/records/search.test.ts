import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { wordsOf } from '../../src/engine/json/search/words.ts'
import { byDepth } from '../fixtures/depth.ts'
import { openPartner } from '../fixtures/partner.ts'
import { clear, found, pagesOf, search, store } from '../fixtures/searching.ts'
import { openTenant } from '../fixtures/tenant.ts'

const METADATA = { shop: { name: 'no' }, ref: 'REF-1', number: 4711, größe: 'Ä-1', flag: true }
const ID = '0a1b2c3d-1111-4222-8333-444455556666'

beforeAll(async () => {
  await openTenant()
  const identify = (identifier_field: string) => ({ orders: { identifier_field } })
  for (const field of ['metadata.ref', 'metadata.number', 'metadata.größe', 'notes']) {
    await openPartner({ mappings: identify(field) })
  }
  await store('orders', [
    { order_number: 'SO-1', external_order_id: 'E-1', customer_name: 'Ada Lund' },
    { order_number: 'SO-10', external_order_id: 'SO-1', customer_name: 'ada lovelace' },
    { order_number: 'SO-100', external_order_id: 'SO-100', customer_name: 'ADA' },
    { order_number: 'so-1', customer_name: 'O\'Brien "Bob"' },
    { order_number: '50%', external_order_id: '50_', customer_name: '100 % Käse' },
    { order_number: '50x', external_order_id: '50y', customer_name: '100 _ Käse' },
    { order_number: 'M1', customer_name: 'MÜLLER' },
    { order_number: 'M2', customer_name: 'Müller & Söhne' },
    { order_number: 'M3', customer_name: 'müller' },
    { order_number: 'M4', customer_name: 'Muller' },
    { order_number: 'I1', customer_name: 'Иванов Пётр' },
    { order_number: 'I2', customer_name: 'ИВАНОВ ПЁТР' },
    { order_number: 'R1', metadata: METADATA, notes: 'note one' },
    { order_number: 'R2', metadata: { ref: 'REF-12' }, notes: 'REF-2' },
    { order_number: 'X1', id: ID, customer_name: '<b>Bold</b>' },
    { order_number: 'at@x', customer_name: 'at@' },
    { order_number: 'at[x', customer_name: 'at[' },
    { order_number: 'last\u{10ffff}', customer_name: 'last\u{10ffff}\u{10ffff}' },
    { order_number: 'D7\ud7ff', customer_name: 'D7\ud7ffz' },
    { order_number: 'D7\ue000' },
    { order_number: "'; drop table orders; --" },
    { order_number: 'KERAMIK-30418-B7', customer_name: 'Jan' },
    { order_number: '30418' },
    { order_number: 'W1', customer_name: 'Jan van der Berg' },
    { order_number: 'W2', customer_name: 'Lovelace Lola Lo' },
  ])
  await store('products', [
    { sku: 'TEA-1' },
    { sku: 'TEA-10', is_active: 0 },
    { sku: 'tea-1' },
    { sku: 'T%A' },
  ])
  await store('locations', [
    { code: 'A-01', name: 'Aisle one', zone: 'Zone A', aisle: 'A1' },
    { code: 'A-02', name: 'aisle TWO', zone: 'zone a', aisle: 'A1', is_active: 0 },
    { code: 'B-01', name: 'A-01', zone: 'Zone B', aisle: 'a11' },
    { code: 'B-02', name: 'Öl', zone: 'Kühl', aisle: null },
  ])
})

describe('a search of orders', () => {
  it.each([
    ['an order number before what begins with it', 'SO-1', ['SO-1', 'SO-10', 'SO-100']],
    ['order numbers, the highest first', 'SO-', ['SO-100', 'SO-10', 'SO-1']],
    ['the exact case of identifiers', 'so', ['so-1']],
    ['the exact case of identifiers, E', 'e-1', []],
    ['an external id', 'E-1', ['SO-1']],
    ['once what matches twice', 'SO-100', ['SO-100']],
    ['a customer in any case, the exact one first', 'ada', ['SO-100', 'SO-10', 'SO-1']],
    ['a customer with more of the name', 'ADA L', ['SO-10', 'SO-1']],
    ['quotes', 'O\'BRIEN "', ['so-1']],
    ['a percent sign as it is', '50%', ['50%']],
    ['a percent sign as it is, alone', '%', []],
    ['an underscore as it is', '50_', ['50%']],
    ['an underscore as it is, alone', '_', []],
    ['an underscore in a name', '100 _', ['50x']],
    ['umlauts in any case', 'MÜLLER', ['M1', 'M3', 'M2']],
    ['umlauts in any case, small', 'mül', ['M3', 'M2', 'M1']],
    ['umlauts that are no other letters', 'mul', ['M4']],
    ['a name of many letters beyond ASCII, small', 'иванов', ['I2', 'I1']],
    ['a name of many letters beyond ASCII, capital', 'ИВАНОВ П', ['I2', 'I1']],
    ['a name of many letters beyond ASCII, as usual', 'Иванов Пётр', ['I1', 'I2']],
    ["a partner's identifier", 'REF-1', ['R1', 'R2']],
    ["a partner's identifier in a column", 'REF-2', ['R2']],
    ["a partner's identifier that is a number", '471', ['R1']],
    ["a partner's identifier with a key of any letters", 'Ä', ['R1']],
    ['the exact case of it', 'ä', []],
    ['nothing of an object that nobody addresses by', 'true', []],
    ['our id', ID, ['X1']],
    ['a part of our id', ID.slice(0, 9), ['X1']],
    ['no id by less', ID.slice(0, 7), []],
    ['mark-up as it is', '<b>', ['X1']],
    ['an at sign, and no bracket', 'at@', ['at@x']],
    ['a bracket', 'AT[', ['at[x']],
    ['the last character of all', 'last\u{10ffff}', ['last\u{10ffff}']],
    ['the last character before the surrogates', 'D7\ud7ff', ['D7\ud7ff']],
    ['no statement', "'; drop table orders; --", ["'; drop table orders; --"]],
    ['one character', 'M', ['M4', 'M3', 'M2', 'M1']],
    ['a last name', 'Lund', ['SO-1']],
    ['a later word in any case, after names that begin with it', 'LO', ['W2', 'SO-10']],
    ['an order once of which several words match', 'lol', ['W2']],
    ['several words from a later one on', 'VAN DER B', ['W1']],
    ['the last of them', 'berg', ['W1']],
    ['a later word with umlauts', 'SÖHNE', ['M2']],
    ['a later word of many letters beyond ASCII', 'ПЁТР', ['I2', 'I1']],
    ['a part of a number in any case', 'b7', ['KERAMIK-30418-B7']],
    ['a part of a number after the number itself', '30418', ['30418', 'KERAMIK-30418-B7']],
    [
      'a number of three digits behind a hyphen, after others',
      '10',
      ['50%', '50x', 'SO-10', 'SO-100'],
    ],
    ['no single digit behind a hyphen', '1', ['50%', '50x', 'SO-10', 'SO-100']],
    ['no middle of a word', 'und', []],
    ['no words that stand apart', 'Jan Berg', []],
    ['255 characters', 'x'.repeat(255), []],
    ['four letters of two cases', 'äöüé', []],
    ['255 letters of two cases', 'ä'.repeat(255), []],
  ])('finds %s: %j', async (_, text, names) => {
    expect(await found('orders', text)).toEqual(names)
  })

  it('tells which word it has found, and whether that is all of it', async () => {
    const of = async (text: string) =>
      (await search('orders', text)).rows.map(
        ({ order_number, field, found: what, isExact, isInside }) => {
          return [order_number, field, what, isExact, isInside]
        },
      )
    expect(await of('Söhne')).toEqual([['M2', 'customer_name', 'Söhne', true, true]])
    expect(await of('söhn')).toEqual([['M2', 'customer_name', 'Söhne', false, true]])
    expect(await of('30418')).toEqual([
      ['30418', 'order_number', '30418', true, false],
      ['KERAMIK-30418-B7', 'order_number', '30418-B7', true, true],
    ])
    expect(await of('30418-b7')).toEqual([
      ['KERAMIK-30418-B7', 'order_number', '30418-B7', true, true],
    ])
    expect(await of('b')).toEqual([
      ['KERAMIK-30418-B7', 'order_number', 'B7', false, true],
      ['W1', 'customer_name', 'Berg', false, true],
      ['so-1', 'customer_name', 'Bob"', false, true],
      ['X1', 'customer_name', 'Bold</b>', false, true],
    ])
  })

  it('tells by what it has found an order, and whether that is all of it', async () => {
    const { rows } = await search('orders', 'SO-1')
    expect(rows.map(({ field, found: what, isExact }) => [field, what, isExact])).toEqual([
      ['order_number', 'SO-1', true],
      ['external_order_id', 'SO-1', true],
      ['order_number', 'SO-100', false],
    ])
    const [first] = (await search('orders', '471')).rows
    expect(first).toMatchObject({ field: 'metadata.number', found: '4711', isExact: false })
    expect(first).toMatchObject({ order_number: 'R1', status: 'pending', customer_name: null })
  })
})

describe('a search of products', () => {
  it.each([
    ['TEA-1', ['TEA-1', 'TEA-10']],
    ['tea', ['tea-1']],
    ['T%', ['T%A']],
    ['%', []],
  ])('finds by SKU: %s', async (text, names) => {
    expect(await found('products', text)).toEqual(names)
  })
})

describe('a search of locations', () => {
  it.each([
    ['a code, then a name', 'A-01', ['A-01', 'B-01']],
    ['the exact case of a code, and any of a name', 'a-0', ['B-01']],
    ['names', 'AISLE', ['A-01', 'A-02']],
    ['a zone, the newest first', 'zone A', ['A-02', 'A-01']],
    ['a zone by its beginning', 'zone', ['A-02', 'A-01', 'B-01']],
    ['an aisle', 'a1', ['A-02', 'A-01', 'B-01']],
    ['umlauts', 'KÜ', ['B-02']],
    ['umlauts of one letter', 'ö', ['B-02']],
  ])('finds %s: %s', async (_, text, names) => {
    expect(await found('locations', text)).toEqual(names)
  })
})

describe('a search of nothing', () => {
  it.each(['orders', 'products', 'locations'] as const)('finds none of no %s', async (resource) => {
    await clear(resource)
    expect(await found(resource, 'A')).toEqual([])
  })
})

// Searches beside a model of one line for each field: which records have a text that is, or begins with, another, or has
// a later word that does.

interface Order {
  order_number: string
  external_order_id: string | null
  customer_name: string | null
  metadata: { ref: string } | null
}

const letters = (least: number) =>
  fc.string({
    unit: fc.constantFrom('a', 'A', 'b', 'ä', 'Ä', 'з', 'З', '%', '_', '@', '[', 'Z', '😀'),
    minLength: least,
    maxLength: 7,
  })

const orders = fc.uniqueArray(
  fc.record({
    order_number: letters(1),
    external_order_id: fc.option(letters(1)),
    customer_name: fc.option(letters(0)),
    metadata: fc.option(fc.record({ ref: letters(0) })),
  }),
  { selector: ({ order_number }) => order_number, maxLength: 12 },
)

const small = (text: string) => text.toLowerCase()

function identifiersOf({ order_number, external_order_id, metadata }: Order): string[] {
  return [order_number, external_order_id, metadata?.ref].filter((text) => text != null)
}

function isExact(order: Order, text: string): boolean {
  const isName = order.customer_name !== null && small(order.customer_name) === small(text)
  return isName || identifiersOf(order).includes(text)
}

function matches(order: Order, text: string): boolean {
  const isName = order.customer_name !== null && small(order.customer_name).startsWith(small(text))
  const isWord = wordsOf(order).some((word) => small(word.text).startsWith(small(text)))
  return isName || isWord || identifiersOf(order).some((own) => own.startsWith(text))
}

const namesOf = (some: Order[]) => some.map(({ order_number }) => order_number).toSorted()

async function walk(text: string, limit: number): Promise<string[]> {
  const names: string[] = []
  for await (const page of pagesOf('orders', text, limit)) names.push(...page.names)
  return names
}

beforeAll(async () => {
  await openTenant()
  await openPartner({ mappings: { orders: { identifier_field: 'metadata.ref' } } })
})

describe('a search of orders', () => {
  it('finds what the model finds, each once, what is exactly the text first', async () => {
    const property = fc.asyncProperty(
      orders,
      letters(1),
      fc.integer({ min: 1, max: 5 }),
      async (stored, text, limit) => {
        await clear('orders')
        await store('orders', stored)
        const found = await walk(text, limit)
        const exact = stored.filter((order) => isExact(order, text))
        expect(found.slice(0, exact.length).toSorted()).toEqual(namesOf(exact))
        expect(found.toSorted()).toEqual(namesOf(stored.filter((order) => matches(order, text))))
      },
    )
    await fc.assert(property, { numRuns: byDepth(25, 2000) })
  })

  it('finds each word of a name, and each part of a number, that are few', async () => {
    const word = fc.string({
      unit: fc.constantFrom('l', 'U', 'n', 'd', 'é', 'ж', '王', '7', "'", '’', '😀'),
      minLength: 2,
      maxLength: 8,
    })
    const words = fc.array(word, { minLength: 1, maxLength: 3 })
    const separator = fc.constantFrom(' ', ' ', '-', ', ', ' & ', '/', '\u00a0', '.', '—', '·')
    const property = fc.asyncProperty(words, words, separator, async (number, name, between) => {
      await clear('orders')
      const order = { order_number: number.join('-'), customer_name: name.join(between) }
      await store('orders', [order])
      for (const text of name.flatMap((one) => [
        one,
        one.toUpperCase(),
        [...one].slice(0, 2).join(''),
      ]))
        expect([text, await walk(text, 1)]).toEqual([text, [order.order_number]])
      for (const text of number) expect(await walk(text, 1)).toEqual([order.order_number])
    })
    await fc.assert(property, { numRuns: byDepth(15, 200) })
  })
})
