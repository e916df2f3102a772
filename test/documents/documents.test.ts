import { describe, expect, it } from 'vitest'
import { createOrder, dataOf, ID, path, TIME, without } from '../resources/warehouse.ts'
import { type Answer, type Json, unique } from '../tenant.ts'
import { changed, unreadOf, valueAt } from './paths.ts'
import {
  EDI,
  MIRAKL,
  openShape,
  SHAPES,
  SHOPIFY,
  type Shape,
  sourcesOf,
  WOOCOMMERCE,
} from './shapes.ts'

const UNREAD = 'The mapping does not read it: it had no effect.'

function item(sku: string, quantity: number, notes: string | null) {
  const verified = { verified_quantity: 0, verification_status: 'pending' }
  return { id: ID, sku: { sku }, quantity, notes, ...verified }
}

function newOrder(fields: object) {
  const none = { cancelled_at: null, cancel_reason: null }
  return { id: ID, status: 'pending', created_at: TIME, updated_at: TIME, ...none, ...fields }
}

function namesOf(answer: Answer): string[] {
  return answer.body.warnings.map(({ field }: Json) => field)
}

/** Posts the document; gives the whole order, as it is without any mapping. */
async function place(shape: Shape, edit: (document: Json) => Json = (document) => document) {
  const opened = await openShape(shape)
  const document = edit(opened.document)
  const answer = await opened.api.post('/orders/', document)
  dataOf(answer, 201)
  const number = valueAt(document, shape.number)
  const whole = async () => dataOf(await opened.admin.get(path('orders', number)), 200)
  const identifier = String(valueAt(document, shape.identifier))
  return { ...opened, document, answer, identifier, whole, order: await whole() }
}

/** Posts the document, which must be refused and leave no order behind. */
async function refuse(shape: Shape, edit: (document: Json) => Json): Promise<Answer> {
  const { api, admin, document } = await openShape(shape)
  const answer = await api.post('/orders/', edit(document))
  const left = await admin.get(path('orders', valueAt(document, shape.number)))
  expect(left.status).toBe(404)
  expect(answer.body.detail).toBe(answer.body.error.message)
  return answer
}

function expectMappingError(answer: Answer, ...problems: object[]) {
  expect({ status: answer.status, error: answer.body.error }).toStrictEqual({
    status: 422,
    error: { code: 'MAPPING_ERROR', message: expect.any(String), problems },
  })
}

function expectFieldError(
  answer: Answer,
  code: string,
  field: string,
  source: string,
  message: string | RegExp,
) {
  expect({ status: answer.status, error: answer.body.error }).toStrictEqual({
    status: 400,
    error: {
      code,
      message: expect.any(String),
      fields: { [field]: [typeof message === 'string' ? message : expect.stringMatching(message)] },
      source: { [field]: source },
    },
  })
}

describe.each(SHAPES)('an order document of $name', (shape) => {
  const { document, mapping, lines, sku, quantity } = shape

  it('is found again by what its partner calls it', async () => {
    const { api, identifier, answer } = await place(shape)
    const found = await api.get(path('orders', identifier))
    expect(dataOf(found, 200)).toStrictEqual(answer.body.data)
  })

  it('keeps its lines in order, one for one', async () => {
    const { document, order } = await place(shape)
    const [array, name] = [lines, sku.slice(`${lines}[1].`.length)]
    const skus = valueAt(document, array).map((line: Json) => valueAt(line, name))
    expect(order.items.map((line: Json) => line.sku.sku)).toEqual(skus)
  })

  it('names every field that the mapping does not read, at most 100', async () => {
    const { answer } = await place(shape)
    const unread = unreadOf(document, sourcesOf(mapping))
    const listed = namesOf(answer).slice(0, 100)
    expect(unread).toEqual(expect.arrayContaining(listed))
    expect(new Set(listed).size).toBe(Math.min(unread.length, 100))
    const message = `${unread.length - 100} more warnings are not listed.`
    const last = unread.length > 100 ? [{ field: 'warnings', message }] : []
    expect(answer.body.warnings.slice(100)).toEqual(last)
  })

  it('is refused a second time: the order number exists', async () => {
    const { api, document, order } = await place(shape)
    const again = await api.post('/orders/', document)
    const { number } = shape
    expectFieldError(again, 'VALIDATION_ERROR', 'order_number', number, /already exists\.$/)
    expect(again.body.error.message).toContain(order.order_number)
  })

  it('is refused with a quantity sent as text, which is never converted', async () => {
    let sent: Json
    const answer = await refuse(shape, (document) => {
      sent = changed(document, quantity, '2')
      return sent
    })
    const message = 'Must be an integer, not a string.'
    expectFieldError(answer, 'VALIDATION_ERROR', 'items[1].quantity', quantity, message)
    expect(valueAt(sent, answer.body.error.source['items[1].quantity'])).toBe('2')
  })

  it('is refused with a SKU that no product has', async () => {
    const stranger = unique('STRANGER')
    const answer = await refuse(shape, (document) => changed(document, sku, stranger))
    const message = `No product has the SKU "${stranger}".`
    expectFieldError(answer, 'SERVICE_ERROR', 'items[1].sku_code', sku, message)
  })

  it('is refused without a single line', async () => {
    const answer = await refuse(shape, (document) => changed(document, lines, []))
    expectFieldError(answer, 'VALIDATION_ERROR', 'items', lines, 'Must have at least 1 entry.')
  })

  it('is refused with one line that is not in an array', async () => {
    const answer = await refuse(shape, (document) =>
      changed(document, lines, valueAt(document, lines)[0]),
    )
    const { problems, message } = answer.body.error
    const wrong = { reason: 'TYPE_MISMATCH', at: lines, expected: 'array', found: 'object' }
    expectMappingError(answer, ...problems.map(() => expect.objectContaining(wrong)))
    expect(problems.map(({ rule }: Json) => rule)).toContain('items[].sku_code')
    expect(message).toContain(`${lines}: The mapping expects an array here, not an object.`)
  })

  it('is refused with a line that is no object', async () => {
    const at = `${lines}[1]`
    const answer = await refuse(shape, (document) => changed(document, at, 'SKU 2'))
    const wrong = { reason: 'TYPE_MISMATCH', at, expected: 'object', found: 'string' }
    const { problems } = answer.body.error
    expectMappingError(answer, ...problems.map(() => expect.objectContaining(wrong)))
    expect(problems.map(({ rule }: Json) => rule)).toContain('items[].sku_code')
  })
})

