import { describe, expect, it } from 'vitest'
import { conflict } from '../../fixtures/mapped.ts'
import { type Json, unique } from '../../fixtures/tenant.ts'
import { createOrder, dataOf, expectData, path, TIME } from '../../fixtures/warehouse.ts'
import { expectFieldError, expectMappingError, item, newOrder, place, refuse } from './orders.ts'
import { changed } from './paths.ts'
import { WOOCOMMERCE } from './shapes.ts'

describe('POST /orders/ with a WooCommerce order', () => {
  it('creates the order with every field that the mapping names', async () => {
    const { document, order } = await place(WOOCOMMERCE)
    const [glass, holder, sample] = document.line_items
    expect(order).toStrictEqual(
      newOrder({
        order_number: document.number,
        external_order_id: document.order_key,
        customer_name: 'Fjell & Fjord AS',
        customer_info: {
          ...document.shipping,
          email: 'soren@example.com',
          phone: '+47 400 00 123',
          billing: document.billing,
        },
        notes: 'Please pack the glasses well – they are a gift.',
        order_date: '2026-03-14T19:41:16.000Z',
        due_date: '2026-03-19T00:00:00.000Z',
        metadata: {
          channel: 'woocommerce',
          woo_id: document.id,
          total: '597.50',
          transaction: '',
          paid_at: '2026-03-14T19:41:57',
          completed_at: null,
          shipping: ['Hjemlevering'],
          coupons: [{ code: 'velkommen', amount: '10.00' }],
          fees: [],
          options: document.line_items.map(({ meta_data }: Json) => meta_data),
          link: `https://shop.example.com/wp-json/wc/v3/orders/${document.id}`,
        },
        items: [
          item(glass.sku, 2, 'S & Ø'),
          item(holder.sku, 1, 'Messing'),
          item(sample.sku, 1, null),
        ],
      }),
    )
  })

  it('refuses an order without its number', async () => {
    const answer = await refuse(WOOCOMMERCE, (document) => changed(document, 'number'))
    const message = 'This field is required.'
    expectFieldError(answer, 'order_number', 'number', message)
  })

  it('refuses a line of which the SKU is empty, as of a product that has none', async () => {
    const answer = await refuse(WOOCOMMERCE, (document) => changed(document, WOOCOMMERCE.sku, ''))
    expectFieldError(
      answer,
      'items[1].sku_code',
      WOOCOMMERCE.sku,
      'Must have at least 1 character.',
    )
  })

  it('refuses an array where PHP has made one of an empty object', async () => {
    const answer = await refuse(WOOCOMMERCE, (document) => changed(document, 'shipping', []))
    expectMappingError(
      answer,
      conflict('customer_info.email', 'customer_info', 'object', 'array of 0', 'shipping'),
    )
  })

  it('refuses an option whose text is an object', async () => {
    const source = 'line_items[0].meta_data[0].display_value'
    const answer = await refuse(WOOCOMMERCE, (document) => changed(document, source, { a: 1 }))
    const message = 'Must be a string, not an object.'
    expectFieldError(answer, 'items[0].notes', source, message)
  })
})

describe('PUT /orders/{identifier}/ with words of WooCommerce', () => {
  it('updates the notes alone', async () => {
    const { api, identifier, order, whole } = await place(WOOCOMMERCE)
    const answer = await api.put(path('orders', identifier), { customer_note: 'Ring først!' })
    dataOf(answer, 200)
    expect(answer.body).not.toHaveProperty('warnings')
    expect(await whole()).toStrictEqual({ ...order, notes: 'Ring først!', updated_at: TIME })
  })

  it('updates the due date alone, read from within an array', async () => {
    const { api, identifier, order, whole } = await place(WOOCOMMERCE)
    const meta_data = [{ id: 310011, key: '_delivery_date', value: '2026-03-26' }]
    dataOf(await api.put(path('orders', identifier), { meta_data }), 200)
    const due_date = '2026-03-26T00:00:00.000Z'
    expect(await whole()).toStrictEqual({ ...order, due_date, updated_at: TIME })
  })

  it('clears what is null', async () => {
    const { api, identifier, order, whole } = await place(WOOCOMMERCE)
    dataOf(await api.put(path('orders', identifier), { customer_note: null }), 200)
    expect(await whole()).toStrictEqual({ ...order, notes: null, updated_at: TIME })
  })

  it('replaces the metadata as a whole when a word of it is there, its fixed value with it', async () => {
    const { api, identifier, order, whole } = await place(WOOCOMMERCE)
    dataOf(await api.put(path('orders', identifier), { transaction_id: 'V-9' }), 200)
    const metadata = { channel: 'woocommerce', transaction: 'V-9' }
    expect(await whole()).toStrictEqual({ ...order, metadata, updated_at: TIME })
  })

  it('leaves the status alone, which the shop counts in words of its own', async () => {
    const { api, identifier, order, whole } = await place(WOOCOMMERCE)
    const answer = await api.put(path('orders', identifier), { status: 'completed' })
    dataOf(answer, 200)
    expect(answer.body).not.toHaveProperty('warnings')
    expect(await whole()).toStrictEqual(order)
  })

  it('takes the whole document again, and says nothing of lines that are the same', async () => {
    const { api, document, identifier, order, whole } = await place(WOOCOMMERCE)
    const answer = await api.put(path('orders', identifier), document)
    dataOf(answer, 200)
    expect(answer.body.warnings.map(({ field }: Json) => field)).not.toContain('items')
    expect(await whole()).toStrictEqual({ ...order, updated_at: TIME })
  })

  it('refuses a note that is a number, and says which', async () => {
    const { api, identifier, order, whole } = await place(WOOCOMMERCE)
    const answer = await api.put(path('orders', identifier), { customer_note: 7 })
    const message = 'Must be a string, not a number.'
    expectFieldError(answer, 'notes', 'customer_note', message)
    expect(await whole()).toStrictEqual(order)
  })
})

