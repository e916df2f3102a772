import { beforeAll, describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { routesBelow } from '../fixtures/routes.ts'
import { issueKey } from '../fixtures/settings.ts'
import { allRows, oneValue } from '../fixtures/sql.ts'
import { type Answer, type Api, client, type Json, openAdmin, unique } from '../fixtures/tenant.ts'
import { createOrder, createProduct, dataOf, path } from '../fixtures/warehouse.ts'

// A key with own_orders_only, at each endpoint of orders: another's order is to it like one that nobody has made.

const BASE = '/api/integrations/v1/orders/'
const LISTS = ['', '?limit=1', '?status=pending', '?status=pending,shipped', '?external_order_id=E']
const RANGES = ['?created_from=2026-01-01', '?created_to=2100-01-01']

let limited: Api
let partner: string
let whole: Api
let others: Json[]
let otherIds: string[]
let items: Json[]

type Ask = (api: Api, order: Json) => Promise<Answer>

/** By method and path: what asks for an order, or for several. */
const ASKED: Record<string, Ask[]> = {
  [`POST ${BASE}`]: [
    (api, { order_number }) => api.post('/orders/', { order_number, items }),
    (api, { order_number }) =>
      api.post('/orders/', { order_number, items, external_order_id: 'E' }),
  ],
  [`GET ${BASE}`]: [
    ...[...LISTS, ...RANGES].map(
      (query): Ask =>
        (api) =>
          api.get(`/orders/${query}`),
    ),
    (api) => api.get(`/orders/?partner_id=${otherIds[0]}`),
    (api, { order_number }) => api.get(`/orders/?order_number=${order_number}`),
    (api) => api.get(`/orders/?partner_id=${otherIds[0]}&created_from=2026-01-01`),
  ],
  [`GET ${BASE}:identifier/`]: [
    (api, order) => api.get(path('orders', order.order_number)),
    (api, order) =>
      api.get(path('orders', order.order_number), { headers: { 'If-None-Match': '*' } }),
  ],
  [`PUT ${BASE}:identifier/`]: [
    (api, order) => api.put(path('orders', order.order_number), { notes: 'seized' }),
    (api, order) => api.put(path('orders', order.order_number), { status: 'verified' }),
    (api, order) => api.put(path('orders', order.order_number), {}),
    ...['"1.0"', '"99.0"', '*'].map((tag): Ask => {
      const headers = { 'If-Match': tag }
      return (api, order) =>
        api.put(path('orders', order.order_number), { notes: 'x' }, { headers })
    }),
  ],
  [`DELETE ${BASE}:identifier/`]: [
    (api, order) => api.delete(path('orders', order.order_number), { reason: 'seized' }),
    (api, order) =>
      api.delete(path('orders', order.order_number), {}, { headers: { 'If-Match': '"99.0"' } }),
  ],
}

beforeAll(async () => {
  const own = await openPartner({ own_orders_only: true })
  const [first, second] = [await openPartner(), await openPartner({ own_orders_only: true })]
  limited = own.api
  partner = own.id
  whole = await openAdmin()
  items = [{ sku_code: (await createProduct(whole)).sku, quantity: 1 }]
  const external_order_id = 'E'
  others = [
    await createOrder(first.api, { items, external_order_id }),
    await createOrder(second.api, { items, external_order_id }),
    await createOrder(whole, { items, external_order_id }),
  ]
  otherIds = [first.id, second.id]
})

const stored = async () => await allRows('select * from orders order by seq')

/** Without what names the order that was asked for, and the request. */
function toldOf({ status, headers, body }: Answer, order_number: string): Json {
  const timing = headers.get('Server-Timing')?.replace(/dur=\d+/, '')
  const { request_id, ...rest } = body
  return JSON.parse(JSON.stringify([status, timing, rest]).replaceAll(order_number, 'NUMBER'))
}

it('knows every endpoint of orders', () => {
  expect(Object.keys(ASKED).toSorted()).toEqual(routesBelow(BASE))
})

describe.each(sample(Object.entries(ASKED), 3))('%s', (endpoint, asks) => {
  it("tells and changes nothing of others' orders", async () => {
    const before = await stored()
    for (const ask of asks) {
      for (const order of others) {
        const answer = await ask(limited, order)
        for (const { id, customer_name, created_at } of others) {
          for (const told of [id, customer_name, created_at].filter(Boolean)) {
            expect(answer.text).not.toContain(told)
          }
        }
        for (const id of otherIds) expect(answer.text).not.toContain(id)
      }
    }
    expect(await stored()).toEqual(before)
  })

  it("answers alike about another partner's order, one of no partner, and an unknown one", async () => {
    if (endpoint.startsWith('POST')) return
    for (const ask of asks) {
      const unknown = { order_number: unique('unknown') }
      const expected = toldOf(await ask(limited, unknown), unknown.order_number)
      for (const order of others) {
        expect(toldOf(await ask(limited, order), order.order_number)).toEqual(expected)
      }
      const { status, body } = await ask(limited, unknown)
      if (status === 200) expect(body.data).toEqual([])
      else expect([status, body.error.code]).toEqual([404, 'NOT_FOUND'])
    }
  })

  it('shows the same to a key without the limit', async () => {
    const order = others[0]
    const { status, text } = await (asks[0] as Ask)(whole, order)
    if (endpoint.startsWith('POST')) expect(status).toBe(400)
    else expect([status, text.includes(order.order_number)]).toEqual([200, true])
  })
})

describe.each(sample(['text/csv', 'application/x-ndjson'], 1))('GET %s of orders', (Accept) => {
  it.each(['', '?status=pending', '?external_order_id=E', '?created_from=2026-01-01'])(
    "has own orders and no other's: %s",
    async (query) => {
      const own = await createOrder(limited, { items, external_order_id: 'E' })
      const text = markupOf(await limited.get(`/orders/${query}`, { headers: { Accept } }))
      expect(text).toContain(own.order_number)
      for (const { order_number } of others) expect(text).not.toContain(order_number)
    },
  )
})

describe('a cursor of own orders', () => {
  it.each(['', '&status=pending', '&created_from=2026-01-01'])(
    'is refused for another partner, and for all orders: limit=1%s',
    async (query) => {
      const admin = await openAdmin()
      const partner = await openPartner()
      const fields = { name: unique('other'), partner_id: partner.id, own_orders_only: true }
      const stranger = client((await issueKey(admin, fields)).key)
      for (const by of [limited, limited, stranger, stranger]) await createOrder(by, { items })
      const at = `/orders/?limit=1${query}`
      const { next_cursor } = (await limited.get(at)).body.pagination
      expect((await limited.get(`${at}&cursor=${next_cursor}`)).status).toBe(200)
      for (const other of [stranger, admin]) {
        expectInvalid(await other.get(`${at}&cursor=${next_cursor}`), 'cursor')
      }
    },
  )
})

describe(`POST ${BASE}`, () => {
  it("is refused alike for a number of one's own order and of another's", async () => {
    const own = await createOrder(limited, { items })
    const answers = []
    for (const { order_number } of [own, ...others]) {
      answers.push(toldOf(await limited.post('/orders/', { order_number, items }), order_number))
    }
    expect(new Set(answers.map((told) => JSON.stringify(told))).size).toBe(1)
    const message = 'An order with the number "NUMBER" already exists.'
    const [status, , { error }] = answers[0]
    expect([status, error.code, error.fields]).toEqual([
      400,
      'VALIDATION_ERROR',
      { order_number: [message] },
    ])
  })

  it('creates an order of the partner, which all of its keys see, and only they', async () => {
    const { id, order_number } = await createOrder(limited, { items })
    expect(await oneValue('select partner_id from orders where id = ?', id)).toBe(partner)
    expect(dataOf(await limited.get(path('orders', order_number)), 200).id).toBe(id)
    expect(dataOf(await limited.delete(path('orders', order_number)), 200).id).toBe(id)
  })
})
