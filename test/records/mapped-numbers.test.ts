import { beforeAll, describe, expect, it } from 'vitest'
import { api } from '../fixtures/opened-api.ts'
import { openPartner } from '../fixtures/partner.ts'
import { type Answer, type Json, openAdmin, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct, dataOf, path } from '../fixtures/warehouse.ts'

// JSON.parse reads 820982911946154508 as 820982911946154500.
const ROUNDED = '820982911946154508'
const REFUSED = 'Has more digits than a JSON number keeps: send it as a string.'
const NO_DECIMAL =
  'Must be a decimal such as 12.50: at least 0, no leading zeros, at most 12 digits before and 6 after the point.'

let sku: string

beforeAll(async () => {
  sku = (await createProduct(api)).sku
})

/** An order as JSON text, since an object could not hold the numbers. */
function orderWith(members: string, number = unique('O')): string {
  const items = JSON.stringify([{ sku_code: sku, quantity: 1 }])
  return `{"order_number":"${number}","items":${items},${members}}`
}

function expectRefused(answer: Answer, field: string, message: string) {
  const found = { status: answer.status, fields: answer.body.error?.fields }
  expect(found).toEqual({ status: 400, fields: { [field]: [message] } })
}

/** The order with this number, as text: its numbers as they stand in it. */
async function textOf(number: string): Promise<string> {
  return (await api.get(path('orders', number))).text
}

describe('POST /orders/ with numbers that a double cannot hold', () => {
  it.each([
    [`"metadata":{"id":${ROUNDED}}`, 'metadata.id'],
    [`"metadata":{"a":[{"b":1},{"b":-${ROUNDED}}]}`, 'metadata.a[1].b'],
    ['"metadata":{"a":9007199254740993}', 'metadata.a'],
    // 2^60, which prints as 1152921504606847000.
    ['"metadata":{"a":1152921504606846976}', 'metadata.a'],
    ['"customer_info":{"a":[{"b":820982911946154508.5}]}', 'customer_info.a[0].b'],
    ['"customer_info":{"a":820982911946154508e0}', 'customer_info.a'],
    ['"customer_info":{"a":-1e400}', 'customer_info.a'],
    ['"customer_info":{"a":1e400}', 'customer_info.a'],
    ['"customer_info":{"a":1e-400}', 'customer_info.a'],
  ])('refuses %s by its path', async (members, field) => {
    const number = unique('O')
    expectRefused(await api.post('/orders/', orderWith(members, number)), field, REFUSED)
    expect((await api.get(path('orders', number))).status).toBe(404)
  })

  it('names 20 of them at most', async () => {
    const many = Array.from({ length: 30 }, () => ROUNDED).join()
    const { body } = await api.post('/orders/', orderWith(`"metadata":{"a":[${many}]}`))
    const fields = Array.from({ length: 20 }, (_, index) => `metadata.a[${index}]`)
    expect(Object.keys(body.error.fields)).toEqual(fields)
  })

  it.each([
    ['9007199254740992', '9007199254740992'],
    ['1152921504606847000', '1152921504606847000'],
    ['1.50', '1.5'],
    ['2e3', '2000'],
    ['0.1', '0.1'],
    ['-0.0', '0'],
    // What %.17g prints for 0.35 and 19.99.
    ['0.34999999999999998', '0.35'],
    ['-19.989999999999998', '-19.99'],
    ['0.1234567890123456789', '0.12345678901234568'],
    ['12345678901234567890e-5', '123456789012345.67'],
    ['9007199254740991.25', '9007199254740991'],
  ])('stores %s, which is the number %s', async (digits, stored) => {
    const number = unique('O')
    dataOf(await api.post('/orders/', orderWith(`"metadata":{"a":${digits}}`, number)), 201)
    expect(await textOf(number)).toContain(`"metadata":{"a":${stored}}`)
  })

  it('asks for text where the field is text, and says so of an amount', async () => {
    const order = await api.post('/orders/', orderWith(`"external_order_id":${ROUNDED}`))
    const message = 'Must be a string, not a number that is too large.'
    expectRefused(order, 'external_order_id', message)
    for (const digits of ['0.12345678901234567', '1e-7', '1e400', ROUNDED]) {
      const cost = await api.post('/products/', `{"sku":"${unique('S')}","cost":${digits}}`)
      expectRefused(cost, 'cost', NO_DECIMAL)
    }
  })

  it('sends nobody in a circle: an amount is refused as a text with the same message', async () => {
    const cost = await api.post('/products/', { sku: unique('S'), cost: '0.12345678901234567' })
    expectRefused(cost, 'cost', NO_DECIMAL)
  })
})

