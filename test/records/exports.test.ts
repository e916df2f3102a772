import { Hono } from 'hono'
import { beforeAll, describe, expect, it } from 'vitest'
import { exportCsv } from '../../src/engine/answers/export.ts'
import type { AppEnv } from '../../src/engine/env.ts'
import worker from '../../src/index.ts'
import { authenticate } from '../../src/middleware/authenticate.ts'
import { exchange } from '../../src/middleware/exchange.ts'
import { takeMemory } from '../../src/middleware/memory.ts'
import { exportOf } from '../../src/records/catalogue/export.ts'
import { LOCATIONS } from '../../src/records/catalogue/kind.ts'
import { loggedRow } from '../fixtures/audit-rows.ts'
import { recordsOf } from '../fixtures/csv.ts'
import { api } from '../fixtures/opened-api.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import {
  type Answer,
  client,
  createKey,
  type Json,
  openTenant,
  unique,
  type Worker,
} from '../fixtures/tenant.ts'
import {
  createLocation,
  createOrder,
  createProduct,
  expectError,
  path,
  stock,
} from '../fixtures/warehouse.ts'

const CSV = 'text/csv'
const NDJSON = 'application/x-ndjson'
const ODD = 'a, "b"\r\nc\nd; =1+1 Grüße 東京 😀'

/** An order with a value in each field. */
const FULL = {
  ...{ external_order_id: 'E-1', customer_name: ODD, notes: ODD, metadata: { ODD } },
  ...{
    customer_info: { city: ODD, n: [1.5, null] },
    order_date: '2026-03-01',
    due_date: '2026-03-02',
  },
}

async function manyLines() {
  const skus = await Promise.all([1, 2, 3].map(async () => (await createProduct(api)).sku))
  return skus.map((sku_code, n) => ({ sku_code, quantity: n + 1, notes: n === 1 ? ODD : null }))
}

beforeAll(async () => {
  for (let n = 0; n < 3; n++) {
    await createOrder(api, n === 0 ? { ...FULL, items: await manyLines() } : {})
    await createProduct(api, { custom_fields: { note: ODD, n: [n, null] }, cost: '1.50' })
    const location = {
      name: `=${ODD}`,
      zone: n === 0 ? null : 'Z',
      metadata: n === 0 ? null : { ODD },
    }
    await createLocation(api, location)
    await stock(api, { quantity: n })
  }
})

const get = (url: string, accept: string, by = api) => by.get(url, { headers: { Accept: accept } })

/** The records of an export, and of the list. */
async function exported(url: string, accept: string, by = api) {
  const answer = await get(url, accept, by)
  expect([answer.status, answer.body?.error]).toEqual([200, undefined])
  return answer.headers.get('Content-Type')?.startsWith(CSV)
    ? recordsOf(answer.text)
    : linesOf(answer)
}

