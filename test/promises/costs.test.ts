import { createScheduledController, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { connect, newMeter } from '../../src/engine/db/connect.ts'
import { HINTS_MAX } from '../../src/engine/db/key-attempts.ts'
import { auditArchive } from '../../src/engine/log/daily-jobs.ts'
import { EXPIRED_ROWS_MAX } from '../../src/engine/log/expired-rows.ts'
import worker from '../../src/index.ts'
import { attempt, BASE_DOMAIN, fillAttempts } from '../fixtures/attempts.ts'
import { sortLog } from '../fixtures/audit-rows.ts'
import { itInDeep, sample } from '../fixtures/depth.ts'
import { freshIsolate } from '../fixtures/isolate.ts'
import { numberIn } from '../fixtures/markdown.ts'
import { countedBindings } from '../fixtures/metering.ts'
import { pace } from '../fixtures/pace.ts'
import { openPartner } from '../fixtures/partner.ts'
import {
  type CallOptions,
  client,
  createKey,
  type Json,
  outdateCallers,
  unique,
} from '../fixtures/tenant.ts'
import { createProduct, path, stock } from '../fixtures/warehouse.ts'
import {
  ADDED,
  type Api,
  api,
  type Cost,
  db,
  documented,
  emptyLocation,
  LIMITED,
  mapped,
  money,
  newOrder,
  orderOf,
  PLENTY,
  pathOfOrder,
  priceOf,
  REQUESTS,
  type Request,
  repeatAuditRow,
  stockedLocation,
  upload,
} from './costs.ts'
import { SAFE_WRITES } from './costs-of-safe-writes.ts'

// docs/costs.md, held to what D1 and KV count: whoever makes a request dearer,
// or cheaper, changes the page with it.

const LONG_AGO = '2020-01-01T00:00:00.000Z'

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
  'A dry run of that': async () => [api, 'POST', '/orders/?dry_run=true', newOrder()],
  "PUT an order's status": async () => [api, 'PUT', await pathOfOrder(), { status: 'in_progress' }],
  'DELETE an order': async () => [api, 'DELETE', await pathOfOrder(), { reason: 'ordered twice' }],
  'POST a product': async () => [api, 'POST', '/products/', { sku: unique('S'), quantity: 5 }],
  "PUT a product's quantity": async () => [api, 'PUT', await pathOfProduct(), { quantity: 7 }],
  'POST 1,000 rows of stock, new': async () => upload(await emptyLocation(), PLENTY),
  'POST 1,000 rows of stock, changed': async () =>
    upload(await stockedLocation(PLENTY), PLENTY + 1),
  'POST 1,000 rows of stock of at most 100, new': async () => upload(await emptyLocation(), 1),
  'POST 1,000 rows of stock of at most 100, changed': async () =>
    upload(await stockedLocation(1), 2),
  'POST 1,000 rows of stock, unchanged': async () => upload(await stockedLocation(1), 1),
  'A request without the scope, 403': async () => [await reader(), 'GET', '/orders/'],
  'GET an order that is not there, 404': async () => [api, 'GET', path('orders', unique('none'))],
  // The request that warms it is the one that it has.
  'A request beyond the rate limit, 429': async () => [(await limited(1)).api, 'GET', '/orders/'],
  ...SAFE_WRITES,
}

async function pathOfStock(): Promise<string> {
  const { sku } = await createProduct(api)
  for (let n = 0; n < 5; n++) await stock(api, { sku_code: sku, location_code: `L${n}` })
  return `${path('inventory', sku)}?by=sku`
}

const reader = async () => (await openPartner({ scopes: ['integrations.products.read'] })).api

async function limited(rate_limit: number) {
  const { api, key } = await openPartner()
  await db.prepare('update api_keys set rate_limit = ? where id = ?').bind(rate_limit, key.id).run()
  return { api, id: key.id as string }
}

/** For an isolate that has seen the key, and under these settings. */
const warm = (caller: Api) => caller.get('/products/?limit=1')

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

