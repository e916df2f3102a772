import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Field } from '../../src/engine/model/fields.ts'
import { RECORDS } from '../../src/engine/model/records.ts'
import { byDepth, inDeepPass, sample } from '../fixtures/depth.ts'
import { openPartner } from '../fixtures/partner.ts'
import { pagesOf, type Searched, search, store } from '../fixtures/searching.ts'
import { openTenant, unique } from '../fixtures/tenant.ts'

// A search reads its page along indexes, in one round trip, whatever else the tables hold. Some thousands of rows
// show it as well as a million: a page reads as many rows of either.

const ROWS = 12_000
const PAGES_MAX = byDepth(6, 1000)
const FIELDS = ['metadata.ref', 'metadata.other', 'notes']

/** Searches with many pages, along how many indexes they walk, words counted, and whether they find many by a word. */
const SEARCHES: [Searched, string, walks: number, byWords?: true][] = [
  ['orders', 'N', 7],
  ['orders', 'nora', 7],
  ['orders', 'nora1', 7],
  ['orders', 'ADA', 7],
  ['orders', 'x', 7],
  ['orders', 'lund', 7, true],
  ['orders', 'LU', 7, true],
  ['orders', 'éva', 9, true],
  ['orders', '77', 7, true],
  ['products', 'N', 1],
  ['locations', 'N', 4],
  ['locations', 'nörd', 7],
  ['locations', 'NORA2', 4],
]

