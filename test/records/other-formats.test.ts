import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decoded } from '../../src/engine/formats/charset.ts'
import { openPartner } from '../fixtures/partner.ts'
import { createKey, ORIGIN, send, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct, dataOf } from '../fixtures/warehouse.ts'

const STOCK = {
  inbound: {
    fields: {
      source: { value: 'erp_sync' },
      'inventory[]': { each: '$[]' },
      'inventory[].sku_code': { from: '$[].Artikel', as: 'string' },
      'inventory[].location_code': { from: '$[].Lager', as: 'string' },
      'inventory[].quantity': { from: '$[].Menge', as: 'integer', decimal: ',' },
    },
  },
}
const ORDER = {
  inbound: {
    fields: {
      order_number: 'no',
      customer_name: 'name',
      'items[0].sku_code': 'sku',
      'items[0].quantity': { from: 'qty', as: 'integer' },
    },
  },
}

async function openSupplier() {
  const partner = await openPartner({ mappings: { inventory: STOCK, orders: ORDER } })
  const { sku } = await createProduct(partner.admin)
  const { code } = await createLocation(partner.admin)
  return { partner, sku: sku as string, code: code as string, key: partner.key.key }
}

async function post(
  key: string,
  path: string,
  body: Uint8Array | string,
  type: string,
  { method = 'POST', coding = '' } = {},
) {
  const headers = {
    ...{ 'X-API-Key': key, 'Content-Type': type },
    ...(coding && { 'Content-Encoding': coding }),
  }
  return await send(new Request(`${ORIGIN}/api/integrations/v1${path}`, { method, headers, body }))
}

const latin = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))

describe('the charset windows-1252', () => {
  it('has the characters that latin1 lacks', () => {
    expect(decoded(new Uint8Array([0x80, 0x93, 0xfc]), 'windows-1252')).toBe('€“ü')
  })
})

describe('POST /inventory/ with a mapping', () => {
  it('takes a CSV in its charset, with the separators and the commas of its country', async () => {
    const { partner, sku, code, key } = await openSupplier()
    const file = `Artikel;Lager;Menge;Bezeichnung\r\n${sku};${code};1.200;"Tür; 3 €"\r\n`
    const answer = await post(
      key,
      '/inventory/',
      latin(file.replace('€', '\x80')),
      'text/csv; charset=windows-1252',
    )
    expect(answer.body).toMatchObject({ success: true, data: { created: 1, failed: 0 } })
    const { body } = await partner.admin.get(`/inventory/${sku}/?by=sku`)
    expect(body.data[0]).toMatchObject({ quantity: 1200 })
  })

  it('takes values separated by tabs', async () => {
    const { sku, code, key } = await openSupplier()
    const file = `Artikel\tLager\tMenge\n${sku}\t${code}\t3\n`
    const { body } = await post(key, '/inventory/', file, 'text/tab-separated-values')
    expect(body.data).toMatchObject({ total: 1, created: 1 })
  })

  it('names the cell of a row that it refuses', async () => {
    const { sku, code, key } = await openSupplier()
    const file = `Artikel,Lager,Menge\n${sku},${code},1\n${sku},none,2\n`
    const { body } = await post(key, '/inventory/', file, 'text/csv')
    expect(body.data.failed).toBe(1)
    expect(body.data.errors[0].source).toEqual({ location_code: 'row 3, column "Lager"' })
  })

  it.each([
    ['text/csv', 'a,a\n1,2', 400, 'MALFORMED_BODY'],
    ['text/csv; charset=utf-8', latin('a\nü'), 400, 'MALFORMED_BODY'],
    ['text/csv; charset=ebcdic', 'a\n1', 415, 'OTHER_MEDIA_TYPE'],
    ['text/csv', `a${',a'.repeat(1_000_000)}`, 400, 'BODY_TOO_COMPLEX'],
    ['application/x-www-form-urlencoded', 'a=%', 400, 'MALFORMED_BODY'],
    ['text/csv', '', 400, 'MALFORMED_BODY'],
    ['application/pdf', 'a,b\n1,2', 415, 'OTHER_MEDIA_TYPE'],
    ['application/xml', '<a><b></a>', 400, 'MALFORMED_BODY'],
    ['application/xml', '', 400, 'MALFORMED_BODY'],
    ['text/xml', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 400, 'MALFORMED_BODY'],
    ['application/vnd.shop+xml', '<a>'.repeat(100), 400, 'BODY_TOO_COMPLEX'],
  ])('refuses %s as %j', async (type, body, status, reason) => {
    const { key } = await openSupplier()
    const answer = await post(key, '/inventory/', body, type)
    expect([answer.status, answer.body.error.reason]).toEqual([status, reason])
  })
})