describe.each([SHOPIFY, EDI, MIRAKL])(
  'an order document of $name, whose number is required',
  (shape) => {
    it('is refused without its number', async () => {
      const at = shape.number
      const answer = await refuse(shape, (document) => changed(document, at))
      const [reason, rule] = ['SOURCE_MISSING', 'order_number']
      expectMappingError(answer, { reason, rule, at, expected: 'value', found: 'nothing' })
      expect(answer.body.error.message).toBe(`${at}: Is missing, and the mapping requires it.`)
    })

    it('is refused when one of its lines has no SKU', async () => {
      const at = shape.sku
      const answer = await refuse(shape, (document) => changed(document, at))
      const [reason, rule] = ['SOURCE_MISSING', 'items[].sku_code']
      expectMappingError(answer, { reason, rule, at, expected: 'value', found: 'nothing' })
    })

    it('is refused with a null for its number, by the check and not by the mapping', async () => {
      const { number } = shape
      const answer = await refuse(shape, (document) => changed(document, number, null))
      const message = 'Must be a string, not null.'
      expectFieldError(answer, 'VALIDATION_ERROR', 'order_number', number, message)
    })
  },
)

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

  it('refuses an address that is null, into which the mapping writes', async () => {
    const answer = await refuse(SHOPIFY, (document) => changed(document, 'shipping_address', null))
    expectMappingError(answer, {
      reason: 'TARGET_CONFLICT',
      rule: 'customer_info.email',
      at: 'customer_info',
      source: 'shipping_address',
      expected: 'object',
      found: 'null',
    })
  })

  it('refuses a line of which the SKU is null, as of one that was typed in by hand', async () => {
    const answer = await refuse(SHOPIFY, (document) => changed(document, SHOPIFY.sku, null))
    const message = 'Must be a string, not null.'
    expectFieldError(answer, 'VALIDATION_ERROR', 'items[1].sku_code', SHOPIFY.sku, message)
  })

  it('refuses a date that is none, and says where it stands', async () => {
    const source = 'note_attributes[0].value'
    const answer = await refuse(SHOPIFY, (document) => changed(document, source, 'next Friday'))
    expectFieldError(answer, 'VALIDATION_ERROR', 'due_date', source, /ISO 8601/)
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
    expectMappingError(refused, {
      reason: 'SOURCE_MISSING',
      rule: 'metadata.shopify_id',
      at: 'id',
      expected: 'value',
      found: 'nothing',
    })
    expect(await whole()).toStrictEqual(dataOf(answer, 200))
  })
})

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
    expectFieldError(answer, 'VALIDATION_ERROR', 'order_number', 'number', message)
  })

  it('refuses a line of which the SKU is empty, as of a product that has none', async () => {
    const answer = await refuse(WOOCOMMERCE, (document) => changed(document, WOOCOMMERCE.sku, ''))
    expectFieldError(
      answer,
      'VALIDATION_ERROR',
      'items[1].sku_code',
      WOOCOMMERCE.sku,
      'Must have at least 1 character.',
    )
  })

  it('refuses an array where PHP has made one of an empty object', async () => {
    const answer = await refuse(WOOCOMMERCE, (document) => changed(document, 'shipping', []))
    expectMappingError(answer, {
      reason: 'TARGET_CONFLICT',
      rule: 'customer_info.email',
      at: 'customer_info',
      source: 'shipping',
      expected: 'object',
      found: 'array of 0',
    })
  })

  it('refuses an option whose text is an object', async () => {
    const source = 'line_items[0].meta_data[0].display_value'
    const answer = await refuse(WOOCOMMERCE, (document) => changed(document, source, { a: 1 }))
    const message = 'Must be a string, not an object.'
    expectFieldError(answer, 'VALIDATION_ERROR', 'items[0].notes', source, message)
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
    expect(answer.body.warnings).toStrictEqual([{ field: 'status', message: UNREAD }])
    expect(await whole()).toStrictEqual(order)
  })

  it('takes the whole document again, and names the lines among what had no effect', async () => {
    const { api, document, identifier, order, whole } = await place(WOOCOMMERCE)
    const answer = await api.put(path('orders', identifier), document)
    dataOf(answer, 200)
    const lines = answer.body.warnings.find(({ field }: Json) => field === 'items')
    expect(lines).toMatchObject({ field: 'items', source: 'line_items' })
    expect(await whole()).toStrictEqual({ ...order, updated_at: TIME })
  })

  it('refuses a note that is a number, and says which', async () => {
    const { api, identifier, order, whole } = await place(WOOCOMMERCE)
    const answer = await api.put(path('orders', identifier), { customer_note: 7 })
    const message = 'Must be a string, not a number.'
    expectFieldError(answer, 'VALIDATION_ERROR', 'notes', 'customer_note', message)
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
    const { status, body } = await api.get(path('orders', identifier))
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: { success: true, data: shown(document) },
    })
    expect(body.data).not.toHaveProperty('carrier')
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
    expect({ status: first.status, body: first.body }).toStrictEqual({
      status: 200,
      body: {
        success: true,
        data: [summary(order_number, customer_name)],
        pagination: { limit: 1, next_cursor: expect.any(String) },
      },
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
        message: 'No order has the external_order_id "wc_order_nobody".',
      },
    })
    const again = await api.post('/orders/', document)
    expectFieldError(again, 'VALIDATION_ERROR', 'order_number', 'number', /already exists\.$/)
  })
})

