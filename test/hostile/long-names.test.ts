import { describe, expect, it } from 'vitest'
import { idOf, SETTINGS } from '../fixtures/kept-documents.ts'
import { admin } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { unique } from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'

// Answers and audit rows show only the beginning of a path, so that long names of members cannot multiply.

const NAME = 'n'.repeat(60_000)
const NUMBERS = `[${Array.from({ length: 30 }, () => '1e400').join()}]`
const ROUNDED = `{"${NAME}":${NUMBERS}}`
const ANSWER_LENGTH_MAX = 40_000
const DETAILS_LENGTH_MAX = 5000

const orderWith = (members: string) => `{"order_number":"${unique('O')}",${members},
  "items":[{"sku_code":"x","quantity":1}]}`

/** A path of 300 units that the long name ends. */
const ends = (path: string) => `${path}${'n'.repeat(299 - path.length)}…`

async function detailsOf(id: string) {
  return (await admin.get(`${SETTINGS}/audit-log/${id}/`)).body.data
}

describe('POST /orders/', () => {
  it('names each wrong number of an object by the beginning of its path, also in the audit log', async () => {
    const refused = await admin.post(
      '/orders/',
      orderWith(`"customer_info":${ROUNDED},"metadata":${ROUNDED}`),
    )
    expect(refused.status).toBe(400)
    expect(refused.text.length).toBeLessThan(ANSWER_LENGTH_MAX)
    const [customer, metadata] = [ends('customer_info.'), ends('metadata.')]
    const message = expect.stringMatching(/^Has more digits/)
    expect(refused.body.error.fields).toEqual({ [customer]: [message], [metadata]: [message] })
    expect(refused.body.detail.length).toBeLessThan(500)
    const { error_fields, details } = await detailsOf(idOf(refused))
    expect(JSON.stringify([error_fields, details]).length).toBeLessThan(DETAILS_LENGTH_MAX)
    expect(JSON.stringify([error_fields, details])).not.toContain('nnn')
  })

  it('names the places of a mapped object by their beginnings', async () => {
    const fields = { customer_info: 'their.long_object' }
    const { api } = await openPartner({ mappings: { orders: { inbound: { fields } } } })
    const refused = await api.post('/orders/', orderWith(`"their":{"long_object":${ROUNDED}}`))
    expect(refused.status).toBe(400)
    expect(refused.text.length).toBeLessThan(ANSWER_LENGTH_MAX)
    const source = ends('their.long_object.')
    expect(refused.body.error.source).toEqual({ [ends('customer_info.')]: source })
    expect(refused.body.detail.startsWith(`${source}: Has more digits`)).toBe(true)
    const { error_fields, details } = await detailsOf(idOf(refused))
    expect(JSON.stringify([error_fields, details])).not.toContain('nnn')
  })

  it('warns of unknown fields by the beginnings of their names', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `"${NAME}${at}":1`)
    const { api } = await openPartner({
      mappings: { products: { inbound: { fields: { sku: 'code' } } } },
    })
    for (const answer of [
      await admin.post('/products/', `{"sku":"${unique('S')}",${names}}`),
      await api.post('/products/', `{"code":"${unique('S')}",${names}}`),
    ]) {
      expect(answer.status).toBe(201)
      expect(answer.body.warnings).toHaveLength(20)
      expect(answer.text.length).toBeLessThan(ANSWER_LENGTH_MAX)
    }
  })

  it('warns of a field in a mapped array by the beginning of its path in the document', async () => {
    const inbound = { fields: { items: 'their.long_lines' } }
    const { api } = await openPartner({ mappings: { orders: { inbound } } })
    const sku_code = (await createProduct(admin)).sku
    const line = { sku_code, quantity: 1, [NAME]: 1 }
    const order = { order_number: unique('O'), their: { long_lines: [line, line, line] } }
    const made = await api.post('/orders/', order)
    expect(made.body.warnings).toEqual([
      { field: ends('items[].'), source: ends('their.long_lines[].'), message: expect.any(String) },
    ])
  })
})

describe('POST /inventory/', () => {
  it('names the rows that fail and the fields without effect in little room', async () => {
    const row = `{"location_code":"x","sku_code":"y","quantity":1e400,"${NAME}":${NUMBERS}}`
    const fields = { 'inventory[]': { each: 'rows[]' }, 'inventory[].quantity': 'rows[].quantity' }
    const { api } = await openPartner({ mappings: { inventory: { inbound: { fields } } } })
    for (const answer of [
      await admin.post('/inventory/', `{"inventory":[${row},${row},${row}]}`),
      await api.post('/inventory/', `{"rows":[${row},${row},${row}]}`),
    ]) {
      expect(answer.body.data).toMatchObject({ total: 3, failed: 3 })
      expect(answer.text.length).toBeLessThan(ANSWER_LENGTH_MAX)
      const { error_fields, details } = await detailsOf(idOf(answer))
      expect(JSON.stringify([error_fields, details]).length).toBeLessThan(DETAILS_LENGTH_MAX)
    }
  })
})
