import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { freshIsolate } from '../fixtures/isolate.ts'
import { idOf, openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import { openPartner, type PartnerOptions } from '../fixtures/partner.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { KEYS } from '../fixtures/settings.ts'
import {
  type Api,
  type CallOptions,
  client,
  type Json,
  openAdmin,
  unique,
} from '../fixtures/tenant.ts'
import { createOrder, createProduct, dataOf, path } from '../fixtures/warehouse.ts'

// P3 (docs/ARCHITECTURE.md) of own_orders_only, and which order an identifier means to a limited key.

const openLimited = (options: PartnerOptions = {}) =>
  openPartner({ own_orders_only: true, ...options })
const orderOf = (api: Api, fields: object = {}) => createOrder(api, { items, ...fields })
const numbersIn = async (api: Api, query = '', more?: CallOptions) =>
  dataOf(await api.get(`/orders/${query}`, more), 200).map(({ order_number }: Json) => order_number)

const admin = await openAdmin()
const items = [{ sku_code: (await createProduct(admin)).sku, quantity: 1 }]

describe.each(
  sample(
    [
      ['external_order_id', (value: string) => ({ external_order_id: value })],
      ['metadata.ref', (value: string) => ({ metadata: { ref: value } })],
      ['customer_name', (value: string) => ({ customer_name: value })],
    ],
    1,
  ),
)('a limited key that addresses orders by %s', (field, having) => {
  const open = () => openLimited({ mappings: { orders: { identifier_field: field } } })

  it('finds its own order, however many others have the same value', async () => {
    const [{ api }, other] = [await open(), await open()]
    const value = unique('shared')
    const { id } = await orderOf(api, having(value))
    for (const by of [other.api, other.api, admin]) await orderOf(by, having(value))
    expect(dataOf(await api.get(path('orders', value)), 200).id).toBe(id)
    expect(dataOf(await api.put(path('orders', value), { notes: 'x' }), 200).id).toBe(id)
    expect(dataOf(await api.delete(path('orders', value)), 200).id).toBe(id)
  })

  it("gets 404 where only others' orders have the value, one or several", async () => {
    const [{ api }, other] = [await open(), await open()]
    const value = unique('shared')
    const message = `No order has the ${field} "${value}".`
    for (const by of [other.api, admin]) {
      await orderOf(by, having(value))
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await api.call(
          method,
          path('orders', value),
          method === 'GET' ? undefined : {},
        )
        expectRefusal(answer, 404, 'NOT_FOUND', message)
      }
    }
  })

  it('gets 400 where several of its own have the value', async () => {
    const { api } = await open()
    const value = unique('shared')
    for (let n = 0; n < 2; n++) await orderOf(api, having(value))
    const message = `Several orders have the ${field} "${value}", so it identifies none of them.`
    expectRefusal(await api.get(path('orders', value)), 400, 'SERVICE_ERROR', message)
  })
})

describe('a change of own_orders_only', () => {
  it('holds on the next request, and so does its end', async () => {
    const { api, key } = await openPartner()
    const { order_number } = await orderOf(admin)
    const set = (own_orders_only: boolean) => admin.put(`${KEYS}${key.id}/`, { own_orders_only })
    expect((await api.get(path('orders', order_number))).status).toBe(200)
    for (const [limited, status] of [
      [true, 404],
      [false, 200],
      [true, 404],
    ] as const) {
      expect((await set(limited)).status).toBe(200)
      expect((await api.get(path('orders', order_number))).status).toBe(status)
      expect((await numbersIn(api)).includes(order_number)).toBe(!limited)
    }
  })

  it('holds for the next write', async () => {
    const { api, key } = await openPartner()
    const { order_number } = await orderOf(admin)
    dataOf(await api.put(path('orders', order_number), { notes: 'x' }), 200)
    await admin.put(`${KEYS}${key.id}/`, { own_orders_only: true })
    expectRefusal(await api.delete(path('orders', order_number)), 404, 'NOT_FOUND')
  })

  it('holds in a cold isolate, although KV has the key from before', async () => {
    const { api, key } = await openPartner()
    const { order_number } = await orderOf(admin)
    await api.get('/orders/')
    const { name, kv } = await storedCaller(key.id)
    await admin.put(`${KEYS}${key.id}/`, { own_orders_only: true })
    await env.KEYS.put(name, kv)
    const isolate = await freshIsolate()
    expect(await numbersIn(api, '', isolate)).not.toContain(order_number)
  })
})