describe('POST /orders/ with an EDI 850', () => {
  it('creates the order with every field that the mapping names', async () => {
    const { document, order } = await place(EDI)
    const [tape, foil, sample] = document['PO1-Loop'].map(({ PO1 }: Json) => PO1['PO1.07'])
    const line = { memo: '', currency: 'PLN' }
    expect(order).toStrictEqual(
      newOrder({
        order_number: document.BEG['BEG.03'],
        external_order_id: document.REF[2]['REF.02'],
        customer_name: 'Hurtownia Świt Sp. z o.o.',
        customer_info: {
          ship_to: {
            gln: '5909990012352',
            name: 'Hurtownia Świt – magazyn nr 7',
            street: ['ul. Próżna 19/21'],
            city: 'Łódź',
          },
          bill_to: document['N1-Loop'][2].N1,
          contact: 'Jadwiga Żółkiewska',
          phone: '+48 42 555 01 77',
        },
        notes: 'Awizacja 24h przed dostawą, rampa 7.',
        order_date: '2026-03-14T05:05:00.000Z',
        due_date: '2026-03-23T00:00:00.000Z',
        metadata: {
          source: 'edi-850',
          run: 9120031007765,
          test: false,
          references: [
            { qualifier: 'DP', value: '210' },
            { qualifier: 'IA', value: 'V-88012' },
            { qualifier: 'CO', value: document.REF[2]['REF.02'] },
            { qualifier: 'ZZ', value: '' },
          ],
          dates: document.DTM,
          'BEG.05': '20260314',
          lines: [
            {
              ...line,
              number: 1,
              unit: 'EA',
              price: '12.50',
              text: ['Taśma pakowa 50 mm, brązowa'],
              schedule: [{ quantity: 24, date: '20260323' }],
            },
            {
              ...line,
              number: 2,
              unit: 'CA',
              price: '118.0000',
              text: ['Folia stretch 23 µm', 'przezroczysta', 'rolka 300 m'],
              schedule: [
                { quantity: 4, date: '20260323' },
                { quantity: 2, date: '20260330' },
              ],
            },
            { ...line, number: 3, unit: 'EA', price: '0', text: [], schedule: [] },
          ],
          terms: { fob: document.FOB, payment: document.ITD, carrier: 'DHLF' },
          totals: document['CTT-Loop'],
          envelope: {
            control: '000009917',
            group: 9917,
            set: '0001',
            segments: 41,
            sets: 1,
            groups: 1,
          },
        },
        items: [
          item(tape, 24, 'Taśma pakowa 50 mm, brązowa'),
          item(foil, 6, 'Folia stretch 23 µm'),
          item(sample, 1, null),
        ],
      }),
    )
  })

  it('refuses segments that it does not know, each by its name', async () => {
    const answer = await refuse(EDI, (document) => ({
      ...document,
      'SPI-Loop': [],
      'MAN.01': { 'MAN.01': 'GM' },
    }))
    const reason = 'UNMAPPED_FIELD'
    expectMappingError(answer, { reason, at: 'SPI-Loop' }, { reason, at: "['MAN.01']" })
  })

  it('refuses a date as EDI writes it, since nothing converts it', async () => {
    const source = 'Export.RequestedDelivery'
    const answer = await refuse(EDI, (document) => changed(document, source, '20260323'))
    expectFieldError(answer, 'VALIDATION_ERROR', 'due_date', source, /ISO 8601/)
  })

  it('refuses a party that comes without its array', async () => {
    const answer = await refuse(EDI, (document) =>
      changed(document, 'N1-Loop', document['N1-Loop'][0]),
    )
    const { problems } = answer.body.error
    const wrong = { reason: 'TYPE_MISMATCH', at: 'N1-Loop', expected: 'array', found: 'object' }
    expectMappingError(answer, ...problems.map(() => expect.objectContaining(wrong)))
    expect(problems).toHaveLength(6)
  })

  it('leaves out what a party that is not there would have said', async () => {
    const { order } = await place(EDI, (document) => changed(document, 'N1-Loop', []))
    expect(order.customer_name).toBeNull()
    const { contact, phone } = order.customer_info
    expect(order.customer_info).toStrictEqual({ contact, phone })
  })
})

