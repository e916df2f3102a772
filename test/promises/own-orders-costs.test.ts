import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { app } from '../../src/app.ts'
import { sample } from '../fixtures/depth.ts'
import { ENDPOINTS, type Endpoint, requestOf } from '../fixtures/endpoints.ts'
import { countedBindings } from '../fixtures/metering.ts'
import { openPartner } from '../fixtures/partner.ts'
import { type Api, type CallOptions, client, type Json, openTenant } from '../fixtures/tenant.ts'

// P1 and the lists' promise (docs/ARCHITECTURE.md) for a key with own_orders_only: one round trip, and a page from
// an index, whatever all the other partners have. A table of some thousands shows it as well as one of a million.

const OTHERS = 20_000
const OWN = 1200
const NOON = '2026-01-02T12:00:00.000Z'
const STATUSES = ['draft', 'pending', 'in_progress', 'partially_verified']
const RANGE = `created_from=2026-01-01&created_to=${NOON}`

const LISTS = [
  '?',
  '?partner_id=own',
  '?status=pending',
  `?status=${STATUSES}`,
  '?external_order_id=same',
  `?${RANGE}`,
  `?status=pending&${RANGE}`,
  `?status=${STATUSES}&${RANGE}`,
  `?external_order_id=same&${RANGE}`,
  `?partner_id=own&${RANGE}`,
]

function fill(rows: number, partner: string, from: number): D1PreparedStatement {
  const status = `'${JSON.stringify(STATUSES)}' ->> (i % ${STATUSES.length})`
  const moment = `strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', '+' || (i % 7) || ' hours')`
  return db.prepare(
    `with recursive n (i) as (select ${from} union all select i + 1 from n where i < ${from + rows - 1})
     insert into orders (id, order_number, status, external_order_id, partner_id, created_at, updated_at)
     select i, 'O' || i, ${status}, 'same', '${partner}', ${moment}, '' from n`,
  )
}

/** What the request has cost by the time of its answer: the audit row of a read comes after it. */
async function costOf(ask: (options: CallOptions) => ReturnType<Api['get']>) {
  const { bindings, calls, rows } = countedBindings()
  let cost = { d1: 0, read: 0 }
  const worker = {
    async fetch(request: Request, env: Json, context: ExecutionContext) {
      const response = await app.fetch(request, env, context)
      cost = { d1: calls.d1, read: rows.read }
      return response
    },
  }
  const answer = await ask({ bindings, worker })
  return { answer, ...cost }
}

const db = await openTenant()
const partner = await openPartner({ own_orders_only: true })
const admin = partner.admin
const api = client(partner.key.key)
await db.batch([
  db.prepare(
    "insert into partners (id, name, created_at, updated_at) values ('own', 'own', '', ''), ('o', 'o', '', '')",
  ),
  db.prepare("update api_keys set partner_id = 'own' where id = ?").bind(partner.key.id),
  // Between those of the partner, whose orders are of few moments.
  fill(OTHERS / 2, 'o', 0),
  fill(OWN, 'own', OTHERS),
  fill(OTHERS / 2, 'o', 2 * OTHERS),
])
// The first one reads the key, the second one the settings that have changed since.
await api.get('/orders/')
await api.get('/orders/')

describe.each(sample(LISTS, 4))('GET /orders/%s of a limited key', (query) => {
  it('reads 50 rows and a few, in one round trip, on each of its pages', async () => {
    let cursor: string | null = null
    let found = 0
    let pages = 0
    do {
      const next: string = cursor ? `&cursor=${cursor}` : ''
      const page = await costOf((more) => api.get(`/orders/${query}&limit=50${next}`, more))
      expect([page.answer.status, page.d1]).toEqual([200, 1])
      expect(page.read).toBeLessThanOrEqual(55)
      found += page.answer.body.data.length
      cursor = page.answer.body.pagination.next_cursor
      pages += 1
    } while (cursor)
    expect(pages).toBe(Math.ceil(found / 50))
    expect(found).toBe(/=pending&|=pending$/.test(query) ? OWN / STATUSES.length : OWN)
  })

  it('sorts nothing and goes along an index that begins with the partner', async () => {
    const told: [sql: string, values: unknown[]][] = []
    const prepare = (sql: string) => {
      const prepared = env.DB_DEMO.prepare(sql)
      const bind = (...values: unknown[]) => {
        if (/from "orders"/.test(sql)) told.push([sql, values])
        return prepared.bind(...values)
      }
      return { bind }
    }
    const batch = (statements: D1PreparedStatement[]) => env.DB_DEMO.batch(statements)
    await api.get(`/orders/${query}`, { bindings: { ...env, DB_DEMO: { prepare, batch } } })
    expect(told).toHaveLength(1)
    for (const [sql, values] of told) {
      const plan = db.prepare(`explain query plan ${sql}`).bind(...values)
      const { results } = await plan.all<{ detail: string }>()
      const steps = results.map(({ detail }) => detail).join('\n')
      expect(steps).toMatch(/SEARCH orders USING INDEX orders_partner\w* \(partner_id=\?/)
      expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
    }
  })
})

describe("GET /orders/ with another's partner_id", () => {
  it("reads none of either's orders", async () => {
    const { answer, d1, read } = await costOf((more) => api.get('/orders/?partner_id=o', more))
    expect([answer.body.data, d1]).toEqual([[], 1])
    expect(read).toBeLessThanOrEqual(3)
  })
})

const named = ({ method, path }: Endpoint) => `${method} ${path}`
const isOfOrders = ({ path }: Endpoint) => path.startsWith('/api/integrations/v1/orders/')

describe.each(ENDPOINTS.filter(isOfOrders).map((endpoint) => [named(endpoint), endpoint] as const))(
  '%s of a limited key',
  (_, endpoint) => {
    it('is one D1 round trip', async () => {
      // What a request is about is prepared by the limited key, but for products, which are everybody's.
      const preparer = {
        post: (path: string, body: object) =>
          (path.includes('/orders/') ? api : admin).post(path, body),
        put: (path: string, body: object) => api.put(path, body),
        signIn: api.signIn,
      }
      const request = await requestOf(endpoint, preparer)
      const { answer, d1, read } = await costOf((more) => api.call(...request, more))
      expect(answer.status).toBeLessThan(300)
      expect(d1).toBe(1)
      expect(read).toBeLessThanOrEqual(55)
    })
  },
)

describe('a look-up of a limited key by a field that many orders of others share', () => {
  it('reads those of the partner alone, by external_order_id', async () => {
    const mine = await openPartner({
      own_orders_only: true,
      default_identifier_field: 'external_order_id',
    })
    await mine.api.get('/products/?limit=1')
    const { answer, read } = await costOf((more) => mine.api.get('/orders/same/', more))
    expect(answer.status).toBe(404)
    expect(read).toBeLessThanOrEqual(10)
  })

  it('does not go through all orders of the partner, by any other field', async () => {
    const mine = await openPartner({ default_identifier_field: 'notes' })
    const limit = "update api_keys set own_orders_only = 1, partner_id = 'own' where id = ?"
    await db
      .prepare("update partners set default_identifier_field = 'notes' where id = 'own'")
      .run()
    await db.prepare(limit).bind(mine.key.id).run()
    await mine.api.get('/products/?limit=1')
    const { answer, read } = await costOf((more) => mine.api.get('/orders/unknown/', more))
    expect(answer.status).toBe(404)
    expect(read).toBeLessThanOrEqual(10)
  })
})