const hashOf = (id: string) =>
  env.DB_DEMO.prepare('select hash from api_keys where id = ?').bind(id).first<string>('hash')

async function storedCaller(id: string) {
  const name = `caller:12:${await hashOf(id)}`
  return { name, kv: (await env.KEYS.get(name)) ?? '' }
}

describe('what KV has of a key', () => {
  it.each([
    ['without the member', ({ orders_of, ...caller }: Json) => caller],
    ['with a member of another kind', (caller: Json) => ({ ...caller, orders_of: false })],
  ])('counts as nothing %s', async (_, changed) => {
    const { api, key } = await openLimited()
    const { order_number } = await orderOf(admin)
    await api.get('/orders/')
    const { name, kv } = await storedCaller(key.id)
    expect(JSON.parse(kv)).toHaveProperty('orders_of')
    await env.KEYS.put(name, JSON.stringify(changed(JSON.parse(kv))))
    const { status, headers, body } = await api.get('/orders/', await freshIsolate())
    expect([status, body.data]).toEqual([200, []])
    expect(headers.get('Server-Timing')).toContain('key;desc="d1"')
    expect((await api.get(path('orders', order_number))).status).toBe(404)
  })
})

describe('a walk through the orders of a limited key', () => {
  it('begins anew when the key is limited, or no longer', async () => {
    const { api, key } = await openPartner()
    for (let n = 0; n < 3; n++) await orderOf(api)
    const cursorOf = async () =>
      (await api.get('/orders/?limit=1')).body.pagination.next_cursor as string
    for (const own_orders_only of [true, false]) {
      const cursor = await cursorOf()
      await admin.put(`${KEYS}${key.id}/`, { own_orders_only })
      const answer = await api.get(`/orders/?limit=1&cursor=${cursor}`)
      expectRefusal(answer, 400, 'VALIDATION_ERROR')
      expect(Object.keys(answer.body.error.fields)).toEqual(['cursor'])
    }
  })

  it.each([
    ['/orders/', ''],
    ['/orders/', 'status=pending&'],
    ['/orders/', 'created_from=2026-01-01&'],
    ['/changes/', 'resource=orders&'],
  ])('goes on with no key that sees other orders, on %s?%s', async (list, filters) => {
    const [own, other, open] = [await openLimited(), await openLimited(), await openPartner()]
    for (const { api } of [own, other, open]) for (let n = 0; n < 2; n++) await orderOf(api)
    const begin = list === '/changes/' ? '&from=start' : ''
    const cursorOf = async (api: Api, narrowed = '') => {
      const first = await api.get(`${list}?${narrowed}${filters}limit=1${begin}`)
      return first.body.pagination.next_cursor ?? 'none'
    }
    const goOn = (api: Api, cursor: string) => api.get(`${list}?${filters}cursor=${cursor}`)
    const cursors = [own, other, open].map(({ api }) => cursorOf(api))
    const [ofOwn, ofOther, ofAll] = (await Promise.all(cursors)) as [string, string, string]
    const refused = [
      [own.api, ofOther],
      [own.api, ofAll],
      [open.api, ofOwn],
      [admin, ofOwn],
    ] as const
    for (const [api, cursor] of refused) {
      const answer = await goOn(api, cursor)
      expectRefusal(answer, 400, 'VALIDATION_ERROR')
      expect(answer.body.error.reason).toBe('INVALID_CURSOR')
      expect(Object.keys(answer.body.error.fields)).toEqual(['cursor'])
    }
    // Keys that see the same orders go on with each other's.
    dataOf(await goOn(own.api, ofOwn), 200)
    dataOf(await goOn(admin, ofAll), 200)
  })

  it('is no walk through the list of all orders of that partner', async () => {
    const { id, api } = await openLimited()
    for (let n = 0; n < 2; n++) await orderOf(api)
    const own = (await api.get('/orders/?limit=1')).body.pagination.next_cursor
    const ofPartner = (await admin.get(`/orders/?limit=1&partner_id=${id}`)).body.pagination
    for (const [by, query] of [
      [admin, `partner_id=${id}&cursor=${own}`],
      [api, `cursor=${ofPartner.next_cursor}`],
      [api, `partner_id=${id}&cursor=${own}`],
      [api, `partner_id=${id}&cursor=${ofPartner.next_cursor}`],
    ] as const) {
      const { status, body } = await by.get(`/orders/?${query}`)
      expect([query, status, body.error?.reason]).toEqual([query, 400, 'INVALID_CURSOR'])
    }
  })

  it('is counted by the check-up as one of a list without filters', async () => {
    const { id, api } = await openLimited()
    for (let n = 0; n < 2; n++) await orderOf(api)
    const { headers } = await api.get('/orders/?limit=1')
    const row = env.DB_DEMO.prepare('select list_page from audit_log where request_id = ?')
    expect(await row.bind(headers.get('X-Request-Id')).first('list_page')).toBe('first')
    expect(id).toBeTruthy()
  })
})

