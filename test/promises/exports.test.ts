import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { BATCH_ROWS } from '../../src/engine/answers/export.ts'
import worker from '../../src/index.ts'
import { intercept } from '../fixtures/bindings.ts'
import { linesOf } from '../fixtures/csv.ts'
import { itInDeep, sample } from '../fixtures/depth.ts'
import {
  type Api,
  client,
  createKey,
  type Json,
  ORIGIN,
  openAdmin,
  openTenant,
} from '../fixtures/tenant.ts'

// P1, P3, P6, P8 and P10 (docs/ARCHITECTURE.md) of exports: all rows, once, in batches of bounded size, or a
// connection that breaks off.

const ROWS = 2 * BATCH_ROWS + 2000
const BATCH_BYTES_MAX = 1024 * 1024
const LONG_AGO = '2026-01-01T00:00:00.000Z'
const NDJSON = { Accept: 'application/x-ndjson' }
const CSV = { Accept: 'text/csv' }

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

interface Batches {
  /** How long the values that each batch has given are as JSON. */
  sizes: number[]
  bindings: object
}

/** The real database; `after` runs behind each batch that a request makes, with its number from 1 on. */
function watched(after: (batch: number) => unknown = () => undefined): Batches {
  const sizes: number[] = []
  const DB_DEMO = intercept(env.DB_DEMO, {
    batch: async (call) => {
      const results = (await call()) as D1Result[]
      const rows = results.flatMap((result) => result.results) as object[]
      sizes.push(JSON.stringify(rows.map((row) => Object.values(row))).length)
      await after(sizes.length)
      return results
    },
  })
  return { sizes, bindings: { ...env, DB_DEMO } }
}

async function warmKey(scopes = ['integrations.*']) {
  const key = await createKey(scopes)
  const api = client(key.value)
  await api.get('/products/')
  return { ...key, api }
}

async function walked(api: Api, url: string, nameOf: (row: Json) => string): Promise<string[]> {
  const names: string[] = []
  let cursor: string | null = null
  do {
    const { body } = await api.get(`${url}limit=200${cursor ? `&cursor=${cursor}` : ''}`)
    names.push(...body.data.map(nameOf))
    cursor = body.pagination.next_cursor
  } while (cursor)
  return names
}

