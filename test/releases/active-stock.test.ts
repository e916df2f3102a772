import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { byDepth, sample } from '../fixtures/depth.ts'
import { countedBindings } from '../fixtures/metering.ts'
import { db } from '../fixtures/opened.ts'
import type { Api, Json } from '../fixtures/tenant.ts'
import { sideBySide } from './callers.ts'

// Release 1.0 lists the newest 100 records of active products at active locations. However much other
// stock there is, that reads no more than 1,000 rows.

const ROWS_READ_MAX = 1000

let pinned: Api

beforeAll(async () => {
  pinned = (await sideBySide()).pinned
  await pinned.get('/inventory/')
})

/** So many numbers `i`, from 0 on. */
const numbers = (count: number) =>
  `with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < ${count})`

const locations = (name: string, count: number, is_active = 1) =>
  db.prepare(
    `${numbers(count)} insert into locations (id, code, is_active, created_at, updated_at)
     select '${name}' || i, '${name}' || i, ${is_active}, '2026', '2026' from n`,
  )
const products = (name: string, count: number, is_active = 1) =>
  db.prepare(
    `${numbers(count)} insert into products (id, sku, is_active, created_at, updated_at)
     select '${name}' || i, '${name}' || i, ${is_active}, '2026', '2026' from n`,
  )
/** Records in turn at each of the locations, of one product after the other. */
const stock = (count: number, location: string, at: number, sku: string) =>
  db.prepare(
    `${numbers(count)} insert into inventory (location_code, sku_code, quantity)
     select '${location}' || (i % ${at}), '${sku}' || (i / ${at}), i from n`,
  )

/** A tenant that has these and nothing else. */
async function fill(statements: D1PreparedStatement[]): Promise<void> {
  const tables = ['inventory', 'locations', 'products']
  await db.batch([...tables.map((table) => db.prepare(`delete from ${table}`)), ...statements])
}

/** Active stock as a plain walk through all of it finds it. */
async function activeStock(newest = Number.MAX_SAFE_INTEGER): Promise<Json[]> {
  const { results } = await db
    .prepare(
      `select location_code, sku_code, newest.quantity
       from (select * from inventory order by seq desc limit ?) as newest
       join locations on code = location_code and locations.is_active
       join products on sku = sku_code and products.is_active
       order by newest.seq desc limit 100`,
    )
    .bind(newest)
    .all()
  return results
}

async function list() {
  const { bindings, rows } = countedBindings()
  const { status, body } = await pinned.get('/inventory/', { bindings })
  expect(status).toBe(200)
  return { data: body.data, warnings: body.warnings, rows_read: rows.read }
}

const EXACT: [string, number, () => D1PreparedStatement[]][] = [
  [
    '20,000 newer records at one inactive location',
    100,
    () => [
      locations('A', 1),
      locations('X', 1, 0),
      products('S', 20_000),
      stock(150, 'A', 1, 'S'),
      stock(20_000, 'X', 1, 'S'),
    ],
  ],
  [
    '50,000 newer records at 50 inactive locations, and 100 active ones',
    100,
    () => [
      locations('A', 100),
      locations('X', 50, 0),
      products('S', 1000),
      stock(400, 'A', 100, 'S'),
      stock(50_000, 'X', 50, 'S'),
    ],
  ],
  [
    'an active record after each 300 at inactive locations',
    100,
    () => [
      locations('A', 20),
      locations('X', 100, 0),
      products('S', 400),
      ...Array.from({ length: 120 }, (_, turn) => [
        db.prepare(
          `${numbers(300)} insert into inventory (location_code, sku_code, quantity)
           select 'X' || (i % 100), 'S' || (${turn * 3} + i / 100), 1 from n`,
        ),
        db.prepare(
          `insert into inventory (location_code, sku_code, quantity)
           values ('A${turn % 20}', 'S${turn}', 1)`,
        ),
      ]).flat(),
    ],
  ],
  [
    '20,000 newer records at inactive locations, and less active stock than the list holds',
    30,
    () => [
      locations('A', 60),
      locations('X', 50, 0),
      products('S', 400),
      stock(30, 'A', 60, 'S'),
      stock(20_000, 'X', 50, 'S'),
    ],
  ],
  [
    'one newer record in four of an inactive product, at few locations',
    100,
    () => [
      locations('A', 3),
      products('S', 1000),
      stock(300, 'A', 3, 'S'),
      db.prepare('update products set is_active = 0 where cast(substr(sku, 2) as integer) % 4 = 0'),
    ],
  ],
  [
    'one newer record in two at inactive locations, and thousands of active ones',
    100,
    () => [
      locations('A', 3000),
      products('S', 1),
      stock(3000, 'A', 3000, 'S'),
      db.prepare(
        'update locations set is_active = 0 where cast(substr(code, 2) as integer) % 2 > 0',
      ),
    ],
  ],
  [
    'no more than 250 records, all at inactive locations, and thousands of active ones',
    0,
    () => [
      locations('A', 3000),
      locations('X', 250, 0),
      products('S', 1),
      stock(250, 'X', 250, 'S'),
    ],
  ],
  [
    '20,000 newer records at 24 inactive locations, 6 active ones and thousands without stock',
    100,
    () => [
      locations('A', 3000),
      locations('X', 24, 0),
      products('S', 1000),
      stock(300, 'A', 6, 'S'),
      stock(20_000, 'X', 24, 'S'),
    ],
  ],
  [
    'no active location',
    0,
    () => [locations('X', 1, 0), products('S', 20_000), stock(20_000, 'X', 1, 'S')],
  ],
  ['no stock', 0, () => [locations('A', 1), products('S', 1)]],
  ['no stock, and thousands of locations', 0, () => [locations('A', 3000), products('S', 1)]],
]

