import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { TRIES_MAX } from '../../src/deliveries/driver.ts'
import { loggedRow } from '../fixtures/audit-rows.ts'
import { openTenant, unique } from '../fixtures/tenant.ts'
import { lackingDocument, openWebhook, shopDocument, type Webhook } from '../fixtures/webhooks.ts'

let shop: Webhook
let db: D1Database
beforeEach(async () => {
  db = await openTenant()
  await db.batch([db.prepare('delete from waiting_deliveries')])
  shop = await openWebhook()
})

const driver = () => env.DELIVERIES.getByName('demo')
const alarmOf = async () =>
  await runInDurableObject(driver(), (_, { storage }) => storage.getAlarm())

async function waiting(sku: string) {
  const document = await lackingDocument(shop.api, sku)
  const { body } = await shop.deliver(document)
  expect(body.data.outcome).toBe('waiting')
  return { id: body.data.delivery_id as string, number: document.number }
}

const count = async () =>
  await db.prepare('select count(*) as n from waiting_deliveries').first<number>('n')

describe('the object of a tenant with waiting deliveries', () => {
  it('has an alarm as soon as something waits, tries what is due, and ends when nothing waits', async () => {
    const sku = unique('SKU')
    const { number } = await waiting(sku)
    expect(await alarmOf()).toBeGreaterThan(Date.now())
    await shop.api.post('/products/', { sku })
    expect(await runDurableObjectAlarm(driver())).toBe(true)
    expect((await shop.api.get(`/orders/${number}/`)).status).toBe(200)
    expect(await alarmOf()).toBeNull()
  })

  it('tries no more at once than one invocation may, and goes on', async () => {
    const sku = unique('SKU')
    for (let at = 0; at < TRIES_MAX + 2; at++) await waiting(sku)
    await shop.api.post('/products/', { sku })
    await runDurableObjectAlarm(driver())
    expect(await count()).toBe(2)
    await runDurableObjectAlarm(driver())
    expect(await count()).toBe(0)
  })

  it('tries nothing of a webhook that has expired', async () => {
    const sku = unique('SKU')
    const { id } = await waiting(sku)
    await db
      .prepare('update api_keys set expires_at = ? where id = ?')
      .bind('2026-01-01T00:00:00.000Z', shop.id)
      .run()
    await shop.api.post('/products/', { sku })
    await runDurableObjectAlarm(driver())
    const left = await db
      .prepare('select tries from waiting_deliveries where delivery_id = ?')
      .bind(id)
      .first('tries')
    expect(left).toBe(0)
  })

  it('ends what has waited for too long, and the row of the delivery says so', async () => {
    const { id } = await waiting(unique('SKU'))
    await db
      .prepare('update waiting_deliveries set ends_at = created_at where delivery_id = ?')
      .bind(id)
      .run()
    await runDurableObjectAlarm(driver())
    expect(await count()).toBe(0)
    expect(await loggedRow(id, 'outcome')).toEqual({ outcome: 'dismissed' })
  })

  it('lets deliveries wait as long as the workspace says, also those that wait already', async () => {
    const set = (waiting_days: number) =>
      shop.admin.put('/api/settings/v1/workspace/', { waiting_days })
    const daysOf = async (id: string) => {
      const { created_at, ends_at } = (await shop.admin.get(`/api/settings/v1/deliveries/${id}/`))
        .body.data
      expect(new Date(ends_at).toISOString()).toBe(ends_at)
      return (Date.parse(ends_at) - Date.parse(created_at)) / 86_400_000
    }
    const { id } = await waiting(unique('SKU'))
    expect(await daysOf(id)).toBe(30)
    expect((await set(3)).body.data.waiting_days).toBe(3)
    const later = await waiting(unique('SKU'))
    expect([await daysOf(id), await daysOf(later.id)]).toEqual([3, 3])
    await set(90)
    expect([await daysOf(id), await daysOf(later.id)]).toEqual([90, 90])
    await set(30)
  })

  it('waits longer after each trouble, and then for a person', async () => {
    const { needAfter } = await import('../../src/deliveries/need.ts')
    const { unavailable } = await import('../../src/engine/errors.ts')
    const trouble = unavailable('The database does not answer.', 'DATABASE_UNREACHABLE')
    const pauses = [0, 1, 5, 19].map((tries) => {
      const { needs, due_at } = needAfter(trouble, tries)
      return [needs, Math.round((Date.parse(due_at ?? '') - Date.now()) / 60_000)]
    })
    expect(pauses).toEqual([
      ['time', 1],
      ['time', 2],
      ['time', 32],
      ['time', 360],
    ])
    expect(needAfter(trouble, 20)).toMatchObject({ needs: 'person' })
  })
})

describe('an object that is woken while its alarm looks', () => {
  it('looks again, although it has found nothing', async () => {
    await runInDurableObject(driver(), async (object, { storage }) => {
      await object.wake('demo')
      const looking = object.alarm()
      await object.wake('demo')
      await looking
      expect(await storage.getAlarm()).toBeGreaterThan(Date.now())
      await object.alarm()
      expect(await storage.getAlarm()).toBeNull()
    })
  })
})

describe('POST /webhooks/v1/:token/', () => {
  it('is 503 where as many wait as may, and keeps nothing', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await waiting(unique('SKU'))
    await db
      .prepare('update waiting_totals set records = 5000 where subject = ?')
      .bind(shop.id)
      .run()
    const before = await count()
    const document = await lackingDocument(shop.api)
    const { status, body } = await shop.deliver(document)
    expect([status, body.error.reason]).toEqual([503, 'DELIVERIES_FULL'])
    const row = await loggedRow(body.request_id, 'status, outcome')
    expect(row).toEqual({ status: 503, outcome: null })
    expect(await count()).toBe(before)
    await db.prepare('update waiting_totals set records = 1 where subject = ?').bind(shop.id).run()
  })

  it('forgets how new documents were after 90 days', async () => {
    await db.batch([
      db.prepare(
        "insert into delivered_changes values ('p', 'orders', 'old', 'n1', '2026-01-01'), ('p', 'orders', 'new', 'n1', '2126-11-01')",
      ),
    ])
    await shop.deliver(await shopDocument(shop.api))
    const { results } = await db
      .prepare("select identifier from delivered_changes where partner_id = 'p'")
      .all()
    expect(results).toEqual([{ identifier: 'new' }])
  })

  it('is 503 where nobody would try what is kept', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const before = await count()
    const document = await lackingDocument(shop.api)
    const DELIVERIES = { getByName: () => ({ wake: () => Promise.reject(new Error('gone')) }) }
    const { status, body } = await shop.deliver(document, { bindings: { ...env, DELIVERIES } })
    expect([status, body.error.reason]).toEqual([503, 'STORE_UNREACHABLE'])
    expect(await count()).toBe(before)
  })

  it('counts what waits, of the tenant and of each webhook', async () => {
    const { id } = await waiting(unique('SKU'))
    const totals = async () =>
      await db
        .prepare('select records from waiting_totals where subject = ?')
        .bind(shop.id)
        .first('records')
    expect(await totals()).toBe(1)
    await shop.admin.post(`/api/settings/v1/deliveries/${id}/dismiss/`, {})
    expect(await totals()).toBe(0)
  })
})
