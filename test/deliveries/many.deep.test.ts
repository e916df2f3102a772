import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { type Api, openAdmin, openTenant, unique } from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'
import { lackingDocument, openWebhook, type Webhook } from '../fixtures/webhooks.ts'

// As many wait for one product as may: half of them for each of two webhooks.

const COUNT = 10_000
const MINUTES_MAX = 30
/** The alarm that has tried all sleeps longer. */
const SOON_MS = 5000
const GETS = 20
/** As long as these alarms run, somebody reads. They have real pauses, without which the test itself would take all time. */
const ALARMS_READ = 30

/** One delivery that waits, and copies of it, each of an order of its own. */
async function letWait(db: D1Database, shop: Webhook, sku: string, count: number): Promise<void> {
  const order = await lackingDocument(shop.api, sku)
  const { delivery_id } = await shop.told(order)
  await db
    .prepare(
      `with recursive copy (n) as (select 1 union all select n + 1 from copy where n < ?2 - 1)
       insert into waiting_deliveries (delivery_id, log_seq, api_key_id, partner_id, resource, identifier, record_name,
         changed_at, sender_event, content_type, needs, needs_code, error_code, message, created_at, ends_at, bytes, body)
       select delivery_id || '-' || n, log_seq, api_key_id, partner_id, resource, identifier || '-' || n,
         record_name || '-' || n, changed_at, sender_event, content_type, needs, needs_code, error_code, message,
         created_at, ends_at, bytes, replace(body, record_name, record_name || '-' || n)
       from waiting_deliveries, copy where delivery_id = ?1`,
    )
    .bind(delivery_id, count)
    .run()
}

const msOf = async (act: () => Promise<unknown>) => {
  const started = performance.now()
  await act()
  return performance.now() - started
}

/** In ms: half of some GETs take no longer, and the longest. */
async function readFor(api: Api, isOver: () => boolean) {
  const all: number[] = []
  while (all.length < GETS || !isOver()) {
    all.push(await msOf(() => api.get('/products/?limit=5')))
    await scheduler.wait(20)
  }
  const sorted = all.toSorted((one, other) => one - other)
  return { half: sorted[all.length >> 1] ?? 0, most: sorted[Math.floor(all.length * 0.99)] ?? 0 }
}

describe('records that wait for one product, as many as may', () => {
  it('are applied within half an hour, and another tenant does not notice', async ({ task }) => {
    const db = await openTenant()
    const other = await openAdmin('other')
    await createProduct(other)
    const shops = [await openWebhook(), await openWebhook()]
    const sku = unique('SKU')
    for (const shop of shops) await letWait(db, shop, sku, COUNT / 2)
    const idle = await readFor(other, () => true)

    const admin = await openAdmin()
    const created = await msOf(() => admin.post('/products/', { sku }))
    let [slept, worked, alarms, isOver] = [0, 0, 0, false]
    const reading = readFor(other, () => isOver || alarms >= ALARMS_READ)
    for (let pause: number | null = 0; pause !== null && pause < SOON_MS; alarms++) {
      slept += pause
      if (alarms === ALARMS_READ) await reading
      if (alarms < ALARMS_READ) await scheduler.wait(pause)
      const driver = env.DELIVERIES.getByName('demo')
      worked += await msOf(async () => {
        pause = await runInDurableObject(driver, (object) => object.tryDue('demo'))
      })
    }
    isOver = true
    const busy = await reading

    const left = await db.prepare('select count(*) as n from waiting_deliveries').first('n')
    const orders = await db
      .prepare('select count(*) as n from orders where partner_id in (?, ?)')
      .bind(...shops.map(({ partner }) => partner.id))
      .first('n')
    const minutes = (slept + worked) / 60_000
    task.meta.notice = `${COUNT} that waited for one product: ${alarms} alarms, ${Math.round(worked / 1000)} s of work and ${Math.round(slept / 1000)} s of pauses; POST of the product ${Math.round(created)} ms; GET of another tenant ${Math.round(busy.half)} ms, 99 % within ${Math.round(busy.most)} ms (before: ${Math.round(idle.half)} ms)`
    expect([left, orders]).toEqual([0, COUNT])
    expect(minutes).toBeLessThan(MINUTES_MAX)
    // Whoever waited for an alarm would take as long as one.
    expect(busy.half).toBeLessThan(worked / alarms / 4)
  }, 2_400_000)
})
