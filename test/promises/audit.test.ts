import { describe, expect, it, vi } from 'vitest'
import { ENDPOINTS, type Endpoint, requestOf, resourceOf } from '../fixtures/endpoints.ts'
import { openAdmin, openTenant, unique } from '../fixtures/tenant.ts'

// P2 (docs/ARCHITECTURE.md): a write and its audit row commit together, or neither does.

/**
 * Documents are deleted in R2: test/log/documents-read.test.ts has their audit rows. What is sent again has a row of its
 * own (test/settings/send-again.test.ts), and a rerun writes nothing.
 */
const OUTSIDE = /\/(preview|documents?|send-again|replay|apply|apply-deliveries)\/$/

/** Each endpoint that writes, with the table whose rows it changes. */
const WRITES = ENDPOINTS.filter(({ method, path }) => method !== 'GET' && !OUTSIDE.test(path)).map(
  (endpoint) => ({ ...endpoint, table: tableOf(endpoint) }),
)

function tableOf(endpoint: Endpoint): string {
  if (endpoint.path.includes('/mappings/')) return 'field_mappings'
  if (endpoint.path.endsWith('/undo/')) return 'inventory'
  if (endpoint.path.includes('/item-codes/')) return 'item_codes'
  if (/\/(?:webhooks|people)\//.test(endpoint.path)) return 'api_keys'
  if (endpoint.path.includes('/line-differences/')) return 'line_differences'
  if (endpoint.path.includes('/deliveries/')) return 'waiting_deliveries'
  return resourceOf(endpoint).replace('-', '_')
}

/** What the endpoint does to the table's rows. */
function verbOf(method: string, path: string, table: string): string {
  if (path.endsWith('/undo/')) return 'update'
  if (table === 'waiting_deliveries') return 'delete'
  if (table === 'item_codes') return method === 'DELETE' ? 'delete' : 'insert'
  if (['line_differences', 'sessions'].includes(table)) return 'update'
  if (method === 'POST') return 'insert'
  return method === 'DELETE' && table === 'field_mappings' ? 'delete' : 'update'
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

const uploadNoteOf = (requestId: string | null) =>
  db
    .prepare('select source, notes, rows_total from audit_log where request_id = ?')
    .bind(requestId)
    .first()

const db = await openTenant()
const api = await openAdmin()

describe('the audit row of an order', () => {
  it('says nothing of what the order says', async () => {
    const [method, path, order] = await requestOf(
      ENDPOINTS.find((endpoint) => endpoint.path.endsWith('/orders/')) as Endpoint,
      api,
    )
    const words = { notes: 'for the buyer only', customer_info: { source: 'x' }, metadata: {} }
    const made = await api.call(method, path, { ...order, ...words })
    expect(made.status).toBe(201)
    const { id, order_number } = made.body.data
    const changed = await api.put(`/orders/${order_number}/`, { notes: 'again' })
    for (const answer of [made, changed]) {
      const requestId = answer.headers.get('X-Request-Id')
      expect(await uploadNoteOf(requestId)).toEqual({ source: null, notes: null, rows_total: null })
      expect(await auditRowsOf(requestId)).toMatchObject([{ record_id: id }])
    }
  })
})

describe.each(WRITES)('$method $path', ({ table, ...endpoint }) => {
  it('leaves one audit row that names its record', async () => {
    const answer = await api.call(...(await requestOf(endpoint, api)))
    expect(answer.status).toBeLessThan(300)
    expect(await auditRowsOf(answer.headers.get('X-Request-Id'))).toEqual([
      { status: answer.status, error_code: null, record_id: expect.any(String) },
    ])
  })

  it('changes nothing when its audit row cannot be written', async () => {
    const request = await requestOf(endpoint, api)
    const before = await contentOf(table)
    const answer = await withTrigger('before insert on audit_log when new.status < 400', () =>
      api.call(...request),
    )
    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain('sabotage')
    expect(await contentOf(table)).toEqual(before)
  })

  it('leaves no audit row of success when the change cannot be written', async () => {
    const request = await requestOf(endpoint, api)
    const before = await contentOf(table)
    const verb = verbOf(request[0], request[1], table)
    const answer = await withTrigger(`before ${verb} on ${table}`, () => api.call(...request))
    expect(answer.status).toBe(500)
    expect(await contentOf(table)).toEqual(before)
    expect(await auditRowsOf(answer.headers.get('X-Request-Id'))).toEqual([
      { status: 500, error_code: 'INTERNAL_ERROR', record_id: null },
    ])
  })
})

describe('a preview of a mapping', () => {
  it('writes its audit row, which names the partner that it is about, and nothing else', async () => {
    const preview = ENDPOINTS.find(({ path }) => path.endsWith('/preview/')) as Endpoint
    const [method, path, body] = await requestOf(preview, api)
    const before = [await contentOf('orders'), await contentOf('field_mappings')]
    const answer = await api.call(method, path, body)
    expect(answer.status).toBe(200)
    expect([await contentOf('orders'), await contentOf('field_mappings')]).toEqual(before)
    expect(await auditRowsOf(answer.headers.get('X-Request-Id'))).toEqual([
      { status: 200, error_code: null, record_id: path.split('/')[5] },
    ])
  })
})

describe('a refused write', () => {
  it('of an order with an unknown SKU leaves neither header nor lines, and its 400', async () => {
    const sku = unique('S')
    await api.post('/products/', { sku })
    const before = [await contentOf('orders'), await contentOf('order_items')]
    const answer = await api.post('/orders/', {
      order_number: unique('O'),
      items: [
        { sku_code: sku, quantity: 1 },
        { sku_code: 'unknown', quantity: 1 },
      ],
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

  it('are stored all but the one that the database refuses, which goes to the log', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const path = `/api/integrations/v1/orders/${unique('refused')}/`
    const answers = await withTrigger(
      `before insert on audit_log when new.path = '${path}'`,
      async () => await Promise.all([...Array(8).fill('/orders/'), path].map((at) => api.get(at))),
    )
    const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)))
    log.mockRestore()
    expect(lines).toEqual([expect.objectContaining({ event: 'audit_row_not_stored', path })])
    for (const { headers } of answers.slice(0, -1)) {
      expect(await auditRowsOf(headers.get('X-Request-Id'))).toHaveLength(1)
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
