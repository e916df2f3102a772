import { beforeAll, describe, expect, it } from 'vitest'
import { loggedRow } from '../fixtures/audit-rows.ts'
import type { PartnerOptions } from '../fixtures/partner.ts'
import { client, createKey, type Json, openTenant, unique } from '../fixtures/tenant.ts'
import {
  openWebhook,
  SHOP_MAPPING,
  SHOP_RULES,
  shopDocument,
  type Webhook,
} from '../fixtures/webhooks.ts'

const PLAIN = { take_if: null, cancel_if: null, changed_at: null }
const EVENTS = { 'item.created': 'upsert', 'item.updated': 'upsert', 'item.deleted': 'deactivate' }

async function open(resource: string, rules: object = {}, options: PartnerOptions = {}) {
  const actions = { inventory: {}, orders: SHOP_RULES.actions }[resource] ?? EVENTS
  return await openWebhook({
    mappings: {},
    ...options,
    rules: { ...PLAIN, resource, actions, ...rules },
  })
}

const dataOf = async (answer: ReturnType<Webhook['deliver']>): Promise<Json> => {
  const { status, body, text } = await answer
  expect([status, text]).toEqual([200, expect.anything()])
  return body.data
}
const recordAt = async (shop: Webhook, path: string): Promise<Json> =>
  (await shop.api.get(path)).body.data

describe.each([
  ['products', 'sku', 'quantity', [1, 2, 3]],
  ['locations', 'code', 'name', ['one', 'two', 'three']],
])('a webhook of %s', (resource, key, field, values) => {
  let shop: Webhook
  beforeAll(async () => {
    shop = await open(resource)
  })
  const created = { event: 'item.created' }
  const updated = { event: 'item.updated' }
  const deleted = { event: 'item.deleted' }

  it('creates, changes and deactivates documents in our own format', async () => {
    const name = unique('N')
    const told = async (fields: object, sent: object) =>
      dataOf(shop.deliver({ [key]: name, ...fields }, sent))
    expect(await told({ [field]: values[0] }, created)).toMatchObject({
      outcome: 'created',
      record: name,
    })
    expect(await told({ [field]: values[0] }, created)).toMatchObject({ outcome: 'unchanged' })
    expect(await told({ [field]: values[1] }, updated)).toMatchObject({ outcome: 'updated' })
    expect(await told({ [field]: values[2] }, created)).toMatchObject({ outcome: 'updated' })
    expect(await told({}, deleted)).toMatchObject({ outcome: 'deactivated', record: name })
    expect(await told({}, deleted)).toMatchObject({ outcome: 'unchanged', record: name })
    expect(await recordAt(shop, `/${resource}/${name}/`)).toMatchObject({
      [field]: values[2],
      is_active: false,
    })
  })

  it('creates what a change names first, and skips the end of what is not there', async () => {
    const name = unique('N')
    expect(await dataOf(shop.deliver({ [key]: name }, updated))).toMatchObject({
      outcome: 'created',
    })
    const none = await dataOf(shop.deliver({ [key]: unique('none') }, deleted))
    expect(none).toMatchObject({ outcome: 'skipped', record: null })
    expect(none.reason).toBe(`There is no such ${resource.slice(0, -1)}.`)
  })

  it('deactivates by cancel_if', async () => {
    const own = await open(resource, { cancel_if: "@.state == 'archived'" })
    const name = unique('N')
    await own.deliver({ [key]: name }, created)
    const { outcome } = await dataOf(own.deliver({ [key]: name, state: 'archived' }, updated))
    expect(outcome).toBe('deactivated')
  })

  it('warns of what had no effect, by its place in the whole body', async () => {
    const own = await open(resource, { document: 'data.object' })
    const { body } = await own.deliver(
      { data: { object: { [key]: unique('N'), colour: 'red' } } },
      created,
    )
    expect(body.warnings.map((warning: Json) => warning.source ?? warning.field)).toEqual([
      'data.object.colour',
    ])
  })

  it('names what is wrong by its place in the whole body', async () => {
    const own = await open(resource, { document: 'data.object' })
    const answer = await own.deliver({ data: { object: { [key]: 7 } } }, created)
    expect(answer.text).toContain(`data.object.${key}`)
  })
})

