import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { wordsOf } from '../../src/engine/json/search/words.ts'
import { byDepth } from '../fixtures/depth.ts'
import { openPartner } from '../fixtures/partner.ts'
import { clear, pagesOf, store } from '../fixtures/searching.ts'
import { openTenant } from '../fixtures/tenant.ts'

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