function linesOf({ text }: Answer): Json[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

async function listed(url: string, by = api): Promise<Json[]> {
  const { body } = await by.get(`${url}${url.includes('?') ? '&' : '?'}limit=200`)
  expect(body.pagination.next_cursor).toBeNull()
  return body.data
}

/** The record as GET of one shows it; stock has no such. */
async function wholeOf(resource: string, record: Json): Promise<Json> {
  const name = record.order_number ?? record.sku ?? record.code
  if (resource === 'inventory') return record
  return (await api.get(path(resource, name))).body.data
}

/** A value as a cell shows it. */
function cellOf(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const RESOURCES = ['orders', 'products', 'locations', 'inventory']

describe.each(RESOURCES)('GET /%s/ as an export', (resource) => {
  it('has all records of the list as CSV, with all that the list and GET of one show', async () => {
    const answer = await get(`/${resource}/`, CSV)
    const records = await listed(`/${resource}/`)
    expect(records.length).toBeGreaterThanOrEqual(3)
    const whole = await Promise.all(records.map((record) => wholeOf(resource, record)))
    const cells = whole.map((record) =>
      Object.fromEntries(Object.entries(record).map(([name, value]) => [name, cellOf(value)])),
    )
    expect(recordsOf(answer.text)).toEqual(cells)
    const names = answer.text.split('\r\n')[0]?.split(',') ?? []
    expect(names.slice(0, Object.keys(records[0]).length)).toEqual(Object.keys(records[0]))
    expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('Content-Disposition')).toMatch(
      new RegExp(`^attachment; filename="${resource}-demo-[\\dT-]{19}Z\\.csv"$`),
    )
    expect(answer.headers.get('Vary')).toBe('Accept')
  })

  it('has all records of the list as NDJSON', async () => {
    const answer = await get(`/${resource}/`, NDJSON)
    expect(linesOf(answer)).toEqual(await listed(`/${resource}/`))
    expect(answer.text.endsWith('\n')).toBe(true)
    expect(answer.headers.get('Content-Type')).toBe('application/x-ndjson; charset=utf-8')
    expect(answer.headers.get('Content-Disposition')).toMatch(/^attachment; .*Z\.ndjson"$/)
    expect(answer.headers.get('Vary')).toBe('Accept')
  })

  it.each([CSV, NDJSON])('refuses, as %s, each parameter that has no effect', async (accept) => {
    const cursor = await cursorOf(resource)
    const page = `/${resource}/?limit=5&cursor=${cursor}`
    expectInvalid(await get(page, accept), 'limit', 'cursor')
    expectInvalid(await get(`${page}&unknown=1`, accept), 'unknown')
    expect((await get(page, '*/*')).status).toBe(200)
    expectInvalid(await get(`/${resource}/?limit=x`, accept), 'limit')
  })

  it.each([CSV, NDJSON])('needs, as %s, the scope of the list', async (accept) => {
    const other = resource === 'orders' ? 'products' : 'orders'
    const stranger = client((await createKey([`integrations.${other}.read`])).value)
    expectError(await get(`/${resource}/`, accept, stranger), 403, 'SCOPE_MISSING')
  })

  it('answers HEAD without a body, with the headers of GET', async () => {
    const headers = { Accept: CSV }
    const answer = await api.call('HEAD', `/${resource}/`, undefined, { headers })
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
  })

  it('has one row in the audit log', async () => {
    const logged = await loggedRow(
      await get(`/${resource}/`, CSV),
      'method, path, status, list_page',
    )
    const row = { method: 'GET', path: `/api/integrations/v1/${resource}/`, status: 200 }
    expect(logged).toEqual({ ...row, list_page: null })
  })

  async function cursorOf(name: string): Promise<string> {
    const { body } = await api.get(`/${name}/?limit=1`)
    return body.pagination.next_cursor
  }
})

describe('Accept of a list', () => {
  it.each([
    ['text/csv', 'text/csv'],
    ['TEXT/CSV; header=present', 'text/csv'],
    ['application/x-ndjson;q=0.5, application/json;q=0.4', 'application/x-ndjson'],
    ['text/csv, */*', 'text/csv'],
    ['*/*, text/csv', 'text/csv'],
    ['application/*, application/x-ndjson', 'application/x-ndjson'],
    ['text/html, text/csv;q=0.2', 'text/csv'],
    ['text/csv;q=0.5, application/x-ndjson', 'application/x-ndjson'],
    ['text/csv, application/json', 'text/csv'],
    ['application/json, text/csv', 'application/json'],
    ['text/csv;q=0.5, */*', 'application/json'],
    ['text/csv;q=0, text/html', 'application/json'],
    ['text/csv;q=0', 'application/json'],
    ['*/*', 'application/json'],
    ['text/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/xml', 'application/json'],
    ['text/csvx, xtext/csv', 'application/json'],
    ['nonsense;;,="', 'application/json'],
    ['', 'application/json'],
  ])('%j is answered with %s', async (accept, type) => {
    const { status, headers } = await get('/products/', accept)
    expect(status).toBe(200)
    expect(headers.get('Content-Type')?.split(';')[0]).toBe(type)
  })

  it('changes neither one record nor the stock of a location', async () => {
    const { code } = await createLocation(api)
    for (const url of [path('locations', code), path('inventory', code)]) {
      expect((await get(url, CSV)).text).toBe((await api.get(url)).text)
    }
  })

  it('does not change the shape of an error', async () => {
    expectInvalid(await get('/orders/?status=lost', CSV), 'status')
    const both = await get('/orders/?partner_id=p&external_order_id=e', CSV)
    expectInvalid(both, 'external_order_id', 'partner_id')
    expectInvalid(
      await get('/inventory/?quantity_below=102', NDJSON),
      'quantity_below',
      'location_code',
      'sku_code',
    )
  })

  it('has no effect in release 1.0', async () => {
    const key = await createKey()
    const pin = "update api_keys set release = '1.0' where id = ?"
    await (await openTenant()).prepare(pin).bind(key.id).run()
    const pinned = client(key.value)
    for (const resource of RESOURCES) {
      const answer = await get(`/${resource}/?limit=2`, CSV, pinned)
      const usual = await pinned.get(`/${resource}/?limit=2`)
      expect([answer.status, answer.text]).toEqual([200, usual.text])
      expect(answer.headers.get('Content-Type')).toBe('application/json')
      expect(answer.headers.get('Vary')).toBeNull()
    }
  })
})

/** Answers with the first three bytes of the answer, because reading it as text would leave a mark out. */
function counting({ fetch }: Worker): Worker['fetch'] {
  return async (...sent) => {
    const answer = (await fetch(...sent)) as Response
    const bytes = new Uint8Array(await answer.arrayBuffer())
    return new Response(bytes.slice(0, 3).join())
  }
}

describe('GET /orders/ with a row for each line', () => {
  const LINES = 'text/csv; rows=lines'

  it('repeats the columns of the order beside those of each line', async () => {
    const partner = unique('E')
    const order = await createOrder(api, {
      ...FULL,
      external_order_id: partner,
      items: await manyLines(),
    })
    const answer = await get(`/orders/?external_order_id=${partner}`, LINES)
    expect(answer.headers.get('Content-Disposition')).toContain('filename="order-lines-demo-')
    const { items, ...shared } = order
    const rows = items.map(({ sku, ...line }: Json) => {
      const named = Object.entries({ ...line, sku_code: sku.sku })
      return {
        ...shared,
        ...Object.fromEntries(named.map(([name, value]) => [`item_${name}`, value])),
      }
    })
    expect(rows).toHaveLength(3)
    expect(recordsOf(answer.text)).toEqual(
      rows.map((row: Json) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(value)])),
      ),
    )
  })

  it('has all lines of all orders, in the order of the list', async () => {
    const rows = await exported('/orders/', LINES)
    const numbers = [...new Set(rows.map(({ order_number }) => order_number))]
    expect(numbers).toEqual((await listed('/orders/')).map(({ order_number }) => order_number))
  })

  it('repeats no text of more than 4,096 bytes, and says so', async () => {
    const external_order_id = unique('E')
    const [notes, customer_info] = ['n'.repeat(4096), { note: 'ü'.repeat(2100) }]
    const items = await manyLines()
    await createOrder(api, { external_order_id, notes, customer_info, items })
    const rows = await exported(`/orders/?external_order_id=${external_order_id}`, LINES)
    expect(rows).toHaveLength(3)
    for (const row of rows) {
      expect(row.notes).toBe(notes)
      expect(JSON.parse(row.customer_info)).toEqual({ too_large: true, bytes: 4211 })
    }
  })

  it('says in one row that the lines of an order are too large', async () => {
    const external_order_id = unique('E')
    const { sku } = await createProduct(api)
    const line = { sku_code: sku, quantity: 1, notes: 'ü'.repeat(9000) }
    await createOrder(api, { external_order_id, items: Array(30).fill(line) })
    const [row, ...more] = await exported(`/orders/?external_order_id=${external_order_id}`, LINES)
    expect(more).toEqual([])
    expect(JSON.parse(row.item_quantity)).toEqual({ too_large: true, bytes: expect.any(Number) })
  })

  it('makes the rows of an order while they are sent', async () => {
    const external_order_id = unique('E')
    const { sku } = await createProduct(api)
    const notes = 'n'.repeat(4000)
    const items = Array(1000).fill({ sku_code: sku, quantity: 1 })
    await createOrder(api, { external_order_id, notes, metadata: { notes }, items })
    const parts: number[] = []
    const measuring = async (...sent: Parameters<Worker['fetch']>) => {
      const answer = (await worker.fetch(...sent)) as Response
      for await (const part of answer.body ?? []) parts.push(part.length)
      return new Response('')
    }
    const headers = { Accept: LINES }
    const url = `/orders/?external_order_id=${external_order_id}`
    await api.get(url, { headers, worker: { fetch: measuring } })
    expect(parts.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(8_000_000)
    expect(Math.max(...parts)).toBeLessThan(300_000)
  })

  it.each(['text/csv; rows=line', 'text/csv;rows=Lines'])('refuses %j', async (accept) => {
    expectInvalid(await get('/orders/', accept), 'Accept')
  })

  it.each(['/products/', '/locations/', '/inventory/'])(
    'is of orders alone, and not of %s',
    async (path) => {
      expectInvalid(await get(path, 'text/csv; rows=lines'), 'Accept')
    },
  )

  it.each(['text/csv; rows=records', 'TEXT/CSV; ROWS=records'])(
    'has a row for each order with %j',
    async (accept) => {
      expect((await get('/orders/', accept)).text).toBe((await get('/orders/', CSV)).text)
    },
  )
})