const recordsOf = (text: string): Json[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

const stockName = ({ location_code, sku_code }: Json) => `${location_code} ${sku_code}`

interface List {
  url: string
  nameOf: (row: Json) => string
  /** Writes rows that the export need not have, and changes some that it must have. */
  write: (turn: number) => Promise<unknown>
}

const LISTS: List[] = [
  {
    url: '/orders/?',
    nameOf: ({ order_number }) => order_number,
    write: (turn) => admin.put(`/orders/O${turn}/`, { customer_name: `${turn}` }),
  },
  {
    url: '/orders/?status=draft,pending,in_progress&',
    nameOf: ({ order_number }) => order_number,
    write: (turn) => admin.put(`/orders/O${3 * turn + 1}/`, { status: 'in_progress' }),
  },
  {
    url: '/products/?is_active=all&',
    nameOf: ({ sku }) => sku,
    write: (turn) =>
      Promise.all([
        admin.post('/products/', { sku: `NEW${turn}` }),
        admin.delete(`/products/S${turn}/`),
      ]),
  },
  {
    url: '/locations/?',
    nameOf: ({ code }) => code,
    write: (turn) =>
      Promise.all([
        admin.post('/locations/', { code: `NEW${turn}` }),
        admin.put(`/locations/L${turn}/`, { name: 'x'.repeat(200) }),
      ]),
  },
  {
    url: '/inventory/?',
    nameOf: stockName,
    write: (turn) =>
      admin.post('/inventory/', {
        inventory: [
          { location_code: 'L0', sku_code: 'S0', quantity: turn + 100 },
          { location_code: `L${turn + 20}`, sku_code: 'S1', quantity: 5 },
        ],
      }),
  },
  {
    url: '/inventory/?quantity_below=5&',
    nameOf: stockName,
    write: (turn) =>
      admin.post('/inventory/', {
        inventory: [
          { location_code: `L${turn + 30}`, sku_code: 'S1', quantity: turn },
          { location_code: 'L8', sku_code: `S${turn * 3 + 4}`, quantity: 1 },
        ],
      }),
  },
  {
    url: '/inventory/?location_code=L8&quantity_below=5&',
    nameOf: stockName,
    write: (turn) =>
      admin.post('/inventory/', {
        inventory: [{ location_code: 'L8', sku_code: `S${turn * 3 + 3}`, quantity: 2 }],
      }),
  },
]

const db = await openTenant()
const admin = await openAdmin()
const fill = (table: string, columns: string, values: string) =>
  db.prepare(
    `with recursive n (i) as (select 0 union all select i + 1 from n where i < ${ROWS - 1})
     insert into ${table} (${columns}) select ${values} from n`,
  )
const times = `'${LONG_AGO}', '${LONG_AGO}'`
const record = 'is_active, created_at, updated_at'
await db.batch([
  fill('products', `id, sku, ${record}`, `'p' || i, 'S' || i, 1, ${times}`),
  fill('locations', `id, code, ${record}`, `'l' || i, 'L' || i, 1, ${times}`),
  fill(
    'orders',
    'id, order_number, status, created_at, updated_at',
    `'o' || i, 'O' || i, iif(i % 3 = 0, 'shipped', 'draft'), ${times}`,
  ),
  fill('inventory', 'location_code, sku_code, quantity', `'L' || (i % 7), 'S' || i, i`),
  fill('inventory', 'location_code, sku_code, quantity', `'L' || (7 + i % 3), 'S' || i, 1`),
])

describe.each(sample(LISTS, 1))(
  'GET $url as an export of several batches',
  ({ url, nameOf, write }) => {
    it('gives what a walk over the pages gives, whatever others write between the batches', async () => {
      const { api } = await warmKey()
      const before = await walked(api, url, nameOf)
      let writes = 0
      const { bindings, sizes } = watched(() => write(writes++))
      const answer = await api.get(url.slice(0, -1), { bindings, headers: NDJSON })
      expect(answer.status).toBe(200)
      const names = recordsOf(answer.text).map(nameOf)
      const known = new Set(before)
      expect(names.filter((name) => known.has(name))).toEqual(before)
      expect(writes).toBe(sizes.length)
      expect(sizes.length).toBeGreaterThan(Math.floor(before.length / BATCH_ROWS))
    }, 60_000)

    itInDeep('is the same as CSV, each batch within its bounds', async () => {
      const { api } = await warmKey()
      const { bindings, sizes } = watched()
      const answer = await api.get(url.slice(0, -1), { bindings, headers: CSV })
      const [columns = [], ...lines] = linesOf(answer.text)
      const rows = lines.map((cells) =>
        Object.fromEntries(columns.map((name, at) => [name, cells[at]])),
      )
      expect(rows.map(nameOf)).toEqual(await walked(api, url, nameOf))
      expect(Math.max(...sizes)).toBeLessThan(1.2 * BATCH_BYTES_MAX)
    })
  },
)

describe('an export', () => {
  it('looks for low stock further than a page does, and goes on where it finds none', async () => {
    const { api } = await warmKey()
    // The oldest record of the location is the only one: the newer ones fill more than a page's look.
    await db
      .prepare(
        `with recursive n (i) as (select 0 union all select i + 1 from n where i < ${ROWS - 1})
         insert into inventory (location_code, sku_code, quantity)
         select 'L11', 'S' || i, iif(i = 0, 1, 50) from n`,
      )
      .run()
    const { text } = await api.get('/inventory/?location_code=L11&quantity_below=5', {
      headers: NDJSON,
    })
    expect(recordsOf(text)).toEqual([{ location_code: 'L11', sku_code: 'S0', quantity: 1 }])
  })

  it('is one round trip if the list fits in one batch', async () => {
    const { api } = await warmKey()
    const count = BATCH_ROWS
    const fill = `with recursive n (i) as (select 0 union all select i + 1 from n where i < ${count - 1})
      insert into inventory (location_code, sku_code, quantity) select 'L12', 'S' || i, 1 from n`
    await db.prepare(fill).run()
    const { bindings, sizes } = watched()
    const answer = await api.get('/inventory/?location_code=L12', { bindings, headers: NDJSON })
    expect(recordsOf(answer.text)).toHaveLength(count)
    // The other one stores the audit row, after the answer.
    expect(sizes).toHaveLength(2)
    expect(answer.headers.get('Server-Timing')).toContain('round trips 1,')
  })

  itInDeep('has the lines of orders as CSV, and reads them a part at a time', async () => {
    const { api } = await warmKey()
    const count = 3000
    await db.batch([
      db.prepare(`with recursive n (i) as (select 0 union all select i + 1 from n where i < ${count - 1})
        insert into orders (id, order_number, external_order_id, status, created_at, updated_at)
        select 'lined' || i, 'LINED' || i, 'lined', 'pending', '${LONG_AGO}', '${LONG_AGO}' from n`),
      db.prepare(`insert into order_items (order_id, position, id, sku_code, quantity, notes)
        select 'lined' || (value % ${count}), value / ${count}, 'line' || value, 'S' || value, 1,
          iif(value % 300 = 0, hex(zeroblob(4000)), 'short')
        from (with recursive n (value) as (select 0 union all select value + 1 from n where value < 8999)
          select value from n)`),
    ])
    const { bindings, sizes } = watched()
    const url = '/orders/?external_order_id=lined'
    const { text } = await api.get(url, { bindings, headers: CSV })
    const [columns = [], ...lines] = linesOf(text)
    const itemsOf = (cells: string[]) => JSON.parse(cells[columns.indexOf('items')] ?? '')
    expect(lines.flatMap(itemsOf).map(({ id }) => id)).toHaveLength(9000)
    expect(lines.map((cells) => itemsOf(cells).length)).toEqual(Array(count).fill(3))
    expect(sizes.length).toBeGreaterThan(3)
    expect(Math.max(...sizes)).toBeLessThan(1.2 * BATCH_BYTES_MAX)
  })

  itInDeep('reads long records a part at a time', async () => {
    const { api } = await warmKey()
    const note = 'é'.repeat(25_000)
    const skus = Array.from({ length: 60 }, (_, n) => `WIDE${n}`)
    for (const sku of skus) {
      await admin.post('/products/', { sku, is_active: false, custom_fields: { note } })
    }
    await db
      .prepare(
        `with recursive n (i) as (select 0 union all select i + 1 from n where i < 1999)
         insert into products (id, sku, is_active, custom_fields, created_at, updated_at)
         select 'mid' || i, 'MID' || i, 0,
           json_object('note', hex(zeroblob(1200))), '${LONG_AGO}', '${LONG_AGO}' from n`,
      )
      .run()
    const { bindings, sizes } = watched()
    const headers = NDJSON
    const { text } = await api.get('/products/?is_active=false', { bindings, headers })
    expect(recordsOf(text).filter(({ sku }) => sku.startsWith('MID'))).toHaveLength(2000)
    const wide = recordsOf(text).filter(({ sku }) => sku.startsWith('WIDE'))
    expect(wide.map(({ sku }) => sku)).toEqual(skus.toReversed())
    expect(wide.every(({ custom_fields }) => custom_fields.note === note)).toBe(true)
    expect(sizes.length).toBeGreaterThan(3)
    expect(Math.max(...sizes)).toBeLessThan(1.2 * BATCH_BYTES_MAX)
  })
})

/** The text until the end, and whether it broke off. */
async function read(response: Response) {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const part of response.body!) text += decoder.decode(part, { stream: true })
    return { text, isWhole: true }
  } catch {
    return { text, isWhole: false }
  }
}

