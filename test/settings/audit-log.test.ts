import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { mintKey } from '../../src/engine/identity/key.ts'
import { sample } from '../fixtures/depth.ts'
import { admin, db } from '../fixtures/opened.ts'
import { AUDIT, addPartner, issueKey, KEYS, utc, WORKSPACE } from '../fixtures/settings.ts'
import {
  type Answer,
  client,
  createKey,
  type Json,
  openTenant,
  unique,
} from '../fixtures/tenant.ts'
import { dataOf } from '../fixtures/warehouse.ts'

const PAST = '2026-01-01T00:00:00.000Z'

beforeAll(async () => {
  await openTenant('other')
})

/** The rows that the log holds of a request. */
async function rowsOf({ headers }: Answer): Promise<Json[]> {
  return dataOf(await admin.get(`${AUDIT}?request_id=${headers.get('X-Request-Id')}`), 200)
}

const rowCount = (database = db) =>
  database.prepare('select count(*) from audit_log').first('count(*)')

/** A key of its own, with a client. */
async function newCaller(scopes = ['integrations.*'], options = {}) {
  const { id, value } = await createKey(scopes, { name: unique('caller'), ...options })
  return { id, api: client(value) }
}

describe('GET /audit-log/', () => {
  it('lists a request with all that it knows of it', async () => {
    const name = unique('caller')
    const { id, value } = await createKey(['integrations.*'], { name })
    const answer = await client(value).get('/orders/')
    expect(await rowsOf(answer)).toEqual([
      {
        request_id: answer.headers.get('X-Request-Id'),
        created_at: utc,
        api_key: { id, name },
        partner: null,
        method: 'GET',
        path: '/api/integrations/v1/orders/',
        record_name: null,
        status: 200,
        error_code: null,
        message: null,
        duration_ms: expect.any(Number),
        replay_of: null,
        delivery: null,
        dry_run: false,
        source: null,
        notes: null,
        document: null,
        counts: null,
      },
    ])
  })

  it('tells when it was and how long it took', async () => {
    const before = new Date().toISOString()
    const { api } = await newCaller()
    const answers = [
      await api.get('/orders/'),
      await api.post('/products/', { sku: unique('S') }),
      await api.post('/products/', {}),
    ]
    const after = new Date().toISOString()
    for (const answer of answers) {
      const [row] = await rowsOf(answer)
      expect(row.created_at >= before && row.created_at <= after).toBe(true)
      expect(Number.isInteger(row.duration_ms)).toBe(true)
      expect(row.duration_ms).toBeGreaterThanOrEqual(0)
      expect(row.duration_ms).toBeLessThanOrEqual(Date.parse(after) - Date.parse(before))
    }
  })

  it("names the partner of the request's key", async () => {
    const partner = await addPartner()
    const { id, name, key } = await issueKey(admin, { partner_id: partner.id })
    for (const answer of [
      await client(key).get('/orders/'),
      await client(key).post('/products/', { sku: unique('S') }),
      await client(key).get('/orders/unknown/'),
    ]) {
      const [row] = await rowsOf(answer)
      expect([row.partner, row.api_key]).toEqual([partner, { id, name }])
    }
  })

  it('keeps the name that the key had', async () => {
    const { id, name, key } = await issueKey(admin)
    const answer = await client(key).get('/orders/')
    await admin.put(`${KEYS}${id}/`, { name: unique('renamed') })
    expect((await rowsOf(answer))[0].api_key).toEqual({ id, name })
  })

  it('lists settings requests too, its own included', async () => {
    const made = await admin.post(KEYS, { name: unique('key') })
    const path = `${KEYS}${made.body.data.id}/`
    for (const [answer, method, target, status] of [
      [made, 'POST', KEYS, 201],
      [await admin.get(path), 'GET', path, 200],
      [await admin.put(path, { name: 'x' }), 'PUT', path, 200],
      [await admin.post(`${path}rotate/`), 'POST', `${path}rotate/`, 201],
      [await admin.delete(path), 'DELETE', path, 200],
      [await admin.get(WORKSPACE), 'GET', WORKSPACE, 200],
      [await admin.get(AUDIT), 'GET', AUDIT, 200],
    ] as [Answer, string, string, number][]) {
      const [row, ...more] = await rowsOf(answer)
      expect([row.method, row.path, row.status, more]).toEqual([method, target, status, []])
    }
  })

  it('lists HEAD as HEAD', async () => {
    const { api } = await newCaller()
    const [row] = await rowsOf(await api.call('HEAD', '/orders/'))
    expect([row.method, row.status]).toEqual(['HEAD', 200])
  })
})

