import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type OrderNames, wordsOf } from '../../src/engine/json/search/words.ts'
import { byDepth } from '../fixtures/depth.ts'
import { db } from '../fixtures/opened.ts'
import { clear, store } from '../fixtures/searching.ts'
import { type Api, openAdmin, unique } from '../fixtures/tenant.ts'
import { idOf, undo } from '../fixtures/undo.ts'

// The triggers of migrations/0006_order_words.sql and 0012, and the same rule in words.ts.

beforeEach(async () => {
  await db.exec('delete from order_items')
  await clear('orders')
})

const named = (order_number: string, customer_name: string | null = null) => ({
  order_number,
  customer_name,
})

/** The words that the database has, by the number of their order. */
async function stored(): Promise<Record<string, string[]>> {
  const { results } = await db
    .prepare(
      `select order_number, json_group_array(word) as words from order_words
       join orders on seq = order_seq group by seq order by seq`,
    )
    .all<{ order_number: string; words: string }>()
  return Object.fromEntries(
    results.map(({ order_number, words }) => [order_number, folded(JSON.parse(words))]),
  )
}

const textsOf = (order: OrderNames) => wordsOf(order).map(({ text }) => text)

/** In any order, and once if they differ in the case of A to Z only. */
function folded(words: string[]): string[] {
  const small = words.map((word) => word.replace(/[A-Z]/g, (letter) => letter.toLowerCase()))
  return [...new Set(small)].toSorted()
}

const change = async (order_number: string, customer_name: string | null) => {
  const update = db.prepare('update orders set customer_name = ? where order_number = ?')
  return (await update.bind(customer_name, order_number).run()).meta.rows_written
}