describe('a limited key of release 1.0', () => {
  it('lists its own orders, and no others', async () => {
    const { api, key } = await openLimited({ default_identifier_field: 'order_number' })
    const { order_number } = await orderOf(api)
    const other = await orderOf(admin)
    await admin.put(`${KEYS}${key.id}/`, { release: '1.0' })
    expect(await numbersIn(api)).toEqual([order_number])
    expect(await numbersIn(api, '?status=shipped')).toEqual([order_number])
    expect((await api.get(path('orders', other.order_number))).status).toBe(404)
  })
})

describe('a limited key whose partner is gone', () => {
  it("sees the partner's orders and no others, whoever deleted it", async () => {
    const { id, api } = await openLimited()
    const { order_number } = await orderOf(api)
    const other = await orderOf(admin)
    await env.DB_DEMO.prepare("update partners set deleted_at = 'now' where id = ?").bind(id).run()
    expect(await numbersIn(api)).toEqual([order_number])
    expect((await api.get(path('orders', other.order_number))).status).toBe(404)
  })
})

describe('a request of a limited key that is sent again', () => {
  it("reaches no other's order, although the administrator's key does", async () => {
    const { api, key } = await openKept({ of: 'errors', days: 7 })
    await admin.put(`${KEYS}${key.id}/`, { own_orders_only: true })
    const { order_number } = await orderOf(admin)
    const refused = await api.put(path('orders', order_number), { notes: 'seized' })
    expect(refused.status).toBe(404)
    const again = () => admin.post(`${SETTINGS}/audit-log/${idOf(refused)}/send-again/`, {})
    expect((await again()).body.data.status).toBe(404)
    expect(dataOf(await admin.get(path('orders', order_number)), 200).notes).toBeNull()
    await admin.put(`${KEYS}${key.id}/`, { own_orders_only: false })
    expect((await again()).body.data.status).toBe(200)
  })

  it('creates an order of the partner, which the key sees', async () => {
    const { api, key } = await openKept({ of: 'errors', days: 7 })
    await admin.put(`${KEYS}${key.id}/`, { own_orders_only: true })
    const sku = unique('later')
    const order = { order_number: unique('O'), items: [{ sku_code: sku, quantity: 1 }] }
    const refused = await api.post('/orders/', order)
    await createProduct(admin, { sku })
    const sent = await admin.post(`${SETTINGS}/audit-log/${idOf(refused)}/send-again/`, {})
    expect(sent.body.data.status).toBe(201)
    expect((await numbersIn(api)).includes(order.order_number)).toBe(true)
  })
})

describe('Server-Timing of a limited key', () => {
  it('tells no rows, which would tell of orders that it does not see', async () => {
    const { key } = await openLimited()
    const { headers } = await client(key.key).get('/orders/')
    expect(headers.get('Server-Timing')).toMatch(
      /^key;desc="\w+", d1;dur=\d+;desc="round trips \d"$/,
    )
  })
})
