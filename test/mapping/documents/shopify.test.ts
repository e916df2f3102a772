import { describe, expect, it } from 'vitest'
import { conflict, missing } from '../../fixtures/mapped.ts'
import type { Json } from '../../fixtures/tenant.ts'
import { dataOf, path, TIME, without } from '../../fixtures/warehouse.ts'
import {
  expectFieldError,
  expectMappingError,
  item,
  namesOf,
  newOrder,
  place,
  refuse,
  UNREAD,
} from './orders.ts'
import { changed } from './paths.ts'
import { SHOPIFY } from './shapes.ts'

describe('POST /orders/ with a Shopify order', () => {
  it('creates the order with every field that the mapping names', async () => {
    const { document, order } = await place(SHOPIFY)
    const [mug, bowl, card] = document.line_items
    expect(order).toStrictEqual(
      newOrder({
        order_number: document.name,
        external_order_id: `gid://shopify/Order/${document.id}`,
        customer_name: 'Zoë Ångström-Okafor',
        customer_info: {
          ...document.shipping_address,
          email: 'zoe@example.com',
          locale: 'sv-SE',
        },
        notes: 'Ring klockan två gånger 🔔🔔\nLeave with the neighbour, please.',
        order_date: '2026-03-14T17:22:07.000Z',
        due_date: '2026-03-20T00:00:00.000Z',
        metadata: {
          shopify_id: document.id,
          channel: 'shopify',
          tags: 'gift, newsletter, vip',
          po_number: null,
          source_name: 'web',
          price: { amount: '98.50', currency: 'EUR' },
          gateways: ['shopify_payments', 'gift_card'],
          discounts: ['VÅR-2026'],
          refunds: [],
          last_shipping: 'Hemleverans',
          lines: [
            { id: 15501001770011, taxes: [{ title: 'Moms', price: '5.00' }], currency: 'EUR' },
            {
              id: 15501001770012,
              taxes: [
                { title: 'Moms', price: '9.70' },
                { title: 'Miljöavgift', price: '0.70' },
              ],
              currency: 'EUR',
            },
            { id: 15501001770013, taxes: [], currency: 'EUR' },
          ],
        },
        items: [item(mug.sku, 2, 'Till mormor ❤️'), item(bowl.sku, 1, null), item(card.sku, 4, '')],
      }),
    )
  })

  it('says once that a field had no effect, also where we have one of that name', async () => {
    const { answer } = await place(SHOPIFY)
    const warnings = answer.body.warnings.filter(({ field }: Json) => field === 'order_number')
    expect(warnings).toStrictEqual([{ field: 'order_number', message: UNREAD }])
  })

  it('creates the order when it is sent nowhere: what reads its address writes nothing', async () => {
    const { order } = await place(SHOPIFY, (document) =>
      without(changed(document, 'shipping_lines', []), 'shipping_address'),
    )
    expect(order.customer_name).toBeNull()
    expect(order.customer_info).toStrictEqual({ email: 'zoe@example.com', locale: 'sv-SE' })
    expect(order.metadata).not.toHaveProperty('last_shipping')
  })

  it('writes into an address that is null what other rules give', async () => {
    const { order } = await place(SHOPIFY, (document) =>
      changed(document, 'shipping_address', null),
    )
    expect(order.customer_info).toStrictEqual({ email: 'zoe@example.com', locale: 'sv-SE' })
  })

  it('refuses an address that is text, into which the mapping writes', async () => {
    const answer = await refuse(SHOPIFY, (document) =>
      changed(document, 'shipping_address', 'Umeå'),
    )
    const { problems } = answer.body.error
    expect(problems).toContainEqual(
      conflict('customer_info.email', 'customer_info', 'object', 'string', 'shipping_address'),
    )
  })

  it('refuses a line of which the required SKU is null, as of one that was typed in by hand', async () => {
    const answer = await refuse(SHOPIFY, (document) => changed(document, SHOPIFY.sku, null))
    expectMappingError(answer, missing('items[].sku_code', SHOPIFY.sku, 'null'))
  })

  it('refuses a date that is none, and says where it stands', async () => {
    const source = 'note_attributes[0].value'
    const answer = await refuse(SHOPIFY, (document) => changed(document, source, 'next Friday'))
    expectFieldError(answer, 'due_date', source, /ISO 8601/)
  })

  it('lists every fault of a document at once', async () => {
    const answer = await refuse(SHOPIFY, (document) => {
      const fewer = changed(document, 'line_items[0].quantity', 0)
      return changed(changed(fewer, 'line_items[2].sku', ' CARD'), 'customer_locale', 7)
    })
    const { fields, source } = answer.body.error
    expect(Object.keys(fields)).toEqual(['items[0].quantity', 'items[2].sku_code'])
    expect(source).toStrictEqual({
      'items[0].quantity': 'line_items[0].quantity',
      'items[2].sku_code': 'line_items[2].sku',
    })
  })
})

describe('PUT /orders/{identifier}/ with a Shopify order', () => {
  it('takes the whole document again: the header changes and the lines stay', async () => {
    const { api, document, identifier, order } = await place(SHOPIFY)
    const later = changed(changed(document, 'note', null), 'line_items[0].quantity', 9)
    const answer = await api.put(path('orders', identifier), later)
    expect(dataOf(answer, 200)).toStrictEqual({ ...order, notes: null, updated_at: TIME })
    expect(namesOf(answer)).toContain('line_items[].price')
  })

  it('asks for what the mapping requires only in fields that the document writes', async () => {
    const { api, identifier, order, whole } = await place(SHOPIFY)
    const answer = await api.put(path('orders', identifier), { note: 'Ring twice.' })
    const changed = { ...order, notes: 'Ring twice.', updated_at: TIME }
    expect(dataOf(answer, 200)).toStrictEqual(changed)

    const refused = await api.put(path('orders', identifier), { tags: 'late' })
    expectMappingError(refused, missing('metadata.shopify_id', 'id'))
    expect(await whole()).toStrictEqual(dataOf(answer, 200))
  })
})