describe('an export', () => {
  it('says in CSV that lines of an order are too large for a cell', async () => {
    const { sku } = await createProduct(api)
    const line = { sku_code: sku, quantity: 1, notes: 'ü'.repeat(9000) }
    const large = await createOrder(api, { items: Array(30).fill(line) })
    const small = await createOrder(api, { items: Array(20).fill(line) })
    const orders = await exported('/orders/?created_from=2020-01-01', CSV)
    const itemsOf = (number: string) =>
      JSON.parse(orders.find(({ order_number }) => order_number === number).items)
    expect(itemsOf(small.order_number)).toEqual(small.items)
    expect(itemsOf(large.order_number)).toEqual({ too_large: true, bytes: expect.any(Number) })
    expect(itemsOf(large.order_number).bytes).toBeGreaterThan(30 * 18_000)
  })

  it('takes the filters of the list', async () => {
    const { id: partner, api: own } = await openPartner()
    const order = await createOrder(own, { external_order_id: unique('E') })
    const { sku } = await createProduct(api, { is_active: false })
    const { location_code } = await stock(api, { quantity: 3 })
    await stock(api, { location_code, quantity: 9 })
    for (const url of [
      '/orders/?status=pending',
      `/orders/?partner_id=${partner}`,
      `/orders/?external_order_id=${order.external_order_id}&created_from=2020-01-01`,
      '/orders/?created_to=2020-01-01',
      '/products/?is_active=false',
      '/products/?without_stock=true',
      '/products/?is_active=all',
      '/locations/?is_active=all',
      `/inventory/?location_code=${location_code}`,
      `/inventory/?location_code=${location_code}&quantity_below=5`,
      '/inventory/?quantity_below=5',
    ]) {
      expect(await exported(url, NDJSON), url).toEqual(await listed(url))
      expect(await exported(url, CSV), url).toHaveLength((await listed(url)).length)
    }
    expect(await exported('/products/?is_active=false', CSV)).toContainEqual(
      expect.objectContaining({ sku }),
    )
  })

  it('of a list without records is the first line of CSV, and nothing as NDJSON', async () => {
    const none = '/inventory/?location_code=nowhere'
    const csv = await get(none, CSV)
    expect([csv.status, csv.text]).toEqual([200, 'location_code,sku_code,quantity\r\n'])
    const ndjson = await get(none, NDJSON)
    expect([ndjson.status, ndjson.text]).toEqual([200, ''])
  })

  it('has no byte order mark and guards no cell, because programs read it', async () => {
    const { text } = await get('/locations/', CSV)
    expect(text.startsWith('code,name')).toBe(true)
    expect(recordsOf(text).map(({ name }) => name)).toContain(`=${ODD}`)
  })

  it('for a spreadsheet has a byte order mark, and guards what a spreadsheet would run', async () => {
    // As a page of the dashboard offers it.
    const app = new Hono<AppEnv>()
    app.use(exchange, authenticate, takeMemory)
    app.get('/api/file/', (c) =>
      exportCsv(c, exportOf(LOCATIONS), { is_active: undefined }, { hasMark: true }),
    )
    const worker = { fetch: app.fetch as Worker['fetch'] }
    const bytes = await api.get('/api/file/', { worker: { fetch: counting(worker) } })
    expect(bytes.text).toBe('239,187,191')
    const { text } = await api.get('/api/file/', { worker })
    expect(recordsOf(text).map(({ name }) => name)).toContain(`'=${ODD.replace('; =', "; '=")}`)
  })

  it('shows records by the outbound mapping as NDJSON, and our fields as CSV', async () => {
    const outbound = { fields: { 'item.code': 'sku', text: 'custom_fields.note' } }
    const { api: own } = await openPartner({ mappings: { products: { outbound } } })
    const { sku } = await createProduct(api, { custom_fields: { note: ODD } })
    const [newest] = await exported('/products/', NDJSON, own)
    expect(newest).toEqual({ item: { code: sku }, text: ODD })
    const [row] = await exported('/products/', CSV, own)
    expect(row).toMatchObject({ sku, custom_fields: JSON.stringify({ note: ODD }) })
  })

  it('refuses a mapped record from which something would be left out', async () => {
    // A record may be 256 KB when it is mapped, or twice its own size.
    const { sku } = await createProduct(api, { custom_fields: { note: 'u'.repeat(60_000) } })
    const names = Array.from({ length: 5 }, (_, n) => `f${n}`)
    const fields = Object.fromEntries(names.map((name) => [name, 'custom_fields.note']))
    const mappings = { products: { outbound: { fields: { sku: 'sku', ...fields } } } }
    const partner = await openPartner({ mappings })
    const { body } = await partner.api.get(path('products', sku))
    expect(body.warnings).toHaveLength(1)
    const refused = await get('/products/', NDJSON, partner.api)
    expect([refused.status, refused.body.error.code]).toEqual([400, 'SERVICE_ERROR'])
    expect(refused.body.error.reason).toBe('EXPORT_TOO_LARGE')
    expect(refused.body.error.fields).toEqual({ f4: [expect.stringContaining('too large')] })
  })
})