describe('the words of an order', () => {
  it.each<[what: string, number: string, name: string | null, words: string[]]>([
    ['one part each', 'SO2001', 'Ada', []],
    ['no customer', 'SO2001', null, []],
    ['an empty name', 'SO2001', '', []],
    ['a first name and a last one', 'SO2001', 'Ada Lund', ['Lund']],
    ['several of both', 'KERAMIK-30418', 'Ada Maria Lund', ['30418', 'Maria Lund', 'Lund']],
    ['a number that begins with a mark', '#1001', '(Ada) Lund', ['1001', 'Ada) Lund', 'Lund']],
    ['several separators', 'a--b//SO_77', null, ['SO_77', '77']],
    ['the two longest parts', 'A-26-30418-B2-771', null, ['30418-B2-771', '771']],
    ['the earlier one of equal parts', '1-aa-bb-cc', null, ['aa-bb-cc', 'bb-cc']],
    ['no single letters or digits', 'SO-1-2', 'Ada M. Lund & B', ['Lund & B']],
    ['one letter beyond ASCII', 'n', '王 伟', ['伟']],
    ['an apostrophe inside a word', 'n', "Mary O'Brien d’Arc", ["O'Brien d’Arc", 'd’Arc']],
    [
      'a hyphen, a full stop, a slash',
      'n',
      'Lund-Berg.Nord/Süd',
      ['Berg.Nord/Süd', 'Nord/Süd', 'Süd'],
    ],
    [
      'the four longest of a long name',
      'n',
      'Büro und Objekteinrichtung Nord-West GmbH & Co. KG',
      [
        'Objekteinrichtung Nord-West GmbH & Co. KG',
        'Nord-West GmbH & Co. KG',
        'West GmbH & Co. KG',
        'GmbH & Co. KG',
      ],
    ],
    [
      'two of a UUID, two of the name',
      '0a1b2c3d-1111-4222-8333-444455556666',
      'Jan van der Berg',
      ['444455556666', '1111-4222-8333-444455556666', 'Berg', 'van der Berg'],
    ],
    [
      'quotes and a backslash',
      'n',
      'Die "Alte" Post\\Amt',
      ['Alte" Post\\Amt', 'Post\\Amt', 'Amt'],
    ],
    [
      'other scripts',
      'n',
      'Иванов Пётр, 田・郎　様',
      ['Пётр, 田・郎　様', '田・郎　様', '郎　様', '様'],
    ],
    ['right-to-left scripts', 'n', 'محمد علي، כהן־לוי', ['علي، כהן־לוי', 'כהן־לוי', 'לוי']],
    ['emoji', 'n', '😀 😀x zz👍🏽', ['😀x zz👍🏽', 'zz👍🏽']],
    ['an end before a line break', 'n', 'Ada\nLund Nord\r\nOslo', ['Lund Nord', 'Nord', 'Oslo']],
    ['nothing behind a U+0000', 'n', 'Ada Lund\u0000 Berg', ['Lund']],
    [
      'white space of other kinds',
      'n',
      'Ada\tLund\u00a0Berg\u2009Nord',
      ['Lund\u00a0Berg\u2009Nord', 'Berg\u2009Nord', 'Nord'],
    ],
    ['255 characters', 'n', `${'x'.repeat(250)} Lund`, ['Lund']],
    ['255 marks', 'n', '-'.repeat(255), []],
    ['255 letters', 'n', 'ä'.repeat(255), []],
  ])('are, of %s: %s, %s', async (_, order_number, customer_name, words) => {
    const order = named(order_number, customer_name)
    await store('orders', [order])
    expect(Object.values(await stored()).flat()).toEqual(folded(words))
    expect(textsOf(order).toSorted()).toEqual(words.toSorted())
  })

  it('are none for the same text in another case', async () => {
    await store('orders', [named('X-lund', 'Ada Lund')])
    expect(await stored()).toEqual({ 'X-lund': ['lund'] })
    await change('X-lund', 'Ada Berg')
    expect(await stored()).toEqual({ 'X-lund': ['berg', 'lund'] })
  })

  it('are the same to words.ts, whatever stands between them', async () => {
    const marks = Array.from({ length: 0xffff }, (_, point) => String.fromCodePoint(point + 1))
    const between = marks.filter(
      (mark) => /[\p{P}\p{S}\p{Z}\p{C}]/u.test(mark) && !/\p{Co}|\p{Cs}|\p{Cn}/u.test(mark),
    )
    const orders = between.map((mark, at) => named(`n${at}`, `aa${mark}bb`))
    await store('orders', orders)
    const expected = orders.map((order) => [order.order_number, folded(textsOf(order))] as const)
    expect(await stored()).toEqual(
      Object.fromEntries(expected.filter(([, words]) => words.length > 0)),
    )
  })

  const unit = fc.constantFrom(
    'a',
    'B',
    'ä',
    '伟',
    '😀',
    '1',
    ' ',
    ' ',
    '-',
    '-',
    '.',
    "'",
    '"',
    '\\',
    '\n',
    '\r',
    '\u0000',
    '—',
  )
  const text = fc.string({ unit, minLength: 1, maxLength: 30 })
  const orders = fc.uniqueArray(fc.record({ order_number: text, customer_name: fc.option(text) }), {
    selector: ({ order_number }) => order_number,
    minLength: 1,
    maxLength: 20,
  })

  it('are the same to words.ts, before and after changes of names', async () => {
    const property = fc.asyncProperty(orders, fc.array(fc.option(text)), async (first, later) => {
      await clear('orders')
      await store('orders', first)
      const now = first.map((order, at) => {
        return { ...order, customer_name: later[at] ?? order.customer_name }
      })
      for (const all of [first, now]) {
        for (const { order_number, customer_name } of all) await change(order_number, customer_name)
        const words = all.map((order) => [order.order_number, folded(textsOf(order))] as const)
        const some = words.filter(([, texts]) => texts.length > 0)
        const found = await stored()
        expect(found).toEqual(Object.fromEntries(some))
      }
    })
    await fc.assert(property, { numRuns: byDepth(10, 150) })
  })

  it('are there of the orders that are older than the table', async () => {
    const orders = [named('SO-2001', 'Ada Lund'), named('KERAMIK-30418', null), named('n', 'Ada')]
    await store('orders', orders)
    const before = await stored()
    await db.exec('delete from order_words')
    const { queries } = env.MIGRATIONS.find(({ name }) => name === '0006_order_words.sql') ?? {}
    const fill = queries?.findLast((query) => query.includes('INSERT INTO order_names_inbox')) ?? ''
    expect(fill).toContain('FROM orders WHERE')
    for (let times = 0; times < 2; times++) {
      await db.prepare(fill).run()
      expect(await stored()).toEqual(before)
    }
  })

  it('go with the order', async () => {
    await store('orders', [named('SO-2001', 'Ada Lund'), named('SO-2002', 'Ada Lund')])
    await db.prepare("delete from orders where order_number = 'SO-2001'").run()
    const { results } = await db.prepare('select word from order_words').all()
    expect(results.map(({ word }) => word)).toEqual(['2002', 'Lund'])
  })

  it('leave both inboxes empty', async () => {
    await store('orders', [named('SO-2001', 'Ada Lund')])
    await change('SO-2001', 'Ada Berg')
    for (const table of ['order_names_inbox', 'order_words_inbox'])
      expect((await db.prepare(`select * from ${table}`).all()).results).toEqual([])
  })
})

