import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { insertRequests } from '../fixtures/audit-rows.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { keep, SETTINGS } from '../fixtures/kept-documents.ts'
import { cookieOf, submit, withCookie } from '../fixtures/session.ts'
import { type Answer, client, createKey, type Json, unique } from '../fixtures/tenant.ts'
import { ALL, bucketWith, check, found, idsOf, partner, seed, sku, stock } from './checked.ts'
import { insertKept } from './kept-requests.ts'

describe('GET /partners/{id}/check-up/ about repeated documents', () => {
  it('finds an upload that comes three times and has the same failed rows', async () => {
    const answers: Answer[] = []
    for (let n = 0; n < 3; n++) {
      expect(await found('same_document')).toEqual([])
      answers.push(await partner.api.post('/inventory/', stock(1)))
    }
    expect(await found('same_document')).toEqual([
      {
        kind: 'same_document',
        since: expect.stringMatching(/Z$/),
        count: 3,
        requests: idsOf(answers),
        message:
          'The same document came 3 times with POST /api/integrations/v1/inventory/, and failed each time. The newest error: 1 of 1 rows failed.',
        remedy: expect.stringContaining('without a change'),
      },
    ])
  })

  it.each<[string, () => Promise<Answer>]>([
    ['is no JSON', () => partner.api.post('/orders/', '{"number":')],
    ['is about no record', () => partner.api.put('/products/none/', { quantity: 1 })],
  ])('finds a document that %s', async (_, request) => {
    for (let n = 0; n < 3; n++) expect((await request()).status).toBeGreaterThanOrEqual(400)
    expect((await found('same_document')).map(({ count }) => count)).toEqual([3])
  })

  it.each<[string, (n: number) => Promise<Answer>]>([
    ['differ', (n) => partner.api.post('/inventory/', stock(n))],
    ['have other paths', (n) => partner.api.put(`/products/none-${n}/`, '{"quantity":')],
    ['succeed each time', () => partner.api.put(`/products/${sku}/`, { quantity: 1 })],
    ['are read by nobody, as requests without a body', () => partner.api.get('/products/none/')],
  ])('finds nothing in documents that %s', async (_, request) => {
    for (let n = 0; n < 4; n++) await request(n)
    expect(await found('same_document')).toEqual([])
  })

  it('finds nothing in what had to be sent again', async () => {
    for (let n = 0; n < 3; n++) await partner.api.put('/products/none/', { quantity: 1 })
    expect(await found('same_document')).toHaveLength(1)
    const become = (status: number) =>
      env.DB_DEMO.prepare(
        `update audit_log set status = ? where partner_id = ? and method = 'PUT'
         and path like '/api/integrations/%'`,
      )
        .bind(status, partner.id)
        .run()
    for (const status of [408, 503]) {
      await become(status)
      expect(await found('same_document')).toEqual([])
    }
  })

  inDeepPass(() => {
    it('finds it once, if record and fields are known as well', async () => {
      const order = { number: unique('O'), lines: [{ sku, qty: 'two' }] }
      for (let n = 0; n < 3; n++) await partner.api.post('/orders/', order)
      expect((await found('same_document')).map(({ message }) => message)).toEqual([
        expect.stringContaining(`"${order.number}" was sent 3 times`),
      ])
    })
  })

  inDeepPass(() => {
    it('says that documents are the same except redacted places', async () => {
      await keep(partner.admin, partner.id, { ...ALL, redact: ['by'] })
      for (const by of ['ada', 'bo', 'cy']) {
        await partner.api.put('/products/none/', { quantity: 1, by })
      }
      expect((await found('same_document')).map(({ message }) => message)).toEqual([
        expect.stringContaining('The same document (except redacted places) came 3 times'),
      ])
    })
  })

  inDeepPass(() => {
    it('compares at most 60 documents', async () => {
      const refused = { path: '/api/integrations/v1/products/none/', method: 'PUT', status: 404 }
      await insertKept(
        partner.id,
        Array.from({ length: 63 }, () => ({ ...refused, body: { quantity: 1 } })),
      )
      let reads = 0
      const get = (call: () => unknown) => {
        reads += 1
        return call()
      }
      const { data } = await check(bucketWith({ get }))
      expect([reads, data[0].count]).toEqual([60, 60])
    })
  })

  it('finds nothing where the documents are kept no longer', async () => {
    for (let n = 0; n < 3; n++) await partner.api.put('/products/none/', { quantity: 1 })
    await keep(partner.admin, partner.id, null)
    expect(await found('same_document')).toEqual([])
  })
})

