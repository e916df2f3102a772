import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { RECORDS } from '../../src/engine/model/records.ts'
import { PRODUCTS_LOOKED_MAX } from '../../src/records/catalogue/without-stock.ts'
import { STOCK_LOOKED_MAX } from '../../src/records/inventory/quantity-below.ts'
import { byDepth, sample } from '../fixtures/depth.ts'
import { type Json, openAdmin, openTenant } from '../fixtures/tenant.ts'

// Each filter of a list reads its page from an index, in one round trip, whatever else the table holds. A table
// of some thousands shows it as well as one of a million: a page reads as many rows of either.

const ROWS = 12_000
const ORDERS = 2400
/** As many pages lead from the orders of one moment to those of others. */
const PAGES_MAX = byDepth(8, 60)
/** Records of stock of 0, 50, 100 and 150. */
const LOW = 3000
const LONG_AGO = '2026-01-01T00:00:00.000Z'
const NOON = '2026-01-02T12:00:00.000Z'
const STATUSES = ['draft', 'pending', 'in_progress', 'partially_verified', 'verified', 'shipped']
const STOCK = 'location_code, sku_code, quantity'
const FOUR = STATUSES.slice(0, 4).join()

const RANGE = `created_from=2026-01-01&created_to=${NOON}`

/** Merged along the index of each status, with a row looked ahead in each. */
function isOfTimeAlone(path: string): boolean {
  return path.startsWith('/orders/?created_')
}

/** Lists with more than a page of rows, by every filter that has an index. */
const FILTERED = [
  '/orders/?status=pending',
  '/orders/?status=pending,shipped',
  `/orders/?status=${FOUR}`,
  '/orders/?external_order_id=same',
  '/orders/?partner_id=p',
  `/orders/?${RANGE}`,
  '/orders/?created_from=2026-01-01T00:00:00Z',
  `/orders/?created_to=${NOON}`,
  `/orders/?status=pending&${RANGE}`,
  `/orders/?status=${FOUR}&${RANGE}`,
  `/orders/?external_order_id=same&${RANGE}`,
  `/orders/?partner_id=p&${RANGE}`,
  '/products/?is_active=true',
  '/products/?is_active=false',
  '/products/?is_active=all',
  '/locations/?is_active=true',
  '/locations/?is_active=false',
  '/locations/?is_active=all',
  '/inventory/?location_code=L0',
  '/inventory/?sku_code=S0',
  '/inventory/?quantity_below=101',
]

async function* pagesOf(path: string, limit: number, options: object = {}) {
  let cursor: string | null = null
  do {
    const next: string = cursor ? `&cursor=${cursor}` : ''
    const answer = await api.get(`${path}&limit=${limit}${next}`, options)
    expect([answer.status, answer.body.error]).toEqual([200, undefined])
    cursor = answer.body.pagination.next_cursor
    yield answer
  } while (cursor)
}

function costOf({ headers }: { headers: Headers }) {
  const told = headers.get('Server-Timing') ?? ''
  const [, trips, read] = /round trips (\d+), rows read (\d+)/.exec(told) ?? []
  return { trips: Number(trips), read: Number(read) }
}

const db = await openTenant()
const api = await openAdmin()
const fill = (rows: number, table: string, columns: string, values: string) =>
  db.prepare(
    `with recursive n (i) as (select 0 union all select i + 1 from n where i < ${rows - 1})
     insert into ${table} (${columns}) select ${values} from n`,
  )
const times = `'${LONG_AGO}', '${LONG_AGO}'`
// A third of the orders is of one moment, a third of moments of their own, and a third of another moment.
const moment = `case i * 3 / ${ORDERS} when 0 then '${LONG_AGO}' when 1 then
  strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-02', '+' || i || ' seconds') else '${NOON}' end`
const status = `'${JSON.stringify(STATUSES)}' ->> (i % ${STATUSES.length})`
const record = 'is_active, created_at, updated_at'
const bare = `'N' || (i + 1), 'N' || (i + 1), i % 2, ${times}`
await db.batch([
  db.prepare(`insert into partners (id, name, created_at, updated_at) values ('p', 'p', ${times})`),
  db.prepare(`insert into products (id, sku, ${record}) values ('s', 'S0', 1, ${times})`),
  db.prepare(`insert into locations (id, code, ${record}) values ('l', 'L0', 1, ${times})`),
  fill(ROWS, 'products', `id, sku, ${record}`, `i, 'S' || (i + 1), i % 2, ${times}`),
  fill(ROWS, 'locations', `id, code, ${record}`, `i, 'L' || (i + 1), i % 2, ${times}`),
  fill(
    ORDERS,
    'orders',
    'id, order_number, status, external_order_id, partner_id, created_at, updated_at',
    `i, 'O' || i, ${status}, 'same', 'p', ${moment}, '${LONG_AGO}'`,
  ),
  fill(ROWS, 'inventory', STOCK, `'L0', 'S' || (i + 1), ${2 * ROWS} - i`),
  fill(ROWS, 'inventory', STOCK, `'L' || (i + 1), 'S0', i`),
  fill(300, 'products', `id, sku, ${record}`, bare),
  fill(LOW, 'inventory', STOCK, `'L1', 'S' || (i + 1), i % 4 * 50`),
])
// The first one reads the key, the second one the settings that have changed since.
await api.get('/orders/')
await api.get('/orders/')