describe('one request of a known key', () => {
  const sku = unique('S')
  const requests: [string, number, string | null, () => Promise<Answer>][] = [
    ['that reads', 200, null, async () => (await newCaller()).api.get('/inventory/')],
    [
      'that writes',
      201,
      null,
      async () => (await newCaller()).api.post('/products/', { sku: unique('S') }),
    ],
    [
      'whose key lacks the scope',
      403,
      'SCOPE_MISSING',
      async () => (await newCaller(['settings.read'])).api.get('/orders/'),
    ],
    [
      'about an unknown record',
      404,
      'NOT_FOUND',
      async () => (await newCaller()).api.get('/orders/unknown/'),
    ],
    [
      'to write to an unknown record',
      404,
      'NOT_FOUND',
      async () => (await newCaller()).api.put('/orders/unknown/', { notes: 'x' }),
    ],
    ['at an unknown path', 404, 'NOT_FOUND', async () => (await newCaller()).api.get('/nothing/')],
    [
      'with a bad body',
      400,
      'VALIDATION_ERROR',
      async () => (await newCaller()).api.post('/products/', {}),
    ],
    [
      'with a bad query',
      400,
      'VALIDATION_ERROR',
      async () => (await newCaller()).api.get('/orders/?limit=0'),
    ],
    [
      'against a rule',
      400,
      'SERVICE_ERROR',
      async () =>
        (await newCaller()).api.post('/orders/', {
          order_number: unique('O'),
          items: [{ sku_code: 'unknown', quantity: 1 }],
        }),
    ],
    [
      'that repeats a SKU',
      409,
      'DUPLICATE',
      async () => {
        const { api } = await newCaller()
        await api.post('/products/', { sku })
        return await api.post('/products/', { sku })
      },
    ],
    [
      'with a wrong method',
      405,
      'METHOD_NOT_ALLOWED',
      async () => (await newCaller()).api.call('PATCH', '/orders/', {}),
    ],
    [
      'with another type of body',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      async () =>
        (await newCaller()).api.post('/products/', '{}', {
          headers: { 'Content-Type': 'text/html' },
        }),
    ],
    [
      'of a revoked key',
      401,
      'KEY_INVALID',
      async () => (await newCaller(['integrations.*'], { revoked_at: PAST })).api.get('/orders/'),
    ],
    [
      'of an expired key',
      401,
      'KEY_EXPIRED',
      async () => (await newCaller(['integrations.*'], { expires_at: PAST })).api.get('/orders/'),
    ],
  ]

  it.each(sample(requests, 6))(
    '%s leaves one row: %i %s',
    async (_, status, error_code, request) => {
      const answer = await request()
      expect(answer.status).toBe(status)
      expect(await rowsOf(answer)).toMatchObject([{ status, error_code }])
      expect(await rowsOf(answer)).toHaveLength(1)
    },
  )

  it('leaves one row each when many come at once', async () => {
    const { id, api } = await newCaller()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, turn) =>
        turn % 2 ? api.get('/orders/') : api.get('/orders/unknown/'),
      ),
    )
    const { body } = await admin.get(`${AUDIT}?api_key_id=${id}&limit=200`)
    const logged = body.data.map(({ request_id }: Json) => request_id)
    expect(logged.toSorted()).toEqual(
      answers.map(({ headers }) => headers.get('X-Request-Id')).toSorted(),
    )
  })
})