/** What D1 and KV take for a million of these. */
function priced({ rows_read, rows_written, kv_reads, kv_writes }: Cost): number {
  const d1 = rows_read * priceOf('D1 rows read') + rows_written * priceOf('D1 rows written')
  return d1 + kv_reads * priceOf('KV reads') + kv_writes * priceOf('KV writes')
}

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

  it.each(sample(Object.entries(MEASURED), 8))(
    'costs what the page says: %s',
    async (name, prepare) => {
      const request = await prepare()
      await warm(request[0])
      const { status, cost } = await measure(request)
      const posted = /^\/(orders|products)\//.test(request[2]) ? 201 : 200
      expect(status).toBe(STATUS[name.slice(-3)] ?? STATUS[request[1]] ?? posted)
      const row = REQUESTS.get(name)
      expect(cost).toEqual(documented(row))
      expect(row?.['$ a million']).toBe(money(priceOf('Requests') + priced(cost)))
    },
  )

  it('looks up what malformed rows of an upload name, without a walk through the others', async () => {
    const location = await stockedLocation(1)
    const [, , where, { inventory }] = upload(location, 1)
    const bad = { location_code: unique('lost'), sku_code: unique('lost'), quantity: -1 }
    const read: number[] = []
    for (const rows of [inventory, [...inventory, bad]]) {
      await warm(api)
      read.push((await measure([api, 'POST', where, { inventory: rows }])).cost.rows_read)
    }
    // Some of them for the other ways to write its two codes.
    expect((read[1] ?? 0) - (read[0] ?? 0)).toBeLessThan(20)
  })

  it('writes as many rows where its key has no partner', async () => {
    const where = await pathOfOrder()
    const passThrough = client((await createKey()).value)
    const written = []
    for (const caller of [api, passThrough]) {
      await warm(caller)
      written.push((await measure([caller, 'GET', where])).cost.rows_written)
    }
    expect(written).toEqual([3, 3])
  })

  it('shares the insert of audit rows with other reads of its moment', async () => {
    const where = await pathOfOrder()
    await warm(api)
    const { bindings, calls, rows } = countedBindings()
    await Promise.all(Array.from({ length: 20 }, () => api.get(where, { bindings })))
    const inserts = calls.d1 - 20
    expect(inserts).toBeLessThan(20)
    expect(rows.written).toBe(20 * 3)
  })
})