/** Reads all of an export through the Worker's entry, however it ends. */
async function readExport(value: string, url: string, bindings: object, accept: object = NDJSON) {
  const headers = { 'X-API-Key': value, ...accept }
  const request = new Request(`${ORIGIN}/api/integrations/v1${url}`, { headers })
  const underway: Promise<unknown>[] = []
  const context = { waitUntil: (promise: Promise<unknown>) => underway.push(promise) }
  const response = (await worker.fetch(request, bindings as Json, context as Json)) as Response
  const result = { status: response.status, ...(await read(response)) }
  await Promise.all(underway)
  return result
}

describe('a connection', () => {
  it('breaks off when the database fails on the way', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { value } = await warmKey()
    for (const accept of [CSV, NDJSON]) {
      const { bindings } = watched((batch) => {
        if (batch === 2) throw new Error('D1_ERROR: D1 DB is overloaded.')
      })
      const { status, text, isWhole } = await readExport(value, '/products/', bindings, accept)
      expect([status, isWhole]).toEqual([200, false])
      expect(text.length).toBeGreaterThan(BATCH_ROWS)
    }
    expect(logged.mock.calls.flat().join()).toContain('stream_broken')
  })

  it('breaks off when the key is revoked on the way', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { value, id } = await warmKey()
    const { bindings, sizes } = watched(async (batch) => {
      if (batch === 1) await admin.delete(`/api/settings/v1/api-keys/${id}/`)
    })
    const { status, text, isWhole } = await readExport(value, '/locations/', bindings)
    expect([status, isWhole]).toEqual([200, false])
    expect(recordsOf(text).length).toBeLessThanOrEqual(BATCH_ROWS)
    // Two batches of the export, and the audit row.
    expect(sizes).toHaveLength(3)
  })

  it('breaks off when the key expires on the way, of which no setting tells', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const expires_at = new Date(Date.now() + 60_000).toISOString()
    const { value } = await createKey(['integrations.*'], { expires_at })
    const { bindings } = watched((batch) => {
      if (batch === 2) vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 })
    })
    const { status, text, isWhole } = await readExport(value, '/locations/', bindings)
    expect([status, isWhole]).toEqual([200, false])
    expect(text.length).toBeGreaterThan(BATCH_ROWS)
  })

  it('goes on when settings change that do not concern the key', async () => {
    const { value } = await warmKey()
    const { bindings } = watched(async (batch) => {
      if (batch === 1) await createKeyByApi()
    })
    expect(await readExport(value, '/locations/', bindings)).toMatchObject({
      status: 200,
      isWhole: true,
    })
  })

  itInDeep('breaks off where D1 would take no more statements', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { value } = await warmKey()
    // Records of which one fills a batch: there are more than a request may read.
    await db
      .prepare(
        `with recursive n (i) as (select 0 union all select i + 1 from n where i < 499)
       insert into products (id, sku, is_active, custom_fields, created_at, updated_at)
       select 'huge' || i, 'HUGE' || i, 0,
         json_object('note', hex(zeroblob(300000))), '${LONG_AGO}', '${LONG_AGO}' from n`,
      )
      .run()
    const { bindings } = watched()
    const { status, isWhole } = await readExport(value, '/products/?is_active=false', bindings, CSV)
    expect([status, isWhole]).toEqual([200, false])
    expect(logged.mock.calls.flat().join()).toContain('export_too_large')
  })

  it('is not begun when the first batch fails', async () => {
    const { api } = await warmKey()
    const { bindings } = watched((batch) => {
      if (batch === 1) throw new Error('D1_ERROR: D1 DB is overloaded.')
    })
    const answer = await api.get('/locations/', { bindings, headers: CSV })
    expect([answer.status, answer.body.error.code]).toEqual([503, 'UNAVAILABLE'])
    expect(answer.headers.get('Content-Disposition')).toBeNull()
  })
})