const db = await openTenant()
for (const identifier_field of FIELDS) {
  await openPartner({ mappings: { orders: { identifier_field } } })
}
const fill = (table: string, columns: string, values: string, rows = ROWS) =>
  db.prepare(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows})
     insert into ${table} (${columns}, created_at, updated_at)
     select ${values}, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from n`,
  )
// A third of the orders matches "N" in every way, a third by the customer alone, and a third by nothing.
const number = `case i % 3 when 0 then 'N' else 'x' end || i`
await db.batch([
  fill(
    'orders',
    'id, order_number, external_order_id, customer_name, metadata, notes',
    `'i' || i, ${number}, ${number}, case i % 3 when 2 then 'Ada' else 'nora' end || (i % 7),
     json_object('ref', ${number}, 'other', ${number}), ${number}`,
  ),
  // And some by later words only, by two of them or in two cases.
  fill(
    'orders',
    'id, order_number, customer_name',
    `'w' || i, 'y-77' || i, case i % 3 when 0 then 'Jo Éva' when 1 then 'Jo Lund' else 'Jo éva Lunde Lund' end`,
    ROWS / 10,
  ),
  fill('products', 'id, sku', `'i' || i, 'N' || i`),
  fill(
    'locations',
    'id, code, name, zone, aisle',
    `'i' || i, 'N' || i, 'N' || i, case i % 2 when 0 then 'NÖRD' else 'nörd' end, 'nora' || (i % 3)`,
  ),
])
await search('orders', 'none')

describe.each([RECORDS.products, RECORDS.locations])('a search of $many', ({ many, fields }) => {
  it('walks along one index for its key and one for each searched field', () => {
    const searched = Object.values<Field>(fields).filter(({ isSearched }) => isSearched)
    const [, , walks] = SEARCHES.find(([resource]) => resource === many) ?? []
    expect(walks).toBe(1 + searched.length)
  })
})

describe.each(sample(SEARCHES, 6))('a search of %s by "%s"', (resource, text, walks, byWords) => {
  // A word leads to its order.
  const rows = byWords ? 2 * 51 : 51

  it('reads 51 rows and two of each walk and of its place at most, in one round trip, on each of its pages', async () => {
    let pages = 0
    for await (const { cost } of pagesOf(resource, text, 50)) {
      expect(cost.trips).toBe(1)
      expect(cost.read).toBeLessThanOrEqual(rows + 2 * (walks + 1))
      pages += 1
      if (pages === PAGES_MAX) break
    }
    expect(pages).toBeGreaterThan(5)
  })

  it('sorts nothing and goes through no table', async () => {
    const { binding, told } = toldStatements()
    const { next_cursor } = await search(resource, text, { binding })
    await search(resource, text, { binding, cursor: next_cursor ?? '' })
    expect(told).toHaveLength(2)
    for (const [page, { sql, values }] of told.entries()) {
      const plan = await db
        .prepare(`explain query plan ${sql}`)
        .bind(...values)
        .all<{ detail: string }>()
      const steps = plan.results.map(({ detail }) => detail)
      const reads = steps.filter(
        (step) => step.includes(` ${resource} `) || step.includes(' order_words '),
      )
      expect(reads.length).toBeGreaterThanOrEqual(page === 0 ? walks : 1)
      for (const read of reads)
        expect(read).toMatch(/^SEARCH \w+ USING ((COVERING )?INDEX|(INTEGER )?PRIMARY KEY) /)
      expect(steps.join('\n')).not.toMatch(/SCAN (?!\(subquery-)|TEMP B-TREE|AUTOMATIC/)
    }
  })
})

/** The real database, with the statements of searches. */
function toldStatements() {
  const told: { sql: string; values: unknown[] }[] = []
  const prepare = (sql: string) => {
    const prepared = env.DB_DEMO.prepare(sql)
    const bind = (...values: unknown[]) => {
      if (sql.includes('first_step')) told.push({ sql, values })
      return prepared.bind(...values)
    }
    return { bind }
  }
  const batch = (statements: D1PreparedStatement[]) => env.DB_DEMO.batch(statements)
  return { binding: { prepare, batch } as unknown as D1Database, told }
}

describe('a search with a limit of 0', () => {
  it.each(['orders', 'products', 'locations'] as const)('reads no %s', async (resource) => {
    const { rows, next_cursor, cost } = await search(resource, 'N', { limit: 0 })
    expect([rows, next_cursor]).toEqual([[], null])
    // The version of the settings.
    expect(cost).toEqual({ trips: 1, read: 1 })
  })
})

inDeepPass(() => {
  describe('a search, page by page while others write', () => {
    const WALKED: [Searched, (text: string, number: number) => object, string][] = [
      [
        'orders',
        (text, number) => {
          const name = `${text}${number % 5}`
          const own = {
            order_number: `${number % 3 ? '' : text}${unique('o')}`,
            customer_name: name,
          }
          const id = number % 2 ? { external_order_id: `${text}${number % 4}` } : { notes: name }
          return { ...own, ...id }
        },
        'customer_name',
      ],
      ['products', (text) => ({ sku: unique(text) }), 'quantity'],
      [
        'locations',
        (text, number) => ({
          code: unique(number % 2 ? text : 'l'),
          name: `${text}Ü${number % 3}`,
          zone: `${text}ü`,
        }),
        'aisle',
      ],
    ]

    it.each(sample(WALKED, 1))(
      'gives each of the %s once that were there',
      async (resource, make, column) => {
        const text = unique('W')
        const records = Array.from({ length: 60 }, (_, number) => make(text, number))
        await store(resource, records)
        const name = { orders: 'order_number', products: 'sku', locations: 'code' }[resource]
        const expected = records.map((record) => Reflect.get(record, name) as string)
        const seen: string[] = []
        for await (const { names } of pagesOf(resource, text, 7)) {
          seen.push(...names)
          await store(resource, [make(text, seen.length), make(text, seen.length + 1)])
          const other = { customer_name: 'x', quantity: 7, aisle: text }[column]
          const changed = column === 'customer_name' ? 'due_date' : column
          await db
            .prepare(`update ${resource} set ${changed} = ? where ${name} = ?`)
            .bind(other, seen.at(-1) ?? '')
            .run()
        }
        const earlier = seen.filter((one) => expected.includes(one))
        expect(earlier.toSorted()).toEqual(expected.toSorted())
      },
    )
  })
})

describe('a search by words, page by page', () => {
  it.each([
    ['lund', 800],
    ['éva', 800],
    ['77', 1200],
  ])('gives each order of "%s" once', async (text, count) => {
    for (const limit of [7, 50]) {
      const seen: string[] = []
      for await (const { names } of pagesOf('orders', text, limit)) seen.push(...names)
      const words = seen.filter((name) => name.startsWith('y-'))
      expect([words.length, new Set(words).size]).toEqual([count, count])
    }
  })

  it('gives each once of which many words match, whatever is written meanwhile', async () => {
    const text = unique('V').replaceAll('-', '')
    const orders = Array.from({ length: 30 }, (_, at) => ({
      order_number: `${unique('o')}-${text}${at % 3}`,
      customer_name: `Jo ${text}${at % 4} ${text.toLowerCase()}${at % 2 ? '' : at} ${text}`,
    }))
    await store('orders', orders)
    const seen: string[] = []
    for await (const { names } of pagesOf('orders', text, 4)) {
      seen.push(...names)
      await store('orders', [{ order_number: unique('o'), customer_name: `Eva ${text}` }])
    }
    const numbers = orders.map(({ order_number }) => order_number)
    const earlier = seen.filter((one) => numbers.includes(one))
    expect(earlier.toSorted()).toEqual(numbers.toSorted())
    expect(new Set(seen).size).toBe(seen.length)
  })
})

describe('a search of texts that a cursor cannot hold', () => {
  const walked = async (text: string) => {
    const seen: string[] = []
    for await (const { names } of pagesOf('orders', text, 2)) {
      seen.push(...names)
      if (seen.length > 20) break
    }
    return seen.toSorted()
  }
  const numbers = (count: number) => Array.from({ length: count }, () => unique('o')).toSorted()

  it('gives each order once whose name has a U+0000, and those behind it', async () => {
    const text = unique('Z')
    const orders = numbers(6).map((order_number, at) => {
      return { order_number, customer_name: at < 5 ? `${text}\u0000${at}` : `${text}z` }
    })
    await store('orders', orders)
    expect(await walked(text)).toEqual(orders.map(({ order_number }) => order_number))
  })

  it('gives each order once whose long values begin alike', async () => {
    const long = unique('long') + 'x'.repeat(300)
    const orders = numbers(5).map((order_number, at) => ({ order_number, notes: `${long}${at}` }))
    await store('orders', orders)
    expect(await walked(long.slice(0, 100))).toEqual(orders.map(({ order_number }) => order_number))
  })
})

describe('a cursor of a search', () => {
  it.each([
    ['another text', 'orders', 'NO', undefined],
    ['another resource', 'products', 'N', undefined],
    ['nothing', 'orders', 'N', 'abc'],
    ['a list', 'orders', 'N', btoa('2.demo.orders.5').replaceAll('=', '')],
  ] as [string, Searched, string, string | undefined][])(
    'of %s is refused',
    async (_, resource, text, given) => {
      const { next_cursor } = await search('orders', 'N')
      const cursor = given ?? next_cursor ?? ''
      await expect(search(resource, text, { cursor })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      })
    },
  )

  it('is refused once partners use another identifier', async () => {
    const { next_cursor } = await search('orders', 'N')
    await openPartner({ mappings: { orders: { identifier_field: 'metadata.later' } } })
    const cursor = next_cursor ?? ''
    await expect(search('orders', 'N', { cursor })).rejects.toMatchObject({
      details: { fields: { cursor: [expect.stringContaining('search again')] } },
    })
  })
})

inDeepPass(() => {
  describe('a search in a workspace with as many identifier fields as there may be', () => {
    it('is one statement that D1 takes, and reads its page', async () => {
      for (let n = 0; n < 16; n++) {
        const identifier_field = `metadata.${n + 10}${'ä'.repeat(62)}`
        await openPartner({ mappings: { orders: { identifier_field } } })
      }
      const { binding, told } = toldStatements()
      // Four letters of two cases, and a part of an id: as many walks as there may be.
      for (const text of ['éäöü', '00000000', 'N']) {
        await search('orders', text)
        const { cost } = await search('orders', text, { binding })
        expect(cost.trips).toBe(1)
        expect(cost.read).toBeLessThanOrEqual(51 + 2 * 56)
      }
      expect(told).toHaveLength(3)
      for (const { sql, values } of told) {
        expect(new TextEncoder().encode(sql).length).toBeLessThan(80_000)
        expect(values).toHaveLength(2)
      }
    })
  })
})