describe('orders as WooCommerce wants to see them', () => {
  const shown = (document: Json) => ({
    number: document.number,
    order_key: document.order_key,
    status: 'pending',
    date_created_gmt: TIME,
    customer_note: document.customer_note,
    billing: document.billing,
    line_items: document.line_items.map(({ sku, quantity, meta_data }: Json) => ({
      sku,
      quantity,
      meta_data: [{ key: 'note', display_value: meta_data[0]?.display_value ?? null }],
    })),
    id: document.id,
    store: 'crossdock',
  })

  it('answers to POST with the order in their words', async () => {
    const { document, answer } = await place(WOOCOMMERCE)
    expect(answer.body).toStrictEqual({
      success: true,
      data: shown(document),
      warnings: expect.any(Array),
    })
  })

  it('gives one order, and leaves out what it has not', async () => {
    const { api, document, identifier } = await place(WOOCOMMERCE)
    const answer = await api.get(path('orders', identifier))
    expectData(answer, 200, shown(document))
    expect(answer.body.data).not.toHaveProperty('carrier')
  })

  it('shows a field as soon as the order has it', async () => {
    const { api, admin, document, identifier } = await place(WOOCOMMERCE)
    const metadata = { woo_id: document.id, carrier: { code: 'BRING' } }
    dataOf(await admin.put(path('orders', document.number), { metadata }), 200)
    const { carrier } = dataOf(await api.get(path('orders', identifier)), 200)
    expect(carrier).toBe('BRING')
  })

  it('lists summaries in the same words, and pages through them', async () => {
    const { api, document } = await place(WOOCOMMERCE)
    const { admin } = await place(WOOCOMMERCE)
    const { order_number, customer_name } = await createOrder(admin, { customer_name: 'Kim' })
    const summary = (number: string, company: string | null) => ({
      number,
      status: 'pending',
      date_created_gmt: TIME,
      billing: { company },
      store: 'crossdock',
    })
    const first = await api.get('/orders/?limit=1')
    expectData(first, 200, [summary(order_number, customer_name)], {
      pagination: { limit: 1, next_cursor: expect.any(String) },
    })
    const cursor = encodeURIComponent(first.body.pagination.next_cursor)
    const second = await api.get(`/orders/?limit=2&cursor=${cursor}`)
    expect(dataOf(second, 200)).toHaveLength(2)
    expect(second.body.data[1]).toStrictEqual(summary(document.number, 'Fjell & Fjord AS'))
    expect(second.body.pagination.limit).toBe(2)
  })

  it('leaves out the parts of an order that another partner has sent', async () => {
    const { api, admin } = await place(WOOCOMMERCE)
    const external_order_id = unique('EXT')
    const other = await createOrder(admin, { external_order_id })
    const [{ sku }] = other.items
    const line = { sku: sku.sku, quantity: 1, meta_data: [{ key: 'note', display_value: null }] }
    expect(dataOf(await api.get(path('orders', external_order_id)), 200)).toStrictEqual({
      number: other.order_number,
      order_key: external_order_id,
      status: 'pending',
      date_created_gmt: TIME,
      customer_note: null,
      billing: { company: null },
      line_items: [line],
      store: 'crossdock',
    })
  })

  it('answers to PUT and DELETE in their words', async () => {
    const { api, document, identifier } = await place(WOOCOMMERCE)
    const put = await api.put(path('orders', identifier), { customer_note: 'x' })
    expect(dataOf(put, 200)).toStrictEqual({ ...shown(document), customer_note: 'x' })
    const gone = await api.delete(path('orders', identifier), { reason: 'Sold out.' })
    const cancelled = { ...shown(document), customer_note: 'x', status: 'cancelled' }
    expect(dataOf(gone, 200)).toStrictEqual(cancelled)
  })

  it('leaves errors as they are', async () => {
    const { api, document } = await place(WOOCOMMERCE)
    const missing = await api.get('/orders/wc_order_nobody/')
    expect({ status: missing.status, error: missing.body.error }).toStrictEqual({
      status: 404,
      error: {
        code: 'NOT_FOUND',
        reason: 'UNKNOWN_RECORD',
        message: 'No order has the external_order_id "wc_order_nobody".',
      },
    })
    const again = await api.post('/orders/', document)
    expectFieldError(again, 'order_number', 'number', /already exists\.$/, {
      reason: 'DUPLICATE_ORDER_NUMBER',
    })
  })
})