async function createKeyByApi() {
  const made = { name: 'another', scopes: ['integrations.*'] }
  const { status } = await admin.post('/api/settings/v1/api-keys/', made)
  expect(status).toBe(201)
}

describe('an export of a list in which long records and short ones take turns', () => {
  it('is whole, and reads the long ones of a batch together', async () => {
    const total = 3000
    const long = `iif(i % 2, printf('%.*c', 150, 'x'), 'short')`
    await db
      .prepare(
        `with recursive n (i) as (select 0 union all select i + 1 from n where i < ${total - 1})
         insert into locations (id, code, is_active, name, created_at, updated_at)
         select 'm' || i, 'MIXED' || i, 0, ${long}, '${LONG_AGO}', '${LONG_AGO}' from n`,
      )
      .run()
    const { api } = await warmKey()
    const { sizes, bindings } = watched()
    const { status, text } = await api.get('/locations/?is_active=false', {
      headers: NDJSON,
      bindings,
    })
    expect(status).toBe(200)
    const records = recordsOf(text).filter(({ code }) => code.startsWith('MIXED'))
    expect(records.map(({ code }) => code)).toEqual(
      Array.from({ length: total }, (_, i) => `MIXED${total - 1 - i}`),
    )
    expect(records.filter(({ name }) => name.length === 150)).toHaveLength(total / 2)
    expect(sizes.length).toBeLessThan(20)
  })
})
