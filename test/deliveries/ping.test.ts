import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { shop } from '../fixtures/opened-shop.ts'
import { send } from '../fixtures/tenant.ts'
import { openWebhook, shopDocument } from '../fixtures/webhooks.ts'

beforeAll(async () => {
  await shop.deliver(await shopDocument(shop.api))
})

const FORM = 'application/x-www-form-urlencoded'
const rows = () => env.DB_DEMO.prepare('select count(*) as n from audit_log').first<number>('n')
const post = (body: string, type: string | null = FORM) =>
  send(
    new Request(shop.webhook.address, {
      method: 'POST',
      body,
      headers: type === null ? {} : { 'Content-Type': type },
    }),
  )

describe('a form with webhook_id alone', () => {
  it.each([FORM, `${FORM}; charset=UTF-8`])(
    'is exactly 200 without a signature: %s',
    async (type) => {
      const before = await rows()
      const { status, body } = await post('webhook_id=17', type)
      expect([status, body.success, body.data.outcome]).toEqual([200, true, 'skipped'])
      expect(await rows()).toBe(before)
    },
  )

  it.each([
    ['webhook_id=17&order=5', FORM],
    ['webhook_id=', FORM],
    ['webhook_id=x', FORM],
    ['webhook_id=17\n', FORM],
    [`webhook_id=${'1'.repeat(200)}`, FORM],
    ['webhook_id=17', 'application/json'],
    ['webhook_id=17', 'text/plain'],
    ['webhook_id=17', 'application/x-www-form-urlencodedx'],
    ['', FORM],
    ['{}', 'application/json'],
  ])('is nothing else: %j as %s', async (body, type) => {
    const before = await rows()
    const answer = await post(body, type)
    expect([answer.status, answer.body.error.code]).toEqual([401, 'SIGNATURE_INVALID'])
    expect(await rows()).toBe((before ?? 0) + 1)
  })
})

describe('a signed ping', () => {
  const SKIPPED = { outcome: 'skipped', reason: 'A ping.', record: null }

  it.each(['', '{}', ' {} '])('is skipped, with its row: %j', async (text) => {
    const before = await rows()
    const { status, body } = await shop.deliver(text, { event: null })
    expect([status, body.data]).toMatchObject([200, SKIPPED])
    expect(await rows()).toBe((before ?? 0) + 1)
  })

  it.each(['ping', 'PING', 'webhook.test', 'order.test'])(
    'is skipped by its event: %s',
    async (event) => {
      const own = await openWebhook({ rules: { actions: {} } })
      const document = await shopDocument(own.api)
      expect(await own.told(document, { event })).toMatchObject(SKIPPED)
      expect((await own.api.get(`/orders/${document.number}/`)).status).toBe(404)
    },
  )

  it('is skipped where its document is missing', async () => {
    const own = await openWebhook({ rules: { document: 'data.object' } })
    const { body } = await own.deliver({ zen: 'Keep it simple.' }, { event: 'ping' })
    expect(body.data).toMatchObject(SKIPPED)
    const other = await own.deliver({ zen: 'Keep it simple.' }, { event: 'refund.created' })
    expect(other.body.data).toMatchObject({ outcome: 'skipped' })
  })
})
