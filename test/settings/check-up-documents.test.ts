import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { insertRequests } from '../fixtures/audit-rows.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { idOf, keep, SETTINGS } from '../fixtures/kept-documents.ts'
import { rowsRead } from '../fixtures/pages-read.ts'
import { saveMapping } from '../fixtures/partner.ts'
import { withCookie } from '../fixtures/session.ts'
import { newCookie } from '../fixtures/signed-in.ts'
import { execute } from '../fixtures/sql.ts'
import { type Answer, client, createKey, type Json, unique } from '../fixtures/tenant.ts'
import {
  ALL,
  bucketWith,
  check,
  ERRORS,
  found,
  idsOf,
  MAPPING,
  partner,
  push,
  reopen,
  seed,
  sku,
  stock,
} from './checked.ts'
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
      execute(
        `update audit_log set status = ? where partner_id = ? and method = 'PUT'
         and path like '/api/integrations/%'`,
        status,
        partner.id,
      )
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
      const at = `${SETTINGS}/partners/${partner.id}/check-up/`
      const rows = rowsRead(await partner.admin.get(at))
      expect(rows).toBeGreaterThan(80_000)
      expect(rows).toBeLessThan(95_000)
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
      const cookie = await newCookie(['settings.*'])
      const { text } = await withCookie(cookie).get(path)
      expect(text).toContain('changed from a number to a string')
      expect(text).not.toContain('Not all kept documents')
      const broken = await withCookie(cookie, bucketWith({ get: failing })).get(path)
      expect(broken.status).toBe(200)
      expect(broken.text).toContain('Not all kept documents could be read')
    })
  })
})