describe('a request without a known key', () => {
  it.each([
    ['no key', () => null],
    ['a malformed key', () => 'secret'],
    ['an unknown key', async () => (await mintKey('demo')).value],
    ['a key of a tenant without a database', async () => (await mintKey('nowhere')).value],
  ])('leaves no row: %s', async (_, key) => {
    const before = [await rowCount(), await rowCount(env.DB_OTHER)]
    const api = client(await key())
    expect((await api.get('/orders/')).body.success).toBe(false)
    expect((await api.post('/products/', { sku: 'x' })).body.success).toBe(false)
    expect([await rowCount(), await rowCount(env.DB_OTHER)]).toEqual(before)
  })

  it('leaves no row when all it got is a redirect', async () => {
    const { api } = await newCaller()
    const before = await rowCount()
    expect((await api.get('/orders')).status).toBe(308)
    expect(await rowCount()).toBe(before)
  })
})

describe('a tenant', () => {
  it("never sees another's requests", async () => {
    const other = await createKey(['settings.*', 'integrations.*'], { tenant: 'other' })
    const answer = await client(other.value).get('/orders/')
    expect(await rowsOf(answer)).toEqual([])
    const { body } = await client(other.value).get(`${AUDIT}?limit=200`)
    expect(body.data.map(({ request_id }: Json) => request_id)).toContain(
      answer.headers.get('X-Request-Id'),
    )
    const keys = new Set(body.data.map(({ api_key }: Json) => api_key.id))
    const [known] = await rowsOf(await admin.get(WORKSPACE))
    expect(keys.has(known.api_key.id)).toBe(false)
  })
})

describe('an inventory upload', () => {
  async function upload(more: Json, quantities: Json[] = [1]) {
    const { api } = await newCaller()
    const [sku_code, location_code] = [unique('S'), unique('L')]
    await api.post('/products/', { sku: sku_code })
    await api.post('/locations/', { code: location_code })
    const send = (values: Json[], fields: Json) => {
      const inventory = values.map((quantity) => ({ location_code, sku_code, quantity }))
      return api.post('/inventory/', { inventory, ...fields })
    }
    await send([0], {})
    const answer = await send(quantities, more)
    expect(answer.status).toBe(200)
    const [row] = await rowsOf(answer)
    return { answer, row }
  }

  it.each(['bulk_import', 'manual_adjustment', 'erp_sync', 'initial_load'])(
    'leaves its source %s and its notes',
    async (source) => {
      const notes = 'Zählung vom 1. März 📦\nzweite Zeile'
      const { row } = await upload({ source, notes })
      expect([row.source, row.notes]).toEqual([source, notes])
    },
  )

  it('leaves the default source, and no notes, where it gives none', async () => {
    const { row } = await upload({})
    expect([row.source, row.notes]).toEqual(['bulk_import', null])
  })

  it('leaves its counts, failed rows included', async () => {
    const { answer, row } = await upload({}, [5, 6, -1, 'x', 7])
    const { errors, ...counts } = answer.body.data
    expect(counts).toEqual({ total: 5, created: 0, updated: 3, failed: 2 })
    expect(row.counts).toEqual(counts)
  })

  it('counts what it created', async () => {
    const { api } = await newCaller()
    const [sku_code, location_code] = [unique('S'), unique('L')]
    await api.post('/products/', { sku: sku_code })
    await api.post('/locations/', { code: location_code })
    const good = { location_code, sku_code, quantity: 1 }
    const inventory = [good, { ...good, sku_code: 'unknown' }]
    const [row] = await rowsOf(await api.post('/inventory/', { inventory }))
    expect(row.counts).toEqual({ total: 2, created: 1, updated: 0, failed: 1 })
  })

  it('that is refused as a whole leaves neither', async () => {
    const { api } = await newCaller()
    const [row] = await rowsOf(await api.post('/inventory/', { inventory: [], notes: 'x' }))
    expect(row).toMatchObject({ status: 400, source: null, notes: null, counts: null })
  })
})