/** What the partner with a mapping meets on top, from the isolate and KV as these leave them. */
const MET: Record<string, () => Promise<CallOptions>> = {
  'First request of a key in an isolate': async () => {
    // KV has its settings as they are.
    await outdateCallers()
    await warm(mapped)
    return await freshIsolate()
  },
  '… that KV does not know either': async () => {
    for (const { name } of (await env.KEYS.list()).keys) await env.KEYS.delete(name)
    return await freshIsolate()
  },
  'First one after a change of settings that do not concern it': async () => {
    await db.exec('update workspace set name = name')
    return {}
  },
  'First one after a change of its own settings': async () => {
    await outdateCallers()
    return {}
  },
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

  it('costs what the page says: attempts without a valid key', async () => {
    await fillAttempts(HINTS_MAX)
    const counted = countedBindings()
    const bindings = { ...counted.bindings, BASE_DOMAIN }
    const { status } = await attempt('secret', { ...(await freshIsolate()), bindings })
    expect(status).toBe(401)
    const row = ADDED.get('Storing an attempt without a valid key, where the table has 100 hints')
    const cost = costOf(counted)
    expect(cost).toEqual(documented(row))
    expect(row?.['$ a million']).toBe(money(priced(cost)))
  })

  it('costs what the page says: the audit log as CSV', async () => {
    const { headers } = await api.get(await pathOfOrder())
    await repeatAuditRow(headers.get('X-Request-Id') ?? '', 1001, LONG_AGO)
    await sortLog()
    // One row more follows: whether another key's rows come after does not matter then.
    const { id, value } = await createKey(['settings.*'])
    await db
      .prepare('update audit_log set api_key_id = ? where created_at = ?')
      .bind(id, LONG_AGO)
      .run()
    const reader = client(value)
    await reader.get('/api/settings/v1/workspace/')
    const path = `/api/settings/v1/audit-log/?format=csv&limit=1000&to=2021-01-01&api_key_id=${id}`
    const { status, cost } = await measure([reader, 'GET', path])
    expect(status).toBe(200)
    const row = ADDED.get('1,000 rows of the audit log as CSV')
    await db.prepare('delete from audit_log where api_key_id = ?').bind(id).run()
    expect(cost).toEqual(documented(row))
    expect(row?.['$ a million']).toBe(money(priced(cost)))
  })

  it('costs what the page says: an export', async () => {
    const code = await emptyLocation()
    const numbers =
      'with recursive n (i) as (select 0 union all select i + 1 from n where i < 9999)'
    await db.batch([
      db.prepare(
        `${numbers} insert or ignore into products (id, sku, created_at, updated_at)
         select 'S' || i, 'S' || i, '', '' from n`,
      ),
      db
        .prepare(
          `${numbers} insert into inventory (location_code, sku_code, quantity)
           select ?, 'S' || i, 1 from n`,
        )
        .bind(code),
    ])
    await warm(api)
    const request: Request = [api, 'GET', `/inventory/?location_code=${code}`]
    const { status, cost } = await measure(request, { headers: { Accept: 'text/csv' } })
    expect(status).toBe(200)
    const row = ADDED.get('10,000 records of stock as an export')
    expect(cost).toEqual(documented(row))
    expect(row?.['$ a million']).toBe(money(priced(cost)))
  })

  it('costs what the page says: deletion', async () => {
    const { headers } = await api.get(await pathOfOrder())
    const id = headers.get('X-Request-Id') ?? ''
    await repeatAuditRow(id, 1000, LONG_AGO)
    await repeatAuditRow(id, EXPIRED_ROWS_MAX, new Date().toISOString())
    await sortLog()
    await db.prepare('delete from replaced_values').run()
    for (const name of ['Deletion of 1,000 audit rows', 'Deletion on a day when none is due']) {
      const counted = countedBindings()
      await turn({ ...counted.bindings, KEYS: env.KEYS, DB_OTHER: null, DOCUMENTS: null })
      const cost = costOf(counted)
      expect(cost).toEqual(documented(ADDED.get(name)))
      expect(ADDED.get(name)?.['$ a million']).toBe(money(priced(cost)))
    }
  })

  itInDeep('costs what the page says: archiving', async () => {
    const { headers } = await api.get(await pathOfOrder())
    const id = headers.get('X-Request-Id') ?? ''
    await db.exec('delete from audit_log where seq < (select max(seq) from audit_log)')
    await repeatAuditRow(id, 10_000, '2021-04-15T00:00:00.000Z')
    await sortLog()
    // What it takes to find a time depends on the numbers.
    await db.exec('update audit_log set seq = seq - (select min(seq) - 1 from audit_log)')
    for (const name of ['Archiving of 10,000 audit rows', 'Archiving on a day when none are due']) {
      const counted = countedBindings()
      const { DB_DEMO } = counted.bindings as typeof env
      await auditArchive(env.DOCUMENTS).work({
        tenant: 'demo',
        now: '2021-06-01T03:07:00.000Z',
        connection: connect(DB_DEMO, newMeter()),
        spend: () => {},
        pace,
        isOwnTurn: true,
        add: () => {},
      })
      const cost = costOf(counted)
      expect(cost).toEqual(documented(ADDED.get(name)))
      expect(ADDED.get(name)?.['$ a million']).toBe(money(priced(cost)))
    }
  })

  it('costs what the page says: a run of the cron, on top of what it does in each tenant', async () => {
    const counted = countedBindings()
    await turn({ ...env, KEYS: Reflect.get(counted.bindings, 'KEYS'), DB_OTHER: null })
    const row = ADDED.get('A run of the cron in which some tenant has its turn')
    expect(costOf(counted)).toEqual(documented(row))
    expect(row?.['$ a million']).toBe(money(priced(costOf(counted))))
  })
})

/** The day's first run of the cron. */
async function turn(bindings: object): Promise<void> {
  const controller = createScheduledController({ scheduledTime: new Date('2021-06-01T03:07Z') })
  await worker.scheduled(controller, bindings as Json)
}

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