describe('the lists with more than a page', () => {
  it('have each filter of a definition by which several records are found', () => {
    const filters = Object.values(RECORDS).flatMap(({ many, key, filters }) =>
      filters.flatMap((name) => (name === key ? [] : [`/${many}/?${name}=`])),
    )
    expect(filters).not.toEqual([])
    for (const filter of filters) expect(FILTERED).toContainEqual(expect.stringContaining(filter))
  })
})

describe.each(FILTERED)('GET %s', (path) => {
  it('reads 50 rows and a few, in one round trip, on each of its pages', async () => {
    let pages = 0
    for await (const answer of pagesOf(path, 50)) {
      pages += 1
      const { trips, read } = costOf(answer)
      expect(trips).toBe(1)
      expect(read).toBeLessThanOrEqual(isOfTimeAlone(path) ? 60 : 55)
      if (pages === PAGES_MAX) break
    }
    expect(pages).toBeGreaterThan(5)
  })

  it('sorts nothing and goes through no table', async () => {
    const { bindings, told } = toldStatements()
    for await (const _ of pagesOf(path, 50, { bindings })) if (told.length > 1) break
    const pages = told.filter(({ sql }) => / limit /.test(sql))
    expect(pages).toHaveLength(2)
    for (const { sql, values } of pages) {
      const plan = await db
        .prepare(`explain query plan ${sql}`)
        .bind(...values)
        .all<{ detail: string }>()
      const steps = plan.results.map(({ detail }) => detail).join('\n')
      expect(steps).toMatch(/SEARCH (?:orders|products|locations|inventory) USING/)
      // The rows of a merge, one by one.
      const read = steps.startsWith('CO-ROUTINE orders')
        ? steps.replace(/^SCAN orders$/m, '')
        : steps
      expect(read).not.toMatch(/SCAN|TEMP B-TREE/)
    }
  })
})

interface Statement {
  sql: string
  values: unknown[]
}

/** The real bindings, with the statements that lists are read by. */
function toldStatements() {
  const told: Statement[] = []
  const real = env.DB_DEMO
  const database = {
    prepare: (sql: string) => {
      const prepared = real.prepare(sql)
      const bind = (...values: unknown[]) => {
        if (/from "(?:orders|products|locations|inventory)"/.test(sql)) told.push({ sql, values })
        return prepared.bind(...values)
      }
      return { bind }
    },
    batch: (statements: D1PreparedStatement[]) => real.batch(statements),
  }
  return { bindings: { ...env, DB_DEMO: database }, told }
}

describe.each([
  '/orders/?order_number=O7',
  `/orders/?order_number=O7&${RANGE}`,
  '/products/?sku=S7&is_active=all',
  '/products/?sku=S8',
  '/products/?sku=S7&is_active=false',
  '/locations/?code=L7&is_active=all',
  '/locations/?code=L8',
  '/locations/?code=L7&is_active=false',
])('GET %s', (path) => {
  it('reads the one record that has the name, by its index', async () => {
    const { bindings, told } = toldStatements()
    const { headers } = await api.get(path, { bindings })
    expect(costOf({ headers }).trips).toBe(1)
    expect(costOf({ headers }).read).toBeLessThanOrEqual(3)
    const [{ sql, values }] = told as [Statement]
    const plan = db.prepare(`explain query plan ${sql}`).bind(...values)
    const steps = (await plan.all<{ detail: string }>()).results.map(({ detail }) => detail)
    expect(steps).toEqual([expect.stringMatching(/^SEARCH \w+ USING INDEX sqlite_autoindex/)])
  })
})

describe('GET /inventory/ with location_code and sku_code', () => {
  it('reads the one record that both name', async () => {
    const { body, headers } = await api.get('/inventory/?location_code=L0&sku_code=S7')
    expect(body.data).toEqual([{ location_code: 'L0', sku_code: 'S7', quantity: 2 * ROWS - 6 }])
    expect(costOf({ headers }).read).toBeLessThanOrEqual(3)
  })
})