inDeepPass(() => {
  describe('GET /partners/{id}/check-up/ of a busy partner', () => {
    it('reads a bounded number of rows', async () => {
      await insertRequests(
        [
          {
            partner_id: partner.id,
            created_at: new Date().toISOString(),
            method: 'POST',
            document_until: Date.now() + 86_400_000,
          },
        ],
        25_000,
      )
      const { headers } = await partner.admin.get(`${SETTINGS}/partners/${partner.id}/check-up/`)
      const [, rows] = /rows read (\d+)/.exec(headers.get('Server-Timing') ?? '') ?? []
      expect(Number(rows)).toBeGreaterThan(80_000)
      expect(Number(rows)).toBeLessThan(95_000)
    })
  })
})

describe('GET /partners/{id}/check-up/ and the store of documents', () => {
  const failing = () => Promise.reject(new Error('secret'))
  const NOT_ALL = [
    { field: 'documents', message: expect.stringMatching(/^Not all kept documents could be read/) },
  ]

  beforeEach(async () => {
    const field = '\nlines[].qty\n'
    await seed(10, () => ({ gift: true }))
    await seed(
      10,
      () => ({}),
      () => '1',
      { status: 400, error_fields: field, message: 'x' },
    )
  })

  it('says so if it fails, and finds all else', async () => {
    const { data, warnings } = await check(bucketWith({ get: failing }))
    expect(data.map(({ kind }: Json) => kind)).toEqual(['field_refused'])
    expect(warnings).toEqual(NOT_ALL)
  })

  inDeepPass(() => {
    it('finds all else without a bucket', async () => {
      const { DOCUMENTS, ...bindings }: Json = env
      const { data, warnings } = await check({ bindings })
      expect([data.map(({ kind }: Json) => kind), warnings]).toEqual([['field_refused'], undefined])
    })
  })

  inDeepPass(() => {
    it('leaves out documents that are not there', async () => {
      const get = () => Promise.resolve(null)
      const { data, warnings } = await check(bucketWith({ get }))
      expect([data.map(({ kind }: Json) => kind), warnings]).toEqual([['field_refused'], undefined])
    })
  })

  inDeepPass(() => {
    it('is asked for nothing by a key that may not read documents', async () => {
      const key = await createKey(['settings.audit.read'])
      const asked = bucketWith({ get: failing })
      const path = `${SETTINGS}/partners/${partner.id}/check-up/`
      const { status, body } = await client(key.value).get(path, asked)
      expect([status, body.data.length, body.warnings]).toEqual([200, 1, undefined])
      await partner.admin.put(`${SETTINGS}/api-keys/${partner.key.id}/`, {
        scopes: ['integrations.*', 'settings.*'],
      })
      const own = await partner.api.get(path, asked)
      expect([own.status, own.body.data.length, own.body.warnings]).toEqual([200, 1, undefined])
    })
  })

  it('is one round trip to the database', async () => {
    const { headers } = await partner.admin.get(`${SETTINGS}/partners/${partner.id}/check-up/`)
    expect(headers.get('Server-Timing')).toMatch(/round trips 1,/)
  })

  inDeepPass(() => {
    it('shows on the page of the partner what could not be looked at', async () => {
      const path = `/dashboard/partners/${partner.id}/`
      const { value: key } = await createKey(['settings.*'])
      const cookie = cookieOf(await submit('/dashboard/sign-in/', { key }))
      const { text } = await withCookie(cookie).get(path)
      expect(text).toContain('changed from a number to a string')
      expect(text).not.toContain('Not all kept documents')
      const broken = await withCookie(cookie, bucketWith({ get: failing })).get(path)
      expect(broken.status).toBe(200)
      expect(broken.text).toContain('Not all kept documents could be read')
    })
  })
})