describe('a change of an order', () => {
  const NAMES: [before: string | null, after: string | null, words: number][] = [
    ['Ada Lund', 'Ada Lund', 0],
    ['Ada Lund', 'Eva Lund', 0],
    ['Ada Lund', 'Ada LUND', 0],
    ['Ada Lund', 'Ada Berg', 2],
    ['Ada Lund', 'Ada', 1],
    ['Ada', 'Ada Lund', 1],
    ['Ada Lund', null, 1],
    [null, 'Ada Lund', 1],
    ['Ada Maria Lund', 'Eva Maria Lund', 0],
    ['Ada Maria Lund', 'Ada Lund', 1],
  ]

  let trigger: string

  beforeAll(async () => {
    const select = "select sql from sqlite_schema where name = 'orders_changed_words'"
    trigger = ((await db.prepare(select).first<string>('sql')) ?? '').replaceAll('\n', ' ')
  })

  it.each(NAMES)('from %s to %s writes words that come or go: %i', async (before, after, words) => {
    await store('orders', [named('SO2', before), named('SO-2001', before)])
    // A change of the name writes the same rows besides, with words and without.
    await db.exec('drop trigger orders_changed_words')
    const besides = await change('SO2', after)
    await db.exec(trigger)
    expect((await change('SO-2001', after)) - besides).toBe(words)
    // What the first one has kept.
    await db.exec('delete from order_words')
  })
})

describe('an order of the API', () => {
  let api: Api
  let sku: string

  beforeAll(async () => {
    api = await openAdmin()
    sku = unique('S')
    await api.post('/products/', { sku })
  })

  const wordsNow = async (number: string) => (await stored())[number] ?? []
  const newOrder = (order_number: string, customer_name: string) => ({
    order_number,
    customer_name,
    items: [{ sku_code: sku, quantity: 1 }],
  })

  it('has its words as soon as it is created, after a PUT, and after the undo of it', async () => {
    expect((await api.post('/orders/', newOrder('KERAMIK-30418', 'Ada Lund'))).status).toBe(201)
    expect(await wordsNow('KERAMIK-30418')).toEqual(['30418', 'lund'])
    const put = await api.put('/orders/KERAMIK-30418/', { customer_name: 'Ada Nord Berg' })
    expect(put.status).toBe(200)
    expect(await wordsNow('KERAMIK-30418')).toEqual(['30418', 'berg', 'nord berg'])
    expect((await undo(api, idOf(put))).status).toBe(200)
    expect(await wordsNow('KERAMIK-30418')).toEqual(['30418', 'lund'])
  })

  it('keeps them when it is cancelled, and when a PUT says nothing of the name', async () => {
    await api.post('/orders/', newOrder('GLAS-30419', 'Ada Lund'))
    await api.put('/orders/GLAS-30419/', { status: 'in_progress', notes: 'Fragile' })
    await api.delete('/orders/GLAS-30419/')
    expect(await wordsNow('GLAS-30419')).toEqual(['30419', 'lund'])
  })

  it('has none after a dry run, or a refusal', async () => {
    await api.post('/orders/?dry_run=true', newOrder('HOLZ-30420', 'Ada Lund'))
    await api.post('/orders/', {
      ...newOrder('HOLZ-30421', 'Ada Lund'),
      items: [{ sku_code: 'none', quantity: 1 }],
    })
    expect((await db.prepare('select count(*) from order_words').first('count(*)')) ?? 1).toBe(0)
  })
})
