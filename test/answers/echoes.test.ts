import { describe, expect, it } from 'vitest'
import { hintOf, mintKey } from '../../src/engine/identity/key.ts'
import { ENDPOINTS, pathAt, pathWith } from '../fixtures/endpoints.ts'
import { admin } from '../fixtures/opened.ts'
import { unique } from '../fixtures/tenant.ts'

// What a caller sends comes back shortened, without a part of it that looks like an API key.

const LONG = 'x'.repeat(5000)
const ANSWER_LENGTH_MAX = 3000

const addressed = ENDPOINTS.filter(({ path }) => /\/:/.test(path)).map((endpoint) => ({
  ...endpoint,
  path: pathAt(pathWith(endpoint), LONG),
}))

describe.each(addressed)('$method %#', ({ method, path, body }) => {
  it('answers a long identifier with a short text', async () => {
    const { status, text } = await admin.call(method, path, body && (await body(admin)))
    expect(status).toBeLessThan(500)
    expect(text.length, path.replace(LONG, '…')).toBeLessThan(ANSWER_LENGTH_MAX)
  })
})

describe('POST /products/', () => {
  it('shows of a key in the name of a field or parameter what lists show of it', async () => {
    const { value } = await mintKey('demo')
    const body = { sku: unique('S'), [value]: 1 }
    const { status, text } = await admin.post(`/products/?${value}=1`, body)
    expect(status).toBe(201)
    expect(text).not.toContain(value)
    expect(text).toContain(hintOf(value))
  })

  it('warns that an Idempotency-Key is not needed', async () => {
    const headers = { 'Idempotency-Key': unique('k') }
    const { body } = await admin.post('/products/', { sku: unique('S') }, { headers })
    expect(body.warnings).toEqual([
      {
        field: 'Idempotency-Key',
        code: 'IDEMPOTENCY_KEY',
        message: expect.stringContaining('is not needed'),
      },
    ])
  })
})

describe('POST /orders/', () => {
  it('names the SKUs that no product has, at most twenty', async () => {
    const skus = Array.from({ length: 23 }, () => unique('S'))
    const order = async (some: string[]) => {
      const items = some.map((sku_code) => ({ sku_code, quantity: 1 }))
      const answer = await admin.post('/orders/', { order_number: unique('O'), items })
      return answer.body.error.message
    }
    const [first, second] = skus
    expect(await order([`${first}`])).toBe(`No product has the SKU "${first}".`)
    expect(await order([`${first}`, `${second}`, `${first}`])).toBe(
      `No product has these SKUs: "${first}", "${second}".`,
    )
    const named = skus.slice(0, 20).map((sku) => `"${sku}"`)
    expect(await order(skus)).toBe(`No product has these SKUs: ${named.join(', ')} and 3 more.`)
  })

  it('says of a repeated number that its order is cancelled', async () => {
    const { sku } = (await admin.post('/products/', { sku: unique('S') })).body.data
    const order = { order_number: unique('O'), items: [{ sku_code: sku, quantity: 1 }] }
    await admin.post('/orders/', order)
    const exists = `An order with the number "${order.order_number}" already exists`
    const again = async () => (await admin.post('/orders/', order)).body.error.fields.order_number
    expect(await again()).toEqual([`${exists}.`])
    await admin.delete(`/orders/${order.order_number}/`)
    expect(await again()).toEqual([`${exists} and is cancelled.`])
  })
})