describe('POST /orders/ with a feed of Mirakl', () => {
  it('creates the order with every field that the mapping names', async () => {
    const { document, order } = await place(MIRAKL)
    const [sent] = document.orders
    const [lamp, bulb, cable] = sent.order_lines
    expect(order).toStrictEqual(
      newOrder({
        order_number: sent.order_id,
        external_order_id: sent.commercial_id,
        customer_name: 'Lefèvre-Bœuf',
        customer_info: {
          ...sent.customer.shipping_address,
          email: 'notification-7k2@example.com',
        },
        notes: 'Joyeux anniversaire, Maëlle ! 🎂',
        order_date: '2026-03-14T09:30:30.000Z',
        due_date: '2026-03-16T22:59:59.999Z',
        metadata: {
          marketplace: 'mirakl',
          labels: ['marketplace', null, { tier: 1 }],
          state: 'SHIPPING',
          channel: { code: 'FR', label: 'Site français' },
          seller_reference: '',
          delivery: { earliest: '2026-03-17T22:59:59.999Z', latest: '2026-03-19T22:59:59.999Z' },
          total: 61.05,
          order_taxes: [],
          line_ids: [1, 2, 3].map((line) => `${sent.order_id}-${line}`),
          reasons: [null, null, null],
          wrap: [{ value: 'true' }, {}, {}],
          tax_codes: [['TVA20'], ['TVA20', 'DEEE'], []],
        },
        items: [
          item(lamp.offer_sku, 1, 'Lampe de table « Été »'),
          item(bulb.offer_sku, 3, 'Ampoule E27 4 W'),
          item(cable.offer_sku, 12, 'Câble textile, 2 m'),
        ],
      }),
    )
  })

  it('takes the first of several orders, and says that others were not read', async () => {
    const { answer, order, document } = await place(MIRAKL, (document) => ({
      orders: [...document.orders, { ...document.orders[0], order_id: unique('SECOND') }],
      total_count: 2,
    }))
    expect(order.order_number).toBe(document.orders[0].order_id)
    expect(namesOf(answer)).toContain('orders[]')
  })

  it('refuses a feed without orders', async () => {
    const answer = await refuse(MIRAKL, () => ({ orders: [], total_count: 0 }))
    const missing = { reason: 'SOURCE_MISSING', expected: 'value', found: 'nothing' }
    expectMappingError(
      answer,
      { ...missing, rule: 'order_number', at: 'orders[0].order_id' },
      { ...missing, rule: 'items[].sku_code', at: 'orders[0].order_lines' },
    )
  })

  it('refuses half a piece', async () => {
    const { quantity } = MIRAKL
    const answer = await refuse(MIRAKL, (document) => changed(document, quantity, 1.5))
    const message = 'Must be an integer, not a fraction.'
    expectFieldError(answer, 'VALIDATION_ERROR', 'items[1].quantity', quantity, message)
  })
})