describe('POST /orders/ with a mapping', () => {
  it('takes a form, and so does its PUT', async () => {
    const { partner, sku, key } = await openSupplier()
    const number = unique('F')
    const form = new URLSearchParams({ no: number, name: 'Löwe & Co', sku, qty: '2' }).toString()
    const type = 'application/x-www-form-urlencoded'
    const order = dataOf(await post(key, '/orders/', form, type), 201)
    expect(order).toMatchObject({ customer_name: 'Löwe & Co', items: [{ quantity: 2 }] })
    const changed = new URLSearchParams({ name: 'Ada' }).toString()
    dataOf(await post(key, `/orders/${number}/`, changed, type, { method: 'PUT' }), 200)
    const { body } = await partner.admin.get(`/orders/${number}/`)
    expect(body.data.customer_name).toBe('Ada')
  })

  it('names the types that it takes', async () => {
    const { key } = await openSupplier()
    const { body } = await post(key, '/orders/', 'a: 1', 'application/yaml')
    expect(body.error.message).toMatch(/^Send JSON, XML, CSV or a form: .*text\/csv/)
  })

  it('is 415 for a key without a mapping, as before', async () => {
    const { value } = await createKey()
    for (const type of ['text/csv', 'text/xml', 'application/x-www-form-urlencoded']) {
      const { status, body } = await post(value, '/orders/', 'a=1', type)
      expect([status, body.error.reason]).toEqual([415, 'OTHER_MEDIA_TYPE'])
    }
  })
})

const XML = {
  inbound: {
    unmapped: 'drop',
    xml: { prefixes: { '': 'urn:shop:order' } },
    fields: {
      order_number: 'Order.@no',
      customer_name: 'Order.Buyer.Name',
      'items[].sku_code': 'Order.Line[].Item',
      'items[].quantity': { from: 'Order.Line[].Qty.#text', as: 'integer' },
    },
  },
}

describe('POST /orders/ with a mapping that reads XML', () => {
  it('takes one line as it takes several, whatever prefix the sender writes', async () => {
    const partner = await openPartner({ mappings: { orders: XML } })
    const { sku } = await createProduct(partner.admin)
    for (const count of [1, 2]) {
      const number = unique('X')
      const line = `<o:Line><o:Item>${sku}</o:Item><o:Qty unit="EA">2</o:Qty></o:Line>`
      const body = `<?xml version="1.0"?>\n<o:Order xmlns:o="urn:shop:order" no="${number}"><o:Buyer><o:Name>M &amp; M</o:Name></o:Buyer>${line.repeat(count)}</o:Order>`
      const order = dataOf(await post(partner.key.key, '/orders/', body, 'application/xml'), 201)
      expect(order).toMatchObject({ order_number: number, customer_name: 'M & M' })
      expect(order.items.map(({ quantity }: { quantity: number }) => quantity)).toEqual(
        Array(count).fill(2),
      )
    }
  })

  it('takes #text of an element with and without attributes', async () => {
    const partner = await openPartner({ mappings: { orders: XML } })
    const { sku } = await createProduct(partner.admin)
    const quantities = ['<Qty u="EA">2</Qty>', '<Qty>3</Qty>', '<Qty><![CDATA[4]]></Qty>']
    const lines = quantities.map((quantity) => `<Line><Item>${sku}</Item>${quantity}</Line>`)
    const body = `<Order xmlns="urn:shop:order" no="${unique('X')}">${lines.join('')}</Order>`
    const order = dataOf(await post(partner.key.key, '/orders/', body, 'text/xml'), 201)
    const found = order.items.map(({ quantity }: { quantity: number }) => quantity)
    expect(found).toEqual([2, 3, 4])
  })

  it('names the element of what it refuses', async () => {
    const partner = await openPartner({ mappings: { orders: XML } })
    const body =
      '<Order xmlns="urn:shop:order" no="1"><Line><Item>A</Item><Qty u="">two</Qty></Line></Order>'
    const { status, body: answer } = await post(partner.key.key, '/orders/', body, 'text/xml')
    expect(status).toBe(422)
    expect(JSON.stringify(answer.error)).toContain('Order.Line.Qty.#text')
  })
})

