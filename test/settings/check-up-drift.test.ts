import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { inDeepPass } from '../fixtures/depth.ts'
import { idOf, keep } from '../fixtures/kept-documents.ts'
import { saveMapping } from '../fixtures/partner.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
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
} from './checked.ts'
import { insertKept } from './kept-requests.ts'

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
      await env.DB_DEMO.prepare('update audit_log set replay_of = ? where request_id = ?')
        .bind(crypto.randomUUID(), again.map(idOf)[0] ?? '')
        .run()
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
