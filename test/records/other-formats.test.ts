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
  method = 'POST',
) {
  const headers = { 'X-API-Key': key, 'Content-Type': type }
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
    expect(JSON.stringify(body.data.errors)).toContain('$[1].Lager')
  })

  it.each([
    ['text/csv', 'a,a\n1,2', 400, 'MALFORMED_BODY'],
    ['text/csv; charset=utf-8', latin('a\nü'), 400, 'MALFORMED_BODY'],
    ['text/csv; charset=ebcdic', 'a\n1', 415, 'OTHER_MEDIA_TYPE'],
    ['text/csv', `a${',a'.repeat(1_000_000)}`, 400, 'BODY_TOO_COMPLEX'],
    ['application/x-www-form-urlencoded', 'a=%', 400, 'MALFORMED_BODY'],
    ['text/csv', '', 400, 'MALFORMED_BODY'],
    ['application/pdf', 'a,b\n1,2', 415, 'OTHER_MEDIA_TYPE'],
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
    dataOf(await post(key, `/orders/${number}/`, changed, type, 'PUT'), 200)
    const { body } = await partner.admin.get(`/orders/${number}/`)
    expect(body.data.customer_name).toBe('Ada')
  })

  it('names the types that it takes', async () => {
    const { key } = await openSupplier()
    const { body } = await post(key, '/orders/', '<a/>', 'application/xml')
    expect(body.error.message).toMatch(/^Send JSON, CSV or a form: .*text\/csv/)
  })

  it('is 415 for a key without a mapping, as before', async () => {
    const { value } = await createKey()
    for (const type of ['text/csv', 'application/x-www-form-urlencoded']) {
      const { status, body } = await post(value, '/orders/', 'a=1', type)
      expect([status, body.error.reason]).toEqual([415, 'OTHER_MEDIA_TYPE'])
    }
  })
})
