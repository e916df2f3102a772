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

  it.each(['1900-01-01', '1970-01-01T00:00:00Z'])('hints at %s as the date', async (date) => {
    const dated = await warningsOf({ order_date: 'date' }, { date })
    expect(dated.get('order_date')).toContain('"no date"')
    expect(await warningsOf({ order_date: 'date' }, { date: '2026-01-02' })).toEqual(new Map())
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