describe('PUT with numbers that a double cannot hold', () => {
  it('takes a number with more digits for the one that is stored', async () => {
    const order = dataOf(await api.post('/orders/', orderWith('"metadata":{"a":[0.35]}')), 201)
    const at = path('orders', order.order_number)
    const sent = '{"metadata":{"a":[0.34999999999999998]}}'
    expect(dataOf(await api.put(at, sent), 200).updated_at).toBe(order.updated_at)
    const { sku } = await createProduct(api, { custom_fields: { a: 0.35 } })
    const fields = '{"custom_fields":{"a":0.34999999999999998}}'
    const product = await api.put(path('products', sku), fields)
    expect(product.text).toContain('"custom_fields":{"a":0.35}')
  })

  it('refuses them by their path, and changes nothing', async () => {
    const number = unique('O')
    dataOf(await api.post('/orders/', orderWith('"metadata":{"a":1}', number)), 201)
    const answer = await api.put(path('orders', number), `{"metadata":{"a":${ROUNDED}}}`)
    expectRefused(answer, 'metadata.a', REFUSED)
    expect(await textOf(number)).toContain('"metadata":{"a":1}')
    const fields = `{"custom_fields":{"ean":${ROUNDED}}}`
    expectRefused(await api.put(path('products', sku), fields), 'custom_fields.ean', REFUSED)
  })
})

describe("a partner's document with numbers that a double cannot hold", () => {
  const LINES = { 'items[].sku_code': 'lines[].sku', 'items[].quantity': 'lines[].qty' }

  /** Sends the document, which has this text as its member `id`. */
  async function send(fields: object, id: string, more: object = {}) {
    const inbound = { unmapped: 'drop', fields: { order_number: 'nr', ...LINES, ...fields } }
    const partner = await openPartner({ mappings: { orders: { inbound } } })
    const number = unique('O')
    const rest = JSON.stringify({ nr: number, lines: [{ sku, qty: 1 }], ...more }).slice(1)
    const answer = await partner.api.post('/orders/', `{"id":${id},${rest}`)
    return { answer, number, ...partner }
  }

  it.each([
    [ROUNDED, ROUNDED],
    ['9007199254740993', '9007199254740993'],
    ['1.50', '1.50'],
    ['1e400', '1e400'],
    ['42', '42'],
    ['-0', '-0'],
  ])('writes %s as the text "%s", with as: "string"', async (digits, text) => {
    const { answer } = await send({ external_order_id: { from: 'id', as: 'string' } }, digits)
    expect(dataOf(answer, 201).external_order_id).toBe(text)
  })

  it('joins them by their digits', async () => {
    const join = [{ value: 'no. ' }, 'id']
    const { answer } = await send({ external_order_id: { join, with: '' } }, ROUNDED)
    expect(dataOf(answer, 201).external_order_id).toBe(`no. ${ROUNDED}`)
  })

  it("refuses them elsewhere, by the document's path", async () => {
    const { answer, admin, number } = await send({ 'metadata.shop_id': 'id' }, ROUNDED)
    expect(answer.status).toBe(400)
    const { fields, source, message } = answer.body.error
    expect(fields).toEqual({ 'metadata.shop_id': [REFUSED] })
    expect(source).toEqual({ 'metadata.shop_id': 'id' })
    expect(message).toBe(`id: ${REFUSED}`)
    expect((await admin.get(path('orders', number))).status).toBe(404)
  })

  it('refuses them in a PUT as well, and takes them as text', async () => {
    const fields = { notes: { from: 'id', as: 'string' }, 'metadata.ref': 'ref' }
    const { api: shop, number } = await send(fields, '1')
    const at = path('orders', number)
    const refused = await shop.put(at, `{"ref":${ROUNDED}}`)
    expect(refused.body.error.source).toEqual({ 'metadata.ref': 'ref' })
    expect(dataOf(await shop.put(at, `{"id":${ROUNDED}}`), 200).notes).toBe(ROUNDED)
  })

  it('is compared by its digits in a filter', async () => {
    const fields = { external_order_id: `refs[?@.id == ${ROUNDED}].code` }
    const inbound = { unmapped: 'drop', fields: { order_number: 'nr', ...LINES, ...fields } }
    const partner = await openPartner({ mappings: { orders: { inbound } } })
    const refs = `[{"id":820982911946154500,"code":"A"},{"id":${ROUNDED},"code":"B"}]`
    const lines = JSON.stringify([{ sku, qty: 1 }])
    const document = `{"nr":"${unique('O')}","lines":${lines},"refs":${refs}}`
    expect(dataOf(await partner.api.post('/orders/', document), 201).external_order_id).toBe('B')
  })
})