describe('POST with a mapping and a Content-Encoding', () => {
  const file = (sku: string, code: string) => `Artikel,Lager,Menge\n${sku},${code},4\n`

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['GZIP', gzipSync],
    ['identity', (text: string) => Buffer.from(text)],
  ])('takes %s', async (coding, pack) => {
    const { sku, code, key } = await openSupplier()
    const answer = await post(key, '/inventory/', pack(file(sku, code)), 'text/csv', { coding })
    expect(answer.body.data).toMatchObject({ total: 1, created: 1 })
  })

  it('takes JSON that is large when it is unpacked', async () => {
    const { sku, key } = await openSupplier()
    const number = unique('Z')
    const order = { no: number, name: 'Ada', sku, qty: 1, notes: ' '.repeat(5_000_000) }
    const body = gzipSync(JSON.stringify(order))
    const { status } = await post(key, '/orders/', body, 'application/json', { coding: 'gzip' })
    expect(status).toBe(400)
    delete (order as { notes?: string }).notes
    const large = gzipSync(`${' '.repeat(9_000_000)}${JSON.stringify(order)}`)
    dataOf(await post(key, '/orders/', large, 'application/json', { coding: 'gzip' }), 201)
  })

  it.each<[what: string, body: Uint8Array, coding: string, status: number, reason: string]>([
    ['a bomb', gzipSync(Buffer.alloc(50_000_000)), 'gzip', 413, 'BODY_TOO_LARGE'],
    ['a bomb', deflateSync(Buffer.alloc(50_000_000)), 'deflate', 413, 'BODY_TOO_LARGE'],
    ['what is cut off', gzipSync('{"a":1,"b":2}').subarray(0, 20), 'gzip', 400, 'MALFORMED_BODY'],
    ['what is not packed', Buffer.from('{"no":1}'), 'gzip', 400, 'MALFORMED_BODY'],
    ['nothing', Buffer.alloc(0), 'gzip', 400, 'MALFORMED_BODY'],
    ['what is packed otherwise', deflateSync('{}'), 'gzip', 400, 'MALFORMED_BODY'],
    ['deflate without its header', deflateRawSync('{}'), 'deflate', 400, 'MALFORMED_BODY'],
    ['what is packed twice', gzipSync(gzipSync('{}')), 'gzip', 400, 'MALFORMED_BODY'],
    ['two codings', gzipSync(gzipSync('{}')), 'gzip, gzip', 415, 'COMPRESSED_BODY'],
    ['brotli', Buffer.from('x'), 'br', 415, 'COMPRESSED_BODY'],
  ])('refuses %s', async (_, body, coding, status, reason) => {
    const { key } = await openSupplier()
    const answer = await post(key, '/orders/', body, 'application/json', { coding })
    expect([answer.status, answer.body.error.reason]).toEqual([status, reason])
  })

  it('is 415 for a key without a mapping, as before', async () => {
    const { value } = await createKey()
    const { status, body } = await post(value, '/orders/', gzipSync('{}'), 'application/json', {
      coding: 'gzip',
    })
    expect([status, body.error.reason]).toEqual([415, 'COMPRESSED_BODY'])
  })
})

