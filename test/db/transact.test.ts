import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { client, createKey, type Json, openTenant, unique } from '../tenant.ts'

// D1's own words (PLATFORM.md); what they mean is in DESIGN section 3, "Writes".
const LOST = 'D1_ERROR: Network connection lost.'
const OVERLOADED = 'D1_ERROR: D1 DB is overloaded. Requests queued for too long.'

let db: D1Database
let api: ReturnType<typeof client>
let admin: ReturnType<typeof client>

beforeAll(async () => {
  db = await openTenant()
  api = client((await createKey()).value)
  admin = client((await createKey(['settings.*'])).value)
  await api.get('/orders/')
  await admin.get('/api/settings/v1/workspace/')
})

/** Real D1 whose first batches fail, before they act or after they have; some may pass ahead. */
function failing(message: string, when: 'before' | 'after', times: number, passing = 0) {
  let left = times + passing
  const DB_DEMO = new Proxy(env.DB_DEMO, {
    get(target, name) {
      const member = Reflect.get(target, name)
      if (name !== 'batch') return member.bind(target)
      return async (statements: D1PreparedStatement[]) => {
        const fails = left > 0 && left <= times
        left -= 1
        if (fails && when === 'before') throw new Error(message)
        const results = await target.batch(statements)
        if (fails) throw new Error(message)
        return results
      }
    },
  })
  return { bindings: { ...env, DB_DEMO } as Json }
}

const auditRows = async (id: string | null) =>
  (await db.prepare('select status from audit_log where request_id = ?').bind(id).all()).results

describe('a write', () => {
  it.each([
    ['before it acted', 'before' as const],
    ['after it committed', 'after' as const],
  ])('whose connection was lost %s is settled and answered 201', async (_, when) => {
    const sku = unique('S')
    const answer = await api.post('/products/', { sku, quantity: 3 }, failing(LOST, when, 1))
    expect(answer.status).toBe(201)
    const stored = await db
      .prepare('select id, quantity from products where sku = ?')
      .bind(sku)
      .all()
    expect(stored.results).toEqual([{ id: answer.body.data.id, quantity: 3 }])
    expect(await auditRows(answer.headers.get('X-Request-Id'))).toEqual([{ status: 201 }])
  })

  it('of an upload that committed unheard is answered with its own counts', async () => {
    const [sku, code] = [unique('S'), unique('L')]
    await api.post('/products/', { sku })
    await api.post('/locations/', { code })
    const row = { location_code: code, sku_code: sku, quantity: 1 }
    const upload = { inventory: [row, { ...row, sku_code: 'none' }] }
    const answer = await api.post('/inventory/', upload, failing(LOST, 'after', 1))
    expect(answer.body.data).toMatchObject({ total: 2, created: 1, updated: 0, failed: 1 })
    expect(answer.body.data.errors).toHaveLength(1)
  })

  it('of a key that committed unheard answers with the value that was stored', async () => {
    const path = '/api/settings/v1/api-keys/'
    const answer = await admin.post(path, { name: unique('k') }, failing(LOST, 'after', 1))
    expect(answer.status).toBe(201)
    expect((await client(answer.body.data.key).get('/orders/')).status).toBe(200)
    await admin.get('/api/settings/v1/workspace/')
  })

  it('is still a true duplicate when somebody else holds the name', async () => {
    const sku = unique('S')
    await api.post('/products/', { sku })
    const answer = await api.post('/products/', { sku }, failing(LOST, 'before', 1))
    expect([answer.status, answer.body.error.code]).toEqual([409, 'DUPLICATE'])
  })

  it('that never gets through is 503 with Retry-After, and nothing is written', async () => {
    const sku = unique('S')
    const answer = await api.post('/products/', { sku }, failing(LOST, 'before', 100))
    expect([answer.status, answer.body.error.code]).toEqual([503, 'UNAVAILABLE'])
    expect(answer.headers.get('Retry-After')).toBe('1')
    const stored = await db.prepare('select id from products where sku = ?').bind(sku).all()
    expect(stored.results).toEqual([])
  })

  it('that landed unheard, and cannot be read back, is 503 and not 500', async () => {
    let batches = 0
    const DB_DEMO = new Proxy(env.DB_DEMO, {
      get(target, name) {
        const member = Reflect.get(target, name)
        if (name !== 'batch') return member.bind(target)
        return async (statements: D1PreparedStatement[]) => {
          batches += 1
          const failing = batches === 1 || batches === 4
          const results = await target.batch(statements)
          if (failing) throw new Error(LOST)
          return results
        }
      },
    })
    await api.get('/orders/')
    const answer = await api.post(
      '/products/',
      { sku: unique('S') },
      { bindings: { ...env, DB_DEMO } },
    )
    expect(answer.status).toBe(503)
    expect(await auditRows(answer.headers.get('X-Request-Id'))).toEqual([{ status: 201 }])
  })

  it('is not retried while the database is overloaded', async () => {
    const answer = await api.post(
      '/products/',
      { sku: unique('S') },
      failing(OVERLOADED, 'before', 1),
    )
    expect(answer.status).toBe(503)
    expect(answer.headers.get('Server-Timing')).toContain('round trips 2,')
  })
})

describe('a read', () => {
  it.each([LOST, OVERLOADED])('is 503 with Retry-After: %s', async (message) => {
    const answer = await api.get('/orders/', failing(message, 'before', 1))
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1'])
    expect(answer.text).not.toContain('D1')
  })

  it('of a caller who is not cached is 503 too', async () => {
    const fresh = client((await createKey()).value)
    expect((await fresh.get('/orders/', failing(LOST, 'before', 1))).status).toBe(503)
  })

  it('that fails in a way nobody foresaw is 500 and gives nothing away', async () => {
    const secret = 'D1_ERROR: no such column: secret_column at offset 7'
    const answer = await api.get('/orders/', failing(secret, 'before', 1))
    expect([answer.status, answer.body.error.code]).toEqual([500, 'INTERNAL_ERROR'])
    expect(answer.text).not.toContain('secret_column')
  })
})

describe('the audit row of a read', () => {
  it.each([
    ['before it acted', 'before' as const],
    ['after it committed', 'after' as const],
  ])('is there once when the connection was lost %s', async (_, when) => {
    await api.get('/orders/')
    const log = vi.spyOn(console, 'error')
    const answer = await api.get('/orders/', failing(LOST, when, 2, 1))
    expect(answer.status).toBe(200)
    expect(await auditRows(answer.headers.get('X-Request-Id'))).toEqual([{ status: 200 }])
    expect(log).not.toHaveBeenCalled()
    log.mockRestore()
  })
})