describe('POST /inventory/ with numbers that a double cannot hold', () => {
  async function rows() {
    const { code } = await createLocation(api)
    const bin = JSON.stringify(code)
    return (quantities: string[]) =>
      quantities.map((quantity) => `{"bin":${bin},"item":"${sku}","qty":${quantity}}`).join()
  }

  const FIELDS = {
    'inventory[].location_code': 'rows[].bin',
    'inventory[].sku_code': 'rows[].item',
    'inventory[].quantity': 'rows[].qty',
  }

  async function upload(document: string, fields: object): Promise<Json> {
    const inbound = { unmapped: 'drop', fields: { ...FIELDS, ...fields } }
    const partner = await openPartner({ mappings: { inventory: { inbound } } })
    return dataOf(await partner.api.post('/inventory/', document), 200)
  }

  it('fails the one row, and stores the others', async () => {
    const rowsOf = await rows()
    const data = await upload(`{"rows":[${rowsOf(['3', ROUNDED])}]}`, {})
    expect(data).toMatchObject({ total: 2, created: 1, failed: 1 })
    expect(data.errors).toMatchObject([
      {
        row: 1,
        errors: { quantity: ['Must be an integer, not a number that is too large.'] },
        source: { quantity: 'rows[1].qty' },
      },
    ])
  })

  it('fails rows that cannot be converted with the reason, whatever other numbers there are', async () => {
    const rowsOf = await rows()
    const quantity = { from: 'rows[].qty', as: 'integer' }
    const sent = `{"batch":1.50,"export":${ROUNDED},"rows":[${rowsOf(['"7"', '"x"', ROUNDED])}]}`
    const notes = { from: 'batch', as: 'string' }
    const data = await upload(sent, { 'inventory[].quantity': quantity, notes })
    expect(data).toMatchObject({ total: 3, created: 1, failed: 2 })
    expect(data.errors.map(({ errors }: Json) => errors)).toEqual([
      { quantity: ['The mapping expects an integer here, not "x".'] },
      { quantity: [`The mapping expects an integer here, not ${ROUNDED}.`] },
    ])
  })
})

describe('POST /inventory/ with numbers that print differently', () => {
  it('keeps the reason why a row fails beside such a number', async () => {
    const fields = {
      'inventory[].location_code': { from: 'rows[].bin', required: true },
      'inventory[].sku_code': { from: 'rows[].item', as: 'string' },
      'inventory[].quantity': 'rows[].qty',
    }
    const partner = await openPartner({ mappings: { inventory: { inbound: { fields } } } })
    const { code } = await createLocation(api)
    const item = JSON.stringify(sku)
    const rows = [
      `{"bin":"${code}","item":${item},"qty":5.0}`,
      `{"bin":null,"item":${item},"qty":5.0}`,
    ]
    const data = dataOf(await partner.api.post('/inventory/', `{"rows":[${rows}]}`), 200)
    expect(data).toMatchObject({ total: 2, created: 1, failed: 1 })
    expect(data.errors).toMatchObject([
      { row: 1, errors: { location_code: ['Is null, and the mapping requires it.'] } },
    ])
  })
})

describe('settings and previews with numbers that a double cannot hold', () => {
  const SETTINGS = '/api/settings/v1'

  it('refuses them in a fixed value of a mapping, by their path', async () => {
    const { id, admin } = await openPartner()
    const fields = `{"metadata.id":{"value":${ROUNDED}}}`
    const at = `${SETTINGS}/partners/${id}/mappings/orders/`
    const answer = await admin.put(at, `{"inbound":{"fields":${fields}}}`)
    expectRefused(answer, 'inbound.fields.metadata.id.value', REFUSED)
  })

  it('refuses them as a rate limit', async () => {
    const admin = await openAdmin()
    const body = `{"name":"${unique('key')}","rate_limit":${ROUNDED}}`
    const message = 'Must be an integer, not a number that is too large.'
    expectRefused(await admin.post(`${SETTINGS}/api-keys/`, body), 'rate_limit', message)
  })

  it('takes a draft with any number that can be saved', async () => {
    const { id, admin } = await openPartner()
    const fixed = ['1.50', '2e3', '-0.0', '1152921504606847000']
    const values = fixed.map((digits, index) => `"metadata.v${index}":{"value":${digits}}`)
    const mapping = `{"inbound":{"fields":{${values},"metadata.d":{"from":"a","default":1.0}}}}`
    const at = `${SETTINGS}/partners/${id}/mappings/orders/`
    dataOf(await admin.put(at, mapping), 200)
    const answer = await admin.post(`${at}preview/`, `{"mapping":${mapping},"payload":{}}`)
    const { mapped } = dataOf(answer, 200)
    expect(mapped.metadata).toEqual({ v0: 1.5, v1: 2000, v2: 0, v3: 1152921504606847000, d: 1 })
  })

  it('shows them by their digits in a preview, with what the request would answer', async () => {
    const { id, admin } = await openPartner()
    const fields = {
      external_order_id: { from: 'id', as: 'string' },
      'metadata.id': 'id',
      'metadata.price': { from: 'price', as: 'string' },
    }
    const mapping = JSON.stringify({ inbound: { unmapped: 'drop', fields } })
    const payload = `{"id":${ROUNDED},"price":1.50}`
    const at = `${SETTINGS}/partners/${id}/mappings/orders/preview/`
    const answer = await admin.post(at, `{"mapping":${mapping},"payload":${payload}}`)
    const mapped = `{"external_order_id":"${ROUNDED}","metadata":{"id":${ROUNDED},"price":"1.50"}}`
    expect(answer.text).toContain(`"mapped":${mapped}`)
    expect(answer.body.data.errors).toContainEqual({
      field: 'metadata.id',
      messages: [REFUSED],
      source: 'id',
    })
    expect(answer.body.data.would_answer).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
  })
})
