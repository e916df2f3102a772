import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { TRIES_MAX } from '../../src/deliveries/driver.ts'
import { APPLIED_MAX } from '../../src/requests/deliveries/schema.ts'
import { speedUpTime } from '../fixtures/clock.ts'
import { byDepth } from '../fixtures/depth.ts'
import { db } from '../fixtures/opened.ts'
import { shop } from '../fixtures/opened-shop.ts'
import { countingStatements, STATEMENTS_MAX } from '../fixtures/statements.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'
import { openWebhook, STOCK_RULES, shopDocument, tryDue } from '../fixtures/webhooks.ts'

// D1 takes 1,000 queries of an invocation, and each statement of a batch is one.

beforeAll(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterAll(() => {
  vi.restoreAllMocks()
})
beforeEach(async () => {
  await db.batch([db.prepare('delete from waiting_deliveries')])
})

/** So many orders that wait for one product, with many lines; then the product is there. */
async function letWait(count: number): Promise<void> {
  const sku = unique('SKU')
  for (let n = 0; n < count; n++) {
    const lines = Array.from({ length: 20 }, (_, qty) => ({ sku, qty: qty + 1 }))
    const { body } = await shop.deliver(await shopDocument(shop.api, { lines }))
    expect(body.data.outcome).toBe('waiting')
  }
  await shop.api.post('/products/', { sku })
}

/** Which batches fail in a way after which a write is tried again. A write has the most statements. */
const TROUBLES: [string, (statements: number) => boolean][] = [
  ['none', () => false],
  ['of writes', (statements) => statements > 8],
  ['of all but the smallest batches', (statements) => statements > 4],
]

describe('the statements of an invocation', () => {
  it.each(TROUBLES)('stay below 1,000 in an alarm, trouble %s', async (_, trouble) => {
    await letWait(TRIES_MAX + 1)
    const { bindings, sent } = countingStatements(trouble)
    const slowDown = speedUpTime()
    await tryDue(bindings)
      .catch(() => {})
      .finally(slowDown)
    expect(sent.statements).toBeGreaterThan(0)
    expect(sent.statements).toBeLessThan(STATEMENTS_MAX)
  })

  it.each(TROUBLES)(
    'stay below 1,000 when 20 are applied by hand, trouble %s',
    async (_, trouble) => {
      await letWait(APPLIED_MAX + 1)
      const { bindings, sent } = countingStatements(trouble)
      const path = '/api/settings/v1/apply-deliveries/'
      const slowDown = speedUpTime()
      await shop.admin.post(path, { webhook_id: shop.id }, { bindings }).finally(slowDown)
      expect(sent.statements).toBeLessThan(STATEMENTS_MAX)
    },
  )

  it.each(TROUBLES)(
    'stay far below when a delivery is received, trouble %s',
    async (_, trouble) => {
      const order = await shopDocument(shop.api)
      const events = ['order.created', 'order.updated']
      for (const event of events) {
        const { bindings, sent } = countingStatements(trouble)
        await shop.deliver(order, { event, bindings })
        expect(sent.statements).toBeLessThan(STATEMENTS_MAX / 4)
      }
    },
  )

  it('stay below 1,000 for a large upload', async () => {
    const stock = await openWebhook({ rules: STOCK_RULES, mappings: {} })
    const { sku: sku_code } = await createProduct(stock.api)
    const { code: location_code } = await createLocation(stock.api)
    const rows: Json[] = Array.from({ length: byDepth(5000, 80_000) }, (_, n) => ({
      location_code,
      // Every second row is of an unknown product.
      sku_code: n % 2 === 0 ? sku_code : `NOT-THERE-${n}`,
      quantity: n,
    }))
    const { bindings, sent } = countingStatements()
    expect(await stock.outcomeOf({ inventory: rows }, { bindings })).toBe('uploaded')
    expect(sent.statements).toBeLessThan(STATEMENTS_MAX)
  })
})