const mapped = (options: object, fields: object) => ({ inbound: { ...options, fields } })

describe('POST with options for what is no JSON', () => {
  it('reads a CSV without names, by its separator', async () => {
    const stock = mapped(
      { csv: { header: false, separator: ';' } },
      {
        'inventory[]': { each: '$[]' },
        'inventory[].sku_code': '$[][0]',
        'inventory[].location_code': '$[][1]',
        'inventory[].quantity': { from: '$[][2]', as: 'integer' },
      },
    )
    const partner = await openPartner({ mappings: { inventory: stock } })
    const { sku } = await createProduct(partner.admin)
    const { code } = await createLocation(partner.admin)
    const body = `${sku};${code};7;a,b,c\n\n`
    const answer = await post(partner.key.key, '/inventory/', body, 'text/csv')
    expect(answer.body.data).toMatchObject({ total: 1, created: 1 })
  })

  it('reads a form whose member is JSON, in the charset that the mapping says', async () => {
    const order = mapped(
      { form: { json: 'payload', charset: 'windows-1252' } },
      {
        order_number: { from: 'payload.no', as: 'string' },
        customer_name: 'who',
        'items[0].sku_code': 'payload.lines[0].sku',
        'items[0].quantity': 'payload.lines[0].qty',
      },
    )
    const partner = await openPartner({ mappings: { orders: order } })
    const { sku } = await createProduct(partner.admin)
    const no = `9007199254740993${Date.now() % 1000}`
    const payload = encodeURIComponent(`{"no":${no},"lines":[{"sku":"${sku}","qty":3}]}`)
    const type = 'application/x-www-form-urlencoded'
    const { key } = partner.key
    const sent = await post(key, '/orders/', `who=L%F6we&payload=${payload}`, type)
    expect(dataOf(sent, 201)).toMatchObject({ order_number: no, customer_name: 'Löwe' })
    for (const [body, told] of [
      ['payload=%7B', 'The member "payload" is to be JSON. Its text is not valid JSON'],
      ['payload={}&payload={}', 'The member "payload" is sent twice.'],
    ] as const) {
      const { status, body: answer } = await post(key, '/orders/', body, type)
      expect(status).toBe(400)
      expect(answer.error.message).toContain(told)
    }
  })

  it.each<[options: object, field: string]>([
    [{ csv: { separator: '|' } }, 'inbound.csv.separator'],
    [{ csv: { header: 'no' } }, 'inbound.csv.header'],
    [{ csv: { heading: true } }, 'inbound.csv'],
    [{ csv: true }, 'inbound.csv'],
    [{ form: { charset: 'ebcdic' } }, 'inbound.form.charset'],
    [{ form: { json: '' } }, 'inbound.form.json'],
    [{ xml: { prefixes: { '1x': 'urn:x' } } }, 'inbound.xml.prefixes.1x'],
    [{ xml: { prefixes: { a: 'urn:x', b: 'urn:x' } } }, 'inbound.xml.prefixes'],
  ])('refuses %j when it is saved', async (options, field) => {
    const partner = await openPartner()
    const path = `/api/settings/v1/partners/${partner.id}/mappings/orders/`
    const { status, body } = await partner.admin.put(path, mapped(options, { notes: 'a' }))
    expect(status).toBe(400)
    expect(Object.keys(body.error.fields)).toEqual([field])
  })

  it('refuses them in what goes out', async () => {
    const partner = await openPartner()
    const path = `/api/settings/v1/partners/${partner.id}/mappings/orders/`
    const outbound = { csv: {}, fields: { no: 'order_number' } }
    const { body } = await partner.admin.put(path, { outbound })
    expect(body.error.fields).toEqual({ 'outbound.csv': ['Only "inbound" can have "csv".'] })
  })
})