describe('GET /products/ with without_stock', () => {
  it.each(['', '&is_active=false', '&is_active=all'])(
    'looks at 10,000 products for a page, in one round trip%s',
    async (more) => {
      const found: string[] = []
      let pages = 0
      for await (const answer of pagesOf(`/products/?without_stock=true${more}`, 200)) {
        const { trips, read } = costOf(answer)
        expect(trips).toBe(1)
        expect(read).toBeLessThanOrEqual(2 * PRODUCTS_LOOKED_MAX + 5 * 201)
        found.push(...answer.body.data.map(({ sku }: Json) => sku))
        pages += 1
      }
      const active = { '': 'is_active = 1', '&is_active=false': 'is_active = 0' }[more] ?? 'true'
      const { results } = await db
        .prepare(
          `select sku from products where ${active}
         and sku not in (select sku_code from inventory) order by seq desc`,
        )
        .all<{ sku: string }>()
      expect(found).toEqual(results.map(({ sku }) => sku))
      expect(pages).toBeGreaterThan(more === '&is_active=all' ? 1 : 0)
    },
  )

  it('goes along the index of activity, and finds stock by its index', async () => {
    const { bindings, told } = toldStatements()
    await api.get('/products/?without_stock=true', { bindings })
    const [page] = told.filter(({ sql }) => sql.includes('not exists'))
    const plan = await db
      .prepare(`explain query plan ${page?.sql}`)
      .bind(...(page?.values ?? []))
      .all<{ detail: string }>()
    const steps = plan.results.map(({ detail }) => detail).join('\n')
    expect(steps).toMatch(/products USING INDEX products_active/)
    expect(steps).toMatch(/inventory USING COVERING INDEX inventory_sku_code/)
  })
})

describe('GET /inventory/ with quantity_below alone', () => {
  it.each([1, 51, 101])('lists all below %i by quantity, a page at a time', async (below) => {
    const { results } = await db
      .prepare(
        `select location_code, sku_code, quantity from inventory where quantity < ${below}
         order by quantity, seq`,
      )
      .all()
    const found: Json[] = []
    for await (const answer of pagesOf(`/inventory/?quantity_below=${below}`, 200)) {
      const { trips, read } = costOf(answer)
      expect([trips, read <= 205]).toEqual([1, true])
      found.push(...answer.body.data)
    }
    expect(found.length).toBeGreaterThan(LOW / 4)
    expect(found).toEqual(results)
  })

  it('reads nothing beyond the quantity', async () => {
    let [read, rows] = [0, 0]
    for await (const answer of pagesOf('/inventory/?quantity_below=4', 200)) {
      read = costOf(answer).read
      rows = answer.body.data.length
    }
    expect(rows).toBeLessThan(200)
    expect(read).toBeLessThanOrEqual(rows + 5)
  })
})

describe('GET /inventory/ with quantity_below', () => {
  it.each(
    sample(
      [
        ['some of the newest records are low', '/inventory/?location_code=L0', ROWS + 60],
        [
          'the first record of the second page is low',
          '/inventory/?sku_code=S0',
          ROWS - STOCK_LOOKED_MAX,
        ],
        [
          'the last record of a page is low',
          '/inventory/?sku_code=S0',
          ROWS - STOCK_LOOKED_MAX + 1,
        ],
        ['all records are low', '/inventory/?sku_code=S0', 2 * ROWS],
        ['no record is low', '/inventory/?location_code=L0', 1],
      ],
      2,
    ),
  )('looks at 10,000 records for a page, in one round trip, where %s', async (_, path, below) => {
    const found: Json[] = []
    const counts: number[] = []
    for await (const answer of pagesOf(`${path}&quantity_below=${below}`, 200)) {
      const { trips, read } = costOf(answer)
      expect(trips).toBe(1)
      expect(read).toBeLessThanOrEqual(STOCK_LOOKED_MAX + 5 * 201)
      counts.push(answer.body.data.length)
      found.push(...answer.body.data)
    }
    const [, column, code] = /[?](.*)=(.*)/.exec(path) ?? []
    const all = await db
      .prepare(`select count(*) as n from inventory where quantity < ? and ${column} = ?`)
      .bind(below, code)
      .first<number>('n')
    expect(found).toHaveLength(all ?? -1)
    expect(found.every(({ quantity }) => quantity < below)).toBe(true)
    expect(counts.length).toBeGreaterThan(1)
  })
})
