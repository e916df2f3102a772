import { describe, expect, it } from 'vitest'
import { dataOf, preview } from './previews.ts'

const ORDER = {
  order_number: 'no',
  'items[].sku_code': 'lines[].sku',
  'items[].quantity': 'lines[].qty',
}
const document = { no: 'N-1', lines: [{ sku: 'S', qty: 1 }] }

async function warningsOf(fields: object, more: object = {}): Promise<Map<string, string>> {
  const inbound = { fields: { ...ORDER, ...fields } }
  const answer = await preview({ mapping: { inbound }, payload: { ...document, ...more } })
  dataOf(answer)
  const warnings: { field: string; message: string }[] = answer.body.warnings ?? []
  return new Map(warnings.map(({ field, message }) => [field, message]))
}

describe('POST /partners/{id}/mappings/{resource}/preview/', () => {
  it('names rules that found nothing, and no others', async () => {
    const nothing = await warningsOf({
      notes: 'remark',
      'items[].notes': 'lines[].title',
      'metadata.shop': { value: 'x' },
      external_order_id: { from: 'id', default: 'none' },
    })
    const found = [...nothing].filter(([, message]) => message.includes('found nothing'))
    expect(found.map(([field]) => field).sort()).toEqual(['items[].notes', 'notes'])
    expect(await warningsOf({ notes: 'remark' }, { remark: 'x' })).toEqual(new Map())
  })

  it.each([
    '0001-01-01T00:00:00',
    '0001-01-01T00:00:00+01:00',
    '1900-01-01',
    '1970-01-01T00:00:00Z',
  ])('hints at %s as the date', async (date) => {
    const dated = await warningsOf({ order_date: 'date' }, { date })
    expect(dated.get('order_date')).toContain(`write "none": ["${date.slice(0, 10)}"]`)
    const none = [date.slice(0, 10)]
    const said = await warningsOf({ order_date: { from: 'date', none } }, { date })
    expect(said.get('order_date')).toContain('found nothing')
    expect(await warningsOf({ order_date: 'date' }, { date: '2026-01-02' })).toEqual(new Map())
  })

  it('hints at milliseconds that may be seconds', async () => {
    const rule = { from: 'date', as: 'datetime', format: 'epoch_milliseconds' }
    const early = await warningsOf({ order_date: rule }, { date: 1503354139 })
    expect(early.get('order_date')).toContain('"format": "epoch_seconds"')
    expect(await warningsOf({ order_date: rule }, { date: 1503354139000 })).toEqual(new Map())
  })

  it('says that a status has no effect on a new order', async () => {
    const named = await warningsOf({ status: 'state' }, { state: 'cancelled' })
    expect(named.get('status')).toContain('no effect')
    const inbound = { fields: { status: 'state' } }
    const put = await preview({ mapping: { inbound }, method: 'PUT', payload: { state: 'draft' } })
    expect(put.body.warnings).toBeUndefined()
  })

  it.each([
    ['a comma', { total: '12,50' }],
    ['a semicolon', { codes: 'A;B' }],
  ])('hints at points that may group thousands, beside %s', async (_, more) => {
    const rule = { from: 'lines[].qty', as: 'integer' }
    const lines = [{ sku: 'S', qty: '1.000' }]
    const fields = { ...ORDER, 'items[].quantity': rule }
    const hinted = await warningsOf(fields, { lines, ...more })
    expect(hinted.get('items[].quantity')).toContain('"decimal": ","')
    const said = { 'items[].quantity': { ...rule, decimal: ',' } }
    expect((await warningsOf(said, { lines, ...more })).get('items[].quantity')).toBeUndefined()
    expect((await warningsOf(fields, { lines })).get('items[].quantity')).toBeUndefined()
  })

  it('hints at an address of which each field may come from another one', async () => {
    const from = (name: string) => ({ from: [`shipping.${name}`, `billing.${name}`] })
    const fields = { 'customer_info.city': from('city'), 'customer_info.zip': from('zip') }
    const payload = { shipping: { city: 'A' }, billing: { city: 'B', zip: '1' } }
    const mixed = await warningsOf(fields, payload)
    expect(mixed.get('customer_info.city')).toContain('customer_info.zip')
    const whole = { 'customer_info.address': { from: ['shipping', 'billing'] } }
    expect(await warningsOf(whole, payload)).toEqual(new Map())
  })

  it('lists more unread fields than warnings', async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`f${at}`, at]))
    const inbound = { unmapped: 'drop', fields: ORDER }
    const answer = await preview({ mapping: { inbound }, payload: { ...document, ...many } })
    expect(answer.body.warnings.length).toBeLessThanOrEqual(101)
    expect(dataOf(answer).unread).toEqual(Object.keys(many))
  })
})