describe('a webhook of inventory', () => {
  it('uploads rows, also of a document in an envelope, and tells those that fail', async () => {
    const shop = await open('inventory', { document: 'data.object', event: null })
    const [sku, code] = [unique('SKU'), unique('LOC')]
    await shop.api.post('/products/', { sku })
    await shop.api.post('/locations/', { code })
    const row = { location_code: code, sku_code: sku, quantity: 5 }
    const { body } = await shop.deliver({
      data: { object: { inventory: [row, { ...row, quantity: -1 }] } },
    })
    expect(body.data).toMatchObject({ outcome: 'uploaded', upload: { created: 1, failed: 1 } })
    const again = await dataOf(shop.deliver({ data: { object: { inventory: [row] } } }))
    expect(again).toMatchObject({ outcome: 'uploaded', upload: { created: 0, failed: 0 } })
  })
})

describe('the identifier of a record', () => {
  const mapped = (identifier_field: string, fields: object = {}) => ({
    orders: {
      identifier_field,
      inbound: { ...SHOP_MAPPING.inbound, fields: { ...SHOP_MAPPING.inbound.fields, ...fields } },
    },
  })
  const rawId = (document: object, digits: string) =>
    JSON.stringify({ ...document, id: 0 }).replace('"id":0', `"id":${digits}`)

  it.each<[string, string, object]>([
    ['external_order_id', '9007199254740993', { external_order_id: { from: 'id', as: 'string' } }],
    ['metadata.shop_id', '90071992547409931', { 'metadata.shop_id': { from: 'id', as: 'string' } }],
    ['metadata.shop_id', '"A-1"', { 'metadata.shop_id': 'id' }],
  ])('may be %s, exactly: %s', async (field, id, fields) => {
    const shop = await open('orders', {}, { mappings: mapped(field, fields) })
    const document = await shopDocument(shop.api)
    const first = await dataOf(shop.deliver(rawId(document, id)))
    expect(first).toMatchObject({ outcome: 'created', record: document.number })
    const other = await shopDocument(shop.api)
    const near = id.replace(/\d(?="?$)/, '2')
    expect(await dataOf(shop.deliver(rawId(other, near)))).toMatchObject({ outcome: 'created' })
    const renamed = { ...document, customer: 'Grace' }
    for (const event of ['order.created', 'order.updated']) {
      const { outcome, record } = await dataOf(shop.deliver(rawId(renamed, id), { event }))
      expect([outcome, record]).toEqual([
        event === 'order.created' ? 'updated' : 'unchanged',
        document.number,
      ])
    }
    const ended = await dataOf(shop.deliver(rawId(document, id), { event: 'order.deleted' }))
    expect(ended).toMatchObject({ outcome: 'cancelled', record: document.number })
    const untouched = await recordAt(
      shop,
      `/orders/${encodeURIComponent(near.replaceAll('"', ''))}/`,
    )
    expect(untouched).toMatchObject({ order_number: other.number, status: 'pending' })
  })

  it('may be the default field of the partner', async () => {
    const options = { default_identifier_field: 'external_order_id' }
    const shop = await open('orders', {}, options)
    const { lines } = await shopDocument(shop.api)
    const items = lines.map(({ sku, qty }) => ({ sku_code: sku, quantity: qty }))
    const [order_number, external_order_id] = [unique('O'), unique('E')]
    const document = { order_number, external_order_id, items }
    expect((await dataOf(shop.deliver(document))).outcome).toBe('created')
    const changed = { ...document, customer_name: 'Grace' }
    const { outcome, record } = await dataOf(shop.deliver(changed, { event: 'order.updated' }))
    expect([outcome, record]).toEqual(['updated', order_number])
    const { outcome: ended } = await dataOf(
      shop.deliver({ external_order_id }, { event: 'order.deleted' }),
    )
    expect(ended).toBe('cancelled')
  })

  it('of a delivery is kept exactly, and so is its event', async () => {
    const rules = {
      event: { path: 'type' },
      delivery_id: { path: 'delivery' },
      actions: { '90071992547409931': 'skip' },
    }
    const shop = await open('orders', rules)
    const text = '{"type":90071992547409931,"delivery":123456789012345678901}'
    const answer = await shop.deliver(text)
    expect(answer.body.data.reason).toBe('The rules skip the event "90071992547409931".')
    expect(await loggedRow(answer, 'sender_event, sender_id, outcome')).toEqual({
      sender_event: '90071992547409931',
      sender_id: '123456789012345678901',
      outcome: 'skipped',
    })
  })
})

describe('the order of another partner with the same number', () => {
  it.each(['order.created', 'order.updated', 'order.deleted'])(
    'is never touched by %s',
    async (event) => {
      const [shop, other] = [
        await open('orders', {}, { mappings: { orders: SHOP_MAPPING } }),
        await open('orders', {}, { mappings: { orders: SHOP_MAPPING } }),
      ]
      const document = await shopDocument(shop.api)
      expect((await dataOf(other.deliver(document))).outcome).toBe('created')
      const answer = await shop.deliver({ ...document, customer: 'Mallory' }, { event })
      if (answer.status === 200) expect(['skipped', 'waiting']).toContain(answer.body.data.outcome)
      expect(answer.text).not.toContain('Ada')
      const { data } = (await client((await createKey()).value).get(`/orders/${document.number}/`))
        .body
      expect(data).toMatchObject({ customer_name: 'Ada', status: 'pending' })
    },
  )
})

describe('a careless or hostile document', () => {
  let shop: Webhook
  beforeAll(async () => {
    shop = await openWebhook({
      rules: { event: { path: 'type' }, actions: { stop: 'skip', end: 'cancel' } },
    })
  })
  const statusOf = async (document: unknown) => {
    const answer = await shop.deliver(document)
    expect([answer.status, answer.text]).not.toEqual([500, expect.anything()])
    return answer.status
  }

  it.each<[string, () => unknown]>([
    ['deep', () => `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`],
    ['an array', () => '[1,2]'],
    ['null', () => 'null'],
    ['a text', () => '"text"'],
    ['a member twice', () => '{"type":"stop","type":"end"}'],
    ['__proto__', () => '{"__proto__":{"type":"stop"},"type":"__proto__"}'],
    ['an event with line breaks', () => ({ type: 'a\r\nb\u0000' })],
    ['a half character', () => '{"type":"\\ud800"}'],
    ['an identifier of 100 KB', () => ({ type: 'end', number: 'x'.repeat(100_000), modified: 5 })],
    [
      'an identifier of 1.9 MB',
      () => ({ type: 'end', number: 'x'.repeat(1_900_000), modified: 5 }),
    ],
    ['an identifier of 3 MB', () => ({ type: 'end', number: 'x'.repeat(3_000_000), modified: 5 })],
    ['an identifier that is an object', () => ({ type: 'end', number: {}, modified: 5 })],
    ['an identifier with a NUL', () => ({ type: 'end', number: 'a\u0000b', modified: 5 })],
    ['a half character as identifier', () => '{"type":"end","number":"\\udc00","modified":5}'],
    ['a change of 100 KB', () => ({ type: 'end', number: 'a', modified: '9'.repeat(100_000) })],
  ])('is answered, and never by 500: %s', async (_, make) => {
    expect([200, 400, 413, 422]).toContain(await statusOf(make()))
  })

  it('leaves no identifier that no record can have', async () => {
    await statusOf({ type: 'end', number: 'y'.repeat(100_000), modified: 5 })
    const longest = await (await openTenant())
      .prepare('select max(length(identifier)) as n from delivered_changes')
      .first<number>('n')
    expect(longest).toBeLessThan(2000)
  })

  it('may have any number of events', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 50 }, (_, at) => statusOf({ type: `event-${at}`, number: unique('O') })),
    )
    expect(new Set(statuses).has(500)).toBe(false)
  })
})
