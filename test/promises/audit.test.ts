import { beforeAll, describe, expect, it, vi } from 'vitest'
import { client, createKey, type Json, openTenant, unique } from '../tenant.ts'

// DESIGN, promise 2. A write and its audit row commit together, or neither does.

let db: D1Database
let api: ReturnType<typeof client>
const sku = unique('SKU')
const code = unique('LOC')
const settings = '/api/settings/v1'

beforeAll(async () => {
  db = await openTenant()
  api = client((await createKey(['integrations.*', 'settings.*'])).value)
  await api.post('/products/', { sku })
  await api.post('/locations/', { code })
})

const items = [{ sku_code: sku, quantity: 1 }]

/** Each write endpoint: the request, and the rows whose content it changes. */
const WRITES: [string, string, () => Promise<[string, string, Json?]>][] = [
  [
    'POST /orders/',
    'orders',
    async () => ['POST', '/orders/', { order_number: unique('O'), items }],
  ],
  ['PUT /orders/{identifier}/', 'orders', async () => ['PUT', await newOrder(), { notes: 'x' }]],
  ['DELETE /orders/{identifier}/', 'orders', async () => ['DELETE', await newOrder()]],
  ['POST /products/', 'products', async () => ['POST', '/products/', { sku: unique('S') }]],
  ['PUT /products/{sku}/', 'products', async () => ['PUT', await newProduct(), { quantity: 9 }]],
  ['DELETE /products/{sku}/', 'products', async () => ['DELETE', await newProduct()]],
  ['POST /locations/', 'locations', async () => ['POST', '/locations/', { code: unique('L') }]],
  ['PUT /locations/{code}/', 'locations', async () => ['PUT', await newLocation(), { name: 'x' }]],
  ['DELETE /locations/{code}/', 'locations', async () => ['DELETE', await newLocation()]],
  ['POST /inventory/', 'inventory', async () => ['POST', '/inventory/', await newStock()]],
  [
    'PUT /workspace/',
    'workspace',
    async () => ['PUT', `${settings}/workspace/`, { name: unique('w') }],
  ],
  ['POST /api-keys/', 'api_keys', async () => ['POST', `${settings}/api-keys/`, { name: 'k' }]],
  ['PUT /api-keys/{id}/', 'api_keys', async () => ['PUT', await newKey(), { name: unique('k') }]],
  ['POST /api-keys/{id}/rotate/', 'api_keys', async () => ['POST', `${await newKey()}rotate/`, {}]],
  ['DELETE /api-keys/{id}/', 'api_keys', async () => ['DELETE', await newKey()]],
]

async function newOrder() {
  const { body } = await api.post('/orders/', { order_number: unique('O'), items })
  return `/orders/${body.data.order_number}/`
}

async function newProduct() {
  const { body } = await api.post('/products/', { sku: unique('S') })
  return `/products/${body.data.sku}/`
}

async function newLocation() {
  const { body } = await api.post('/locations/', { code: unique('L') })
  return `/locations/${body.data.code}/`
}

async function newStock() {
  const { body } = await api.post('/locations/', { code: unique('L') })
  return { inventory: [{ location_code: body.data.code, sku_code: sku, quantity: 5 }] }
}

async function newKey() {
  const { body } = await api.post(`${settings}/api-keys/`, { name: 'k' })
  return `${settings}/api-keys/${body.data.id}/`
}

const contentOf = async (table: string) =>
  (await db.prepare(`select * from ${table}`).all()).results

async function auditRowsOf(requestId: string | null) {
  const rows = await db
    .prepare('select status, error_code, record_id from audit_log where request_id = ?')
    .bind(requestId)
    .all()
  return rows.results
}

/** Runs with a trigger in place that makes the database refuse in the middle of the batch. */
async function withTrigger<T>(sql: string, run: () => Promise<T>): Promise<T> {
  await db.exec(`create trigger sabotage ${sql} begin select raise(abort, 'sabotage'); end`)
  try {
    return await run()
  } finally {
    await db.exec('drop trigger sabotage')
  }
}

describe.each(WRITES)('%s', (_, table, prepare) => {
  it('leaves one audit row that names its record', async () => {
    const answer = await api.call(...(await prepare()))
    expect(answer.status).toBeLessThan(300)
    expect(await auditRowsOf(answer.headers.get('X-Request-Id'))).toEqual([
      { status: answer.status, error_code: null, record_id: expect.any(String) },
    ])
  })

  it('changes nothing when its audit row cannot be written', async () => {
    const request = await prepare()
    const before = await contentOf(table)
    const answer = await withTrigger('before insert on audit_log when new.status < 400', () =>
      api.call(...request),
    )
    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain('sabotage')
    expect(await contentOf(table)).toEqual(before)
  })

  it('leaves no audit row of success when the change cannot be written', async () => {
    const request = await prepare()
    const before = await contentOf(table)
    const verb = request[0] === 'POST' ? 'insert' : 'update'
    const answer = await withTrigger(`before ${verb} on ${table}`, () => api.call(...request))
    expect(answer.status).toBe(500)
    expect(await contentOf(table)).toEqual(before)
    expect(await auditRowsOf(answer.headers.get('X-Request-Id'))).toEqual([
      { status: 500, error_code: 'INTERNAL_ERROR', record_id: null },
    ])
  })
})

describe('a refused write', () => {
  it('of an order with an unknown SKU leaves neither header nor lines, and its 400', async () => {
    const before = [await contentOf('orders'), await contentOf('order_items')]
    const answer = await api.post('/orders/', {
      order_number: unique('O'),
      items: [...items, { sku_code: 'unknown', quantity: 1 }],
    })
    expect([await contentOf('orders'), await contentOf('order_items')]).toEqual(before)
    expect(await auditRowsOf(answer.headers.get('X-Request-Id'))).toEqual([
      { status: 400, error_code: 'SERVICE_ERROR', record_id: null },
    ])
  })
})

describe('reads and refusals', () => {
  it('are each recorded once when many are answered at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => api.get(n % 2 ? '/orders/' : '/orders/none/')),
    )
    for (const { status, headers } of answers) {
      const rows = await auditRowsOf(headers.get('X-Request-Id'))
      expect(rows.map((row) => row.status)).toEqual([status])
    }
  })

  it('are written to the log, row by row, when the database takes none', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const answer = await withTrigger('before insert on audit_log', () => api.get('/orders/'))
    expect(answer.status).toBe(200)
    const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)))
    log.mockRestore()
    expect(lines).toEqual([
      expect.objectContaining({
        event: 'audit_row_not_stored',
        request_id: answer.headers.get('X-Request-Id'),
        status: 200,
      }),
    ])
  })
})
