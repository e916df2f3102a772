import { beforeAll, describe, expect, it } from 'vitest'
import { saveMapping } from '../fixtures/partner.ts'
import {
  openWebhook,
  SHOP_MAPPING,
  SHOP_RULES,
  shopDocument,
  WEBHOOKS,
} from '../fixtures/webhooks.ts'

type Opened = Awaited<ReturnType<typeof openWebhook>>
let shop: Opened
beforeAll(async () => {
  shop = await openWebhook()
})

const put = async ({ admin, id }: Opened, rules: object) => {
  const { status, text } = await admin.put(`${WEBHOOKS}/${id}/`, {
    rules: { ...SHOP_RULES, ...rules },
  })
  expect([status, text]).toEqual([200, expect.anything()])
}
const outcomeOf = async (answer: ReturnType<Opened['deliver']>) => (await answer).body.data?.outcome

describe('rules that change between two deliveries', () => {
  it('hold from the next delivery on', async () => {
    const own = await openWebhook()
    const document = await shopDocument(own.partner.api)
    expect(await outcomeOf(own.deliver(document))).toBe('created')
    await put(own, { actions: { '*': 'skip' } })
    expect(await outcomeOf(own.deliver({ ...document, customer: 'Grace' }))).toBe('skipped')
    await put(own, { take_if: "@.status == 'paid'" })
    expect(await outcomeOf(own.deliver({ ...document, customer: 'Grace' }))).toBe('skipped')
    await put(own, { cancel_if: "@.status == 'processing'" })
    expect(await outcomeOf(own.deliver(document))).toBe('cancelled')
  })

  it('may say how new a document is by a number instead of a time, and by a time again', async () => {
    const own = await openWebhook()
    const document = { ...(await shopDocument(own.partner.api)), version: 7 }
    const named = (customer: string, fields: object = {}) => ({ ...document, customer, ...fields })
    expect(await outcomeOf(own.deliver(document))).toBe('created')
    await put(own, { changed_at: 'version' })
    expect(await outcomeOf(own.deliver(named('Grace')))).toBe('updated')
    expect(await outcomeOf(own.deliver(named('Edith', { version: 6 })))).toBe('stale')
    expect(await outcomeOf(own.deliver(named('Mary', { version: 10 })))).toBe('updated')
    await put(own, {})
    expect(await outcomeOf(own.deliver(named('Ada')))).toBe('updated')
    await put(own, { changed_at: null })
    expect(await outcomeOf(own.deliver(named('Zoe', { modified: 'x' })))).toBe('updated')
  })
})

describe('a mapping that does not find a value which it requires', () => {
  const { inbound } = SHOP_MAPPING
  const save = ({ admin, partner }: Opened, from: string) => {
    const fields = { ...inbound.fields, customer_name: { from, required: true } }
    return saveMapping(admin, partner.id, 'orders', { inbound: { ...inbound, fields } })
  }

  it('lets a new order wait, changes one without the value, and heals by the next delivery', async () => {
    const own = await openWebhook()
    const event = 'order.updated'
    const document = { ...(await shopDocument(own.partner.api)), modified: '2026-01-01T00:00:00Z' }
    const renamed = { ...document, customer: 'Grace', modified: '2026-01-01T00:00:01Z' }
    const shown = async () => (await own.partner.api.get(`/orders/${document.number}/`)).body.data
    await own.deliver(document)
    await save(own, 'client')
    expect(await outcomeOf(own.deliver(await shopDocument(own.partner.api)))).toBe('waiting')
    const noted = { ...renamed, note: 'Ring twice.' }
    expect(await outcomeOf(own.deliver(noted, { event }))).toBe('updated')
    expect(await shown()).toMatchObject({ customer_name: 'Ada', notes: 'Ring twice.' })
    await save(own, 'customer')
    expect(await outcomeOf(own.deliver(noted, { event }))).toBe('updated')
    expect(await shown()).toMatchObject({ customer_name: 'Grace', notes: 'Ring twice.' })
  })
})

describe('how new a document is', () => {
  it('is told for each record and partner by itself', async () => {
    const [one, other] = [await openWebhook(), await openWebhook()]
    const document = await shopDocument(one.partner.api)
    const newer = { ...document, modified: '2026-05-01T00:00:00Z', status: 'cancelled' }
    expect(await outcomeOf(one.deliver(newer))).toBe('skipped')
    expect(await outcomeOf(other.deliver(document))).toBe('created')
  })

  it('is compared exactly beyond 2^53', async () => {
    const own = await openWebhook({ rules: { changed_at: 'version' } })
    const document = await shopDocument(own.partner.api)
    const at = (digits: string, customer: string) =>
      JSON.stringify({ ...document, customer, version: 0 }).replace(
        '"version":0',
        `"version":${digits}`,
      )
    expect(await outcomeOf(own.deliver(at('9007199254740993', 'Ada')))).toBe('created')
    expect(await outcomeOf(own.deliver(at('9007199254740992', 'Grace')))).toBe('stale')
    expect(await outcomeOf(own.deliver(at('9007199254740994', 'Edith')))).toBe('updated')
  })

  it('must be a time or a number, and is named by its place', async () => {
    const own = await openWebhook({ rules: { document: 'data.object' } })
    const order = await shopDocument(own.partner.api, { modified: 'soon' })
    const { data } = (await own.deliver({ data: { object: order } })).body
    expect([data.outcome, Object.keys(data.error.fields)]).toEqual([
      'waiting',
      ['data.object.modified'],
    ])
  })

  it('holds against changes of the same time by order of arrival', async () => {
    const document = await shopDocument(shop.partner.api)
    await shop.deliver(document)
    for (const customer of ['Grace', 'Ada']) {
      expect(await outcomeOf(shop.deliver({ ...document, customer }))).toBe('updated')
    }
  })
})

describe('a time more than a day ahead', () => {
  it('lets the delivery wait, and makes nothing stale', async () => {
    const { deliver, partner } = await openWebhook()
    const document = await shopDocument(partner.api)
    const ahead = new Date(Date.now() + 2 * 86_400_000).toISOString()
    const { body } = await deliver({ ...document, modified: ahead })
    expect(body.data).toMatchObject({ outcome: 'waiting', error: { code: 'VALIDATION_ERROR' } })
    expect(await outcomeOf(deliver(document))).toBe('created')
  })
})
