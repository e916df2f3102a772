import { createScheduledController, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import operations from '../../docs/operations.md?raw'
import worker from '../../src/index.ts'
import { numberIn, type Row, sectionOf, tablesOf } from '../markdown.ts'
import { countedBindings } from '../metering.ts'
import { openPartner } from '../partner.ts'
import { createLocation, createOrder, createProduct, path, stock } from '../resources/warehouse.ts'
import { type CallOptions, client, createKey, type Json, openTenant, unique } from '../tenant.ts'

// docs/operations.md, "What it costs", held to what D1 and KV count: whoever makes a request dearer,
// or cheaper, changes the page with it.

const PAGE = sectionOf(operations, 'What it costs')
const [PRICES, REQUESTS, ADDED, LIMITED, MIX, RETENTION] = tablesOf(PAGE) as [
  Table,
  Table,
  Table,
  Table,
  Table,
  Table,
]

type Table = Map<string, Row>
type Api = ReturnType<typeof client>
type Request = [api: Api, method: string, path: string, body?: Json]

interface Cost {
  d1_calls: number
  rows_read: number
  rows_written: number
  kv_reads: number
  kv_writes: number
}

const MILLION = 1_000_000
const GB = 1e9
const DATABASE_GB_MAX = 10
const LONG_AGO = '2020-01-01T00:00:00.000Z'

let db: D1Database
let api: Api
/** Of a partner that calls orders by a number of its own. */
let mapped: Api

beforeAll(async () => {
  db = await openTenant()
  await fillDatabase()
  api = (await openPartner()).api
  const mappings = { orders: { identifier_field: 'external_order_id' } }
  mapped = (await openPartner({ mappings })).api
})

/** Thousands of rows in each table, so that a statement that goes through one of them shows. */
async function fillDatabase(): Promise<void> {
  const now = "'2026-01-01T00:00:00.000Z'"
  const times = 'created_at, updated_at'
  await fill('locations', `id, code, ${times}`, `'l' || i, 'L' || i, ${now}, ${now}`)
  await fill('products', `id, sku, ${times}`, `'p' || i, 'S' || i, ${now}, ${now}`)
  await fill(
    'orders',
    `id, order_number, external_order_id, ${times}`,
    `'o' || i, 'O' || i, 'E' || i, ${now}, ${now}`,
  )
  await fill(
    'order_items',
    'order_id, position, id, sku_code, quantity',
    `'o' || i, 0, 'i' || i, 'S' || i, 1`,
  )
  await fill('inventory', 'location_code, sku_code, quantity', `'L' || (i % 7), 'S' || i, 1`)
  await fill(
    'audit_log',
    `request_id, created_at, settings_version, api_key_id, api_key_name, method, path, status,
     duration_ms`,
    `'r' || i, ${now}, 1, 'key', 'key', 'GET', '/api/integrations/v1/orders/', 200, 1`,
  )
}

async function fill(table: string, columns: string, values: string): Promise<void> {
  await db
    .prepare(
      `with recursive n (i) as (select 0 union all select i + 1 from n where i < 4999)
       insert into ${table} (${columns}) select ${values} from n`,
    )
    .run()
}

const newOrder = () => ({
  order_number: unique('O'),
  external_order_id: unique('E'),
  customer_name: 'Ada Lund',
  items: ['S1', 'S2', 'S3'].map((sku_code) => ({ sku_code, quantity: 1 })),
})
const orderOf = (caller: Api) => createOrder(caller, newOrder())
const pathOfOrder = async () => path('orders', (await orderOf(api)).order_number)
const pathOfOwnOrder = async () => path('orders', (await orderOf(mapped)).external_order_id)
const pathOfProduct = async () => path('products', (await createProduct(api)).sku)

/** Each request of the page, at records of its own. */
const MEASURED: Record<string, () => Promise<Request>> = {
  'GET an order of 3 lines': async () => [api, 'GET', await pathOfOrder()],
  "GET it by the partner's own number": async () => [mapped, 'GET', await pathOfOwnOrder()],
  'GET a page of 50 orders': async () => [api, 'GET', '/orders/'],
  'GET a page of 50 products': async () => [api, 'GET', '/products/'],
  'GET a product': async () => [api, 'GET', await pathOfProduct()],
  'GET stock of a SKU at 5 locations': async () => [api, 'GET', await pathOfStock()],
  'POST an order of 3 lines': async () => [api, 'POST', '/orders/', newOrder()],
  "PUT an order's status": async () => [api, 'PUT', await pathOfOrder(), { status: 'in_progress' }],
  'DELETE an order': async () => [api, 'DELETE', await pathOfOrder(), { reason: 'ordered twice' }],
  'POST a product': async () => [api, 'POST', '/products/', { sku: unique('S'), quantity: 5 }],
  "PUT a product's quantity": async () => [api, 'PUT', await pathOfProduct(), { quantity: 7 }],
  'POST 1,000 rows of stock, new': async () => upload(await emptyLocation(), 1),
  'POST 1,000 rows of stock, changed': async () => upload(await stockedLocation(1), 2),
  'POST 1,000 rows of stock, unchanged': async () => upload(await stockedLocation(1), 1),
  'A request without the scope, 403': async () => [await reader(), 'GET', '/orders/'],
  'GET an order that is not there, 404': async () => [api, 'GET', path('orders', unique('none'))],
  // The request that warms it is the one that it has.
  'A request beyond the rate limit, 429': async () => [(await limited(1)).api, 'GET', '/orders/'],
}

async function pathOfStock(): Promise<string> {
  const { sku } = await createProduct(api)
  for (let n = 0; n < 5; n++) await stock(api, { sku_code: sku, location_code: `L${n}` })
  return `${path('inventory', sku)}?by=sku`
}

const emptyLocation = async () => (await createLocation(api)).code as string

async function stockedLocation(quantity: number): Promise<string> {
  const code = await emptyLocation()
  const [, method, where, body] = upload(code, quantity)
  expect((await api.call(method, where, body)).body.data.created).toBe(1000)
  return code
}

function upload(location_code: string, quantity: number): Request {
  const rowOf = (n: number) => ({ location_code, sku_code: `S${n}`, quantity })
  return [
    api,
    'POST',
    '/inventory/',
    { inventory: Array.from({ length: 1000 }, (_, n) => rowOf(n)) },
  ]
}

const reader = async () => (await openPartner({ scopes: ['integrations.products.read'] })).api

async function limited(rate_limit: number) {
  const { api, key } = await openPartner()
  await db.prepare('update api_keys set rate_limit = ? where id = ?').bind(rate_limit, key.id).run()
  return { api, id: key.id as string }
}

/** For an isolate that has seen the key, and under these settings. */
const warm = (caller: Api) => caller.get('/products/?limit=1')

/** The same Worker in another isolate: nothing of its memory is shared. */
async function freshIsolate(): Promise<CallOptions> {
  vi.resetModules()
  return { worker: (await import('../../src/index.ts')).default as Json }
}

/** All that a request costs, with the audit row that is written after the answer of a read. */
async function measure([caller, method, where, body]: Request, options: CallOptions = {}) {
  const counted = countedBindings()
  const { bindings } = counted
  const { status } = await caller.call(method, where, body, { ...options, bindings })
  return { status, cost: costOf(counted) }
}

function costOf({ calls, rows }: ReturnType<typeof countedBindings>): Cost {
  const { d1, kv_reads, kv_writes } = calls
  return { d1_calls: d1, rows_read: rows.read, rows_written: rows.written, kv_reads, kv_writes }
}

function documented(row: Row = {}): Cost {
  return {
    d1_calls: numberIn(row['D1 calls']),
    rows_read: numberIn(row['Rows read']),
    rows_written: numberIn(row['Rows written']),
    kv_reads: numberIn(row['KV reads']),
    kv_writes: numberIn(row['KV writes'] ?? '0'),
  }
}

const priceOf = (billed: string) => numberIn(PRICES.get(billed)?.Beyond)

/** What D1 and KV take for a million of these. */
function priced({ rows_read, rows_written, kv_reads, kv_writes }: Cost): number {
  const d1 = rows_read * priceOf('D1 rows read') + rows_written * priceOf('D1 rows written')
  return d1 + kv_reads * priceOf('KV reads') + kv_writes * priceOf('KV writes')
}

const shown = (amount: number, digits = 0) =>
  amount.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
/** Half a cent is a cent more, whatever a sum of floats makes of it. */
const money = (dollars: number) => shown(Math.round(dollars * 1000) / 1000, 2)

const STATUS: Record<string, number> = {
  GET: 200,
  PUT: 200,
  DELETE: 200,
  403: 403,
  404: 404,
  429: 429,
}

describe('a request', () => {
  it('is on the page if it is measured, and measured if it is on the page', () => {
    expect([...REQUESTS.keys()]).toEqual(Object.keys(MEASURED))
  })

  it.each(Object.entries(MEASURED))('costs what the page says: %s', async (name, prepare) => {
    const request = await prepare()
    await warm(request[0])
    const { status, cost } = await measure(request)
    const posted = request[2] === '/inventory/' ? 200 : 201
    expect(status).toBe(STATUS[name.slice(-3)] ?? STATUS[request[1]] ?? posted)
    const row = REQUESTS.get(name)
    expect(cost).toEqual(documented(row))
    expect(row?.['$ a million']).toBe(money(priceOf('Requests') + priced(cost)))
  })

  it('writes one row less where its key has no partner', async () => {
    const where = await pathOfOrder()
    const passThrough = client((await createKey()).value)
    const written = []
    for (const caller of [api, passThrough]) {
      await warm(caller)
      written.push((await measure([caller, 'GET', where])).cost.rows_written)
    }
    expect(written).toEqual([6, 5])
  })

  it('shares the insert of audit rows, and one row of it, with other reads of its moment', async () => {
    const where = await pathOfOrder()
    await warm(api)
    const { bindings, calls, rows } = countedBindings()
    await Promise.all(Array.from({ length: 20 }, () => api.get(where, { bindings })))
    const inserts = calls.d1 - 20
    expect(inserts).toBeLessThan(20)
    expect(rows.written).toBe(20 * 5 + inserts)
  })
})

/** What the partner with a mapping meets on top, from the isolate and KV as these leave them. */
const MET: Record<string, () => Promise<CallOptions>> = {
  'First request of a key in an isolate': freshIsolate,
  '… that KV does not know either': async () => {
    for (const { name } of (await env.KEYS.list()).keys) await env.KEYS.delete(name)
    return await freshIsolate()
  },
  'First one after a change of settings': async () => {
    await db.exec('update workspace set name = name')
    return {}
  },
}

/** The audit row of the request once more, so many times. */
async function repeatAuditRow(requestId: string, times: number, created_at: string): Promise<void> {
  const columns = `settings_version, record_id, api_key_id, api_key_name, partner_id, partner_name,
    method, path, status, duration_ms`
  await db
    .prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)
       insert into audit_log (request_id, created_at, ${columns})
       select substr(lower(hex(randomblob(18))), 1, 36), ?3, ${columns} from n, audit_log
       where request_id = ?1`,
    )
    .bind(requestId, times, created_at)
    .run()
}

describe('on top', () => {
  it.each(Object.entries(MET))('costs what the page says: %s', async (name, leave) => {
    const request: Request = [mapped, 'GET', await pathOfOwnOrder()]
    await warm(mapped)
    const usual = (await measure(request)).cost
    const { status, cost } = await measure(request, await leave())
    expect(status).toBe(200)
    const more = Object.entries(cost).map(([what, count]) => [
      what,
      count - usual[what as keyof Cost],
    ])
    const added: Cost = Object.fromEntries(more)
    expect(added).toEqual(documented(ADDED.get(name)))
    expect(ADDED.get(name)?.['$ a million']).toBe(money(priced(added)))
  })

  it('costs what the page says: deletion', async () => {
    const { headers } = await api.get(await pathOfOrder())
    await repeatAuditRow(headers.get('X-Request-Id') ?? '', 1000, LONG_AGO)
    for (const name of ['Deletion of 1,000 audit rows', 'Deletion on a day when none is due']) {
      const counted = countedBindings()
      const controller = createScheduledController({ scheduledTime: new Date('2021-06-01') })
      await worker.scheduled(controller, { ...counted.bindings, DB_OTHER: null } as Json)
      const cost = costOf(counted)
      expect(cost).toEqual(documented(ADDED.get(name)))
      expect(ADDED.get(name)?.['$ a million']).toBe(money(priced(cost)))
    }
  })
})

/** Rows that SQLite has written for the key's object since it was made. */
async function rowsWrittenFor(id: string): Promise<number> {
  return await runInDurableObject(env.RATE_LIMITER.getByName(`demo ${id}`), (_, { storage }) =>
    Number(storage.sql.exec('select total_changes() as n').one().n),
  )
}

describe('a rate limit', () => {
  it('costs what the page says', async () => {
    const { api: caller, id } = await limited(2)
    const measured = []
    for (const status of [200, 200, 429]) {
      const before = await rowsWrittenFor(id)
      expect((await caller.get('/orders/')).status).toBe(status)
      measured.push((await rowsWrittenFor(id)) - before)
    }
    const rows = [...LIMITED.values()]
    expect(measured).toEqual(rows.map((row) => numberIn(row['Object rows written'])))
    for (const row of rows) {
      const requests = numberIn(row['Object requests']) * priceOf('Durable Object requests')
      const written = numberIn(row['Object rows written']) * priceOf('Durable Object rows written')
      expect(row['$ a million']).toBe(money(requests + written))
    }
  })
})

describe('a million requests', () => {
  const rows = [...REQUESTS.values()].map((row) => ({
    count: numberIn(row['In the mix']),
    ...documented(row),
  }))
  const sumOf = (what: 'rows_read' | 'rows_written') =>
    rows.reduce((sum, row) => sum + row.count * row[what], 0)

  it('are a million', () => {
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(MILLION)
  })

  it('cost together what the page says, and the deletion of their audit rows with them', () => {
    const deletion = documented(ADDED.get('Deletion of 1,000 audit rows'))
    const amounts = {
      Requests: MILLION,
      'D1 rows read': sumOf('rows_read') + deletion.rows_read * 1000,
      'D1 rows written': sumOf('rows_written') + deletion.rows_written * 1000,
      'KV reads': MILLION / 50,
    }
    let total = 0
    for (const [billed, amount] of Object.entries(amounts)) {
      const dollars = (amount / MILLION) * priceOf(billed)
      total += dollars
      const included = numberIn(PRICES.get(billed)?.['Included each month']) * MILLION
      expect(MIX.get(billed)).toMatchObject({
        Amount: shown(amount),
        $: money(dollars),
        'Included for': `${shown(Math.floor(included / amount))} such tenants`,
      })
    }
    expect([...MIX.keys()]).toEqual([...Object.keys(amounts), 'Together'])
    expect(MIX.get('Together')?.$).toBe(money(total))
  })
})

describe('audit rows', () => {
  const bytes = numberIn(/takes (\d+) bytes/.exec(PAGE)?.[1])
  const size = async () => (await db.prepare('select 1').run()).meta.size_after

  it('take as many bytes as the page says, to a tenth', async () => {
    const { api: nordvik } = await openPartner({ name: 'Nordvik ERP' })
    const where = await pathOfOrder()
    const requests = [await nordvik.get(where), await nordvik.put(where, { notes: 'gift wrap' })]
    const before = await size()
    for (const { headers } of requests) {
      await repeatAuditRow(headers.get('X-Request-Id') ?? '', 10_000, new Date().toISOString())
    }
    const measured = ((await size()) - before) / 20_000
    expect(Math.abs(measured / bytes - 1)).toBeLessThan(0.1)
  })

  it.each([...RETENTION])('cost what the page says, kept for %s days', (text, row) => {
    const days = numberIn(text)
    const kept = (MILLION * 12 * days) / 365
    const gb = (kept * bytes) / GB
    expect(row).toMatchObject({
      'Audit rows': `${shown(kept / MILLION, 1)} million`,
      GB: shown(gb, 1),
      '$ a month': money(gb * priceOf('D1 storage')),
      'A database is full at': `${shown(DATABASE_GB_MAX / gb, 1)} million requests a month`,
    })
  })
})