describe('GET /partners/{id}/check-up/ about drift', () => {
  it('finds a field that appears, with the requests since', async () => {
    await push(10)
    const answers = await push(9, () => ({ gift: true }))
    expect(await found('drift')).toEqual([])
    answers.push(...(await push(1, () => ({ gift: false }))))
    expect(await found('drift')).toEqual([
      {
        kind: 'drift',
        since: expect.stringMatching(/Z$/),
        count: 10,
        requests: idsOf(answers),
        message:
          'POST of orders: "gift" appeared: it is in 10 of 10 kept documents since then, and in 0 of 10 before.',
        remedy: expect.stringContaining('what the field means'),
      },
    ])
  })

  it('finds a field that vanishes and one that changes its kind, which the mapping reads, first', async () => {
    await seed(10, () => ({ memo: 'x', channel: 'web' }))
    await seed(
      10,
      () => ({}),
      () => '1',
    )
    expect((await found('drift')).map(({ message }) => message)).toEqual([
      'POST of orders: "lines[].qty" changed from a number to a string: it is a string in 10 of 10 kept documents since then, and in 0 of 10 before. A rule of the mapping reads it.',
      'POST of orders: "memo" (with "channel") vanished: it is in 0 of 10 kept documents since then, and in 10 of 10 before.',
    ])
  })

  inDeepPass(() => {
    it('compares documents since the mapping was saved', async () => {
      const other = { inbound: { fields: { sku: 'sku' } } }
      await saveMapping(partner.admin, partner.id, 'products', other)
      await push(10)
      await push(10, () => ({ gift: true }))
      expect(await found('drift')).toHaveLength(1)
      await saveMapping(partner.admin, partner.id, 'orders', MAPPING)
      expect(await found('drift')).toEqual([])
      await push(10, () => ({ gift: true }))
      await push(9)
      expect(await found('drift')).toEqual([])
      await push(1)
      expect((await found('drift'))[0]?.message).toContain('"gift" vanished')
    })
  })

  it('finds none in ordinary traffic', async () => {
    await seed(
      90,
      (n) => ({
        ...(n % 3 > 0 && { memo: 'x' }),
        ...(n % 7 === 0 && { voucher: { code: n } }),
        company: n % 4 === 0 ? 'x' : null,
        tags: n % 2 === 0 ? [] : [{ name: 'x', ...(n % 5 === 0 && { colour: 'red' }) }],
        weight: n % 2 === 0 ? 1 : 1.5,
      }),
      (n) => (n % 11 === 0 ? '1' : 1),
    )
    expect(await found('drift')).toEqual([])
  })

  inDeepPass(() => {
    it('compares POST and PUT apart', async () => {
      const put = { method: 'PUT', path: '/api/integrations/v1/orders/SO-1/', status: 200 }
      await insertKept(
        partner.id,
        Array.from({ length: 12 }, () => ({ ...put, body: { notes: 'x' } })),
      )
      await seed(12)
      expect(await found('drift')).toEqual([])
      await insertKept(
        partner.id,
        Array.from({ length: 12 }, () => ({ ...put, body: { note: 'x' } })),
      )
      expect((await found('drift')).map(({ message }) => message.slice(0, 22))).toEqual([
        'PUT of orders: "notes"',
        'PUT of orders: "note" ',
      ])
    })

    it('says that only documents of failed requests are kept', async () => {
      await keep(partner.admin, partner.id, ERRORS)
      const bad = (n: number) => (n % 2 === 0 ? 'two' : true)
      await push(10, () => ({}), bad)
      await push(10, () => ({ gift: true }), bad)
      expect((await found('drift')).map(({ message }) => message)).toEqual([
        'POST of orders: "gift" appeared: it is in 10 of 10 kept documents since then, and in 0 of 10 before. Only documents of failed requests are kept, so no others were compared.',
      ])
    })

    it('finds none because other documents are kept than before', async () => {
      await keep(partner.admin, partner.id, ERRORS)
      const bad = () => ({ lines: [], trial: true })
      await push(12, bad)
      await keep(partner.admin, partner.id, ALL)
      await push(12)
      expect(await found('drift')).toEqual([])
      await saveMapping(partner.admin, partner.id, 'orders', MAPPING)
      await push(12)
      await keep(partner.admin, partner.id, ERRORS)
      await push(12, bad)
      expect(await found('drift')).toEqual([])
      await keep(partner.admin, partner.id, ALL)
      expect(await found('drift')).toHaveLength(1)
    })

    it('finds none because other places are redacted than before', async () => {
      const customer = (n: number) => ({ customer: n % 2 === 0 ? null : { email: 'x' } })
      await push(12, customer)
      await keep(partner.admin, partner.id, { ...ALL, redact: ['customer', 'lines[].qty'] })
      await push(12, customer)
      expect(await found('drift')).toEqual([])
      await push(12, () => ({ customer: { email: 'x' }, gift: true }))
      expect(
        (await found('drift')).map(({ count, message }) => [count, message.slice(0, 21)]),
      ).toEqual([[12, 'POST of orders: "gift']])
    })
  })

  it('shows no key of a document that may be a value', async () => {
    await seed(10)
    await seed(10, () => ({ 'ada@example.com': 1 }))
    expect((await found('drift'))[0]?.message).toMatch(/^POST of orders: "\['…'\]" appeared/)
  })

  inDeepPass(() => {
    it('finds none without a mapping, nor in what administrators have sent again', async () => {
      await reopen()
      for (const extra of [{}, { gift: true }]) {
        for (let n = 0; n < 10; n++)
          await partner.api.post('/products/', { sku: unique('S'), ...extra })
      }
      expect(await found('drift')).toEqual([])
      await saveMapping(partner.admin, partner.id, 'orders', MAPPING)
      await push(10)
      const again = await push(10, () => ({ gift: true }))
      expect(await found('drift')).toHaveLength(1)
      await execute(
        'update audit_log set replay_of = ? where request_id = ?',
        crypto.randomUUID(),
        again.map(idOf)[0] ?? '',
      )
      expect(await found('drift')).toEqual([])
    })

    it('reads at most 60 documents of many, and finds what the newest have', async () => {
      await seed(90)
      await seed(12, () => ({ gift: true }))
      let reads = 0
      const get = (call: () => unknown) => {
        reads += 1
        return call()
      }
      const { data } = await check(bucketWith({ get }))
      expect(data.map(({ kind }: Json) => kind)).toEqual(['drift'])
      expect(data[0].count).toBe(12)
      expect(reads).toBeGreaterThan(40)
      expect(reads).toBeLessThanOrEqual(60)
    })
  })
})