describe('GET /inventory/ of release 1.0', () => {
  it.each(sample(EXACT, 4))(
    'gives the newest active stock and reads at most 1,000 rows with %s',
    async (_, count, world) => {
      await fill(world())
      const { data, warnings, rows_read } = await list()
      expect(data).toHaveLength(count)
      expect(data).toEqual(await activeStock())
      expect(warnings).toBeUndefined()
      expect(rows_read).toBeLessThanOrEqual(ROWS_READ_MAX)
    },
  )

  it.each([
    [
      'among the newest 250 records, of more than 100 active locations',
      () => [
        locations('A', 101),
        locations('X', 1, 0),
        products('S', 1000),
        products('Y', 1000, 0),
        stock(200, 'A', 101, 'S'),
        stock(220, 'A', 101, 'Y'),
        stock(1, 'X', 1, 'S'),
      ],
      250,
    ],
    [
      'among the newest 150 records at active locations, of at most 100',
      () => [
        locations('A', 100),
        locations('X', 10, 0),
        products('S', 1000),
        products('Y', 1000, 0),
        stock(200, 'A', 100, 'S'),
        stock(120, 'A', 100, 'Y'),
        stock(5000, 'X', 10, 'S'),
      ],
      150 + 5000,
    ],
  ] as const)(
    'gives what is active %s, and warns that more may be missing',
    async (_, world, newest) => {
      await fill([...world()])
      const { data, warnings, rows_read } = await list()
      expect(data).toEqual(await activeStock(newest))
      expect(data.length).toBeGreaterThan(20)
      expect(data.length).toBeLessThan(100)
      expect(warnings).toEqual([
        { field: 'data', message: expect.stringMatching(/^Older records/) },
      ])
      expect(rows_read).toBeLessThanOrEqual(ROWS_READ_MAX)
    },
  )

  it.each(
    sample(
      [
        [1, 1],
        [30, 30],
        [100, 30],
        [100, 100],
        [101, 30],
        [101, 31],
        [101, 101],
        [5000, 30],
        [5000, 5000],
      ],
      2,
    ),
  )(
    'reads at most 1,000 rows where of %i active locations %i have stock, of inactive products',
    async (count, stocked) => {
      await fill([
        locations('A', count),
        products('S', 5000),
        products('Y', 20_000, 0),
        stock(20_000, 'A', stocked, 'Y'),
      ])
      const { data, warnings, rows_read } = await list()
      expect(data).toEqual([])
      expect(warnings).toHaveLength(1)
      expect(rows_read).toBeLessThanOrEqual(ROWS_READ_MAX)
    },
  )

  it('agrees with a plain walk, whatever is active', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        await fill(filledWith(world))
        const { data, warnings } = await list()
        expect(data).toEqual(await activeStock())
        expect(warnings).toBeUndefined()
      }),
      { numRuns: byDepth(5, 100) },
    )
  })
})

interface World {
  /** Active locations without stock. */
  more: number
  inactive: number[]
  ended: number[]
  records: { location: number; sku: number }[]
}

/** Few enough records that none is missing, at few locations or at many. */
const worlds: fc.Arbitrary<World> = fc.constantFrom(10, 60).chain((stocked) => {
  const location = fc.nat({ max: stocked - 1 })
  return fc.record({
    more: fc.constantFrom(0, 200),
    inactive: fc.uniqueArray(location),
    ended: fc.uniqueArray(fc.nat({ max: 29 }), { maxLength: 15 }),
    records: fc.uniqueArray(fc.record({ location, sku: fc.nat({ max: 29 }) }), {
      maxLength: 149,
      size: 'max',
      selector: ({ location, sku }) => `${location} ${sku}`,
    }),
  })
})

function filledWith({ more, inactive, ended, records }: World): D1PreparedStatement[] {
  const end = (table: string, column: string, name: string, which: number[]) =>
    db
      .prepare(
        `update ${table} set is_active = 0
         where ${column} in (select '${name}' || value from json_each(?))`,
      )
      .bind(JSON.stringify(which))
  return [
    locations('A', 60),
    locations('B', more + 1),
    products('S', 30),
    db
      .prepare(
        `insert into inventory (location_code, sku_code, quantity)
         select 'A' || (value ->> 'location'), 'S' || (value ->> 'sku'), key from json_each(?)`,
      )
      .bind(JSON.stringify(records)),
    end('locations', 'code', 'A', inactive),
    end('products', 'sku', 'S', ended),
  ]
}
