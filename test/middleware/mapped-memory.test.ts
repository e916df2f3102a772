import { describe, expect, it } from 'vitest'
import { itInDeep } from '../fixtures/depth.ts'
import { openPartner } from '../fixtures/partner.ts'
import { openAdmin, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'
import { heldDatabase, statusesOf } from './occupied.ts'

const MB = 1_000_000

const admin = await openAdmin()
const [{ code }, { sku }] = [await createLocation(admin), await createProduct(admin)]
const row = { location_code: code, sku_code: sku, quantity: 1 }

describe('a document that its mapping makes large', () => {
  const fields = {
    order_number: 'number',
    'items[].sku_code': 'lines[].sku',
    'items[].quantity': 'lines[].quantity',
    'items[].notes': 'memo',
  }
  const mappings = { orders: { inbound: { unmapped: 'drop', fields } } }
  const order = (length: number, lines: number) => ({
    number: unique('O'),
    memo: 'x'.repeat(length),
    lines: Array.from({ length: lines }, () => ({ sku: row.sku_code, quantity: 1 })),
  })

  itInDeep('is worked on in turn with other large ones, however small its body is', async () => {
    const partner = await openPartner({ mappings })
    const { state, letGo, bindings } = heldDatabase(4)
    const answers = Array.from({ length: 3 }, () =>
      partner.api.post('/orders/', order(6000, 1000), { bindings }),
    )
    await expect.poll(() => state.inside).toBe(1)
    await scheduler.wait(100)
    expect((await partner.api.post('/orders/', order(100, 10))).status).toBe(201)
    letGo()
    expect(await statusesOf(answers)).toEqual([201, 201, 201])
    expect(state.most).toBe(1)
  })

  it('is made when it has its turn, however small its body is', async () => {
    const targets = Array.from({ length: 90 }, (_, n) => [`metadata.list[].f${n}`, 'l[].a'])
    const growing = { order_number: 'number', ...Object.fromEntries(targets) }
    const partner = await openPartner({ mappings })
    const other = await openPartner({
      mappings: { orders: { inbound: { unmapped: 'drop', fields: growing } } },
    })
    const { state, letGo, bindings } = heldDatabase(4)
    const first = partner.api.post('/orders/', order(6000, 1000), { bindings })
    await expect.poll(() => state.inside).toBe(1)
    const l = Array.from({ length: 2000 }, () => ({ a: 1 }))
    let isAnswered = false
    const second = other.api.post('/orders/', { number: unique('O'), l }).finally(() => {
      isAnswered = true
    })
    await scheduler.wait(300)
    expect(isAnswered).toBe(false)
    letGo()
    expect(await statusesOf([first, second])).toEqual([201, 400])
  })

  itInDeep('is taken up to 10 MiB, and 413 beyond, which names the rule', async () => {
    const partner = await openPartner({ mappings })
    const taken = await partner.api.post('/orders/', order(10_000, 1000))
    expect(taken.status).toBe(201)
    expect(taken.body.data.items[999].notes).toHaveLength(10_000)
    const number = unique('O')
    const lines = Array.from({ length: 1100 }, () => ({ sku: row.sku_code, quantity: 1 }))
    const { status, body } = await partner.api.post('/orders/', {
      number,
      memo: 'x'.repeat(10_000),
      lines,
    })
    expect([status, body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(body.error.message).toBe(
      'memo: The mapping turns it into a document of more than 10485760 bytes.',
    )
    expect(body.error.problems[0]).toMatchObject({ reason: 'TOO_LARGE', rule: 'items[].notes' })
    expect((await partner.admin.get(`/orders/${number}/`)).status).toBe(404)
  })

  it('is 413 where it has many copies of what is not repeated', async () => {
    const texts = ['items[].notes', 'metadata.a[]', 'customer_info.a[]']
    const inbound = { fields: Object.fromEntries(texts.map((text) => [text, 'lines[].text'])) }
    const partner = await openPartner({ mappings: { orders: { inbound } } })
    const lines = Array.from({ length: 500 }, () => ({ text: 'x'.repeat(9000) }))
    const { status, body } = await partner.api.post('/orders/', { lines })
    expect([status, body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(body.error.problems).toEqual([
      { reason: 'TOO_LARGE', at: 'customer_info', expected: 10_485_760, unit: 'bytes' },
    ])
  })

  itInDeep('may have longer names for its fields than it was sent with', async () => {
    const partner = await openPartner({
      mappings: {
        inventory: {
          inbound: {
            fields: {
              'inventory[].location_code': 's[].l',
              'inventory[].sku_code': 's[].s',
              'inventory[].quantity': 's[].q',
            },
          },
        },
      },
    })
    const s = Array.from({ length: 180_000 }, () => ({
      l: row.location_code,
      s: row.sku_code,
      q: 1,
    }))
    const text = JSON.stringify({ s })
    expect(text.length).toBeGreaterThan(9 * MB)
    expect((await partner.api.post('/inventory/', text)).body.data.total).toBe(180_000)
  })
})
