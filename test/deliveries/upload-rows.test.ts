import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { WAITING_ROWS_MAX } from '../../src/engine/db/waiting-rows.ts'
import { loggedRow } from '../fixtures/audit-rows.ts'
import { type Json, openTenant, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'
import { openWebhook, STOCK_RULES, tryDue, type Webhook } from '../fixtures/webhooks.ts'

const DELIVERIES = '/api/settings/v1/deliveries/'

let db: D1Database
let shop: Webhook
let code: string
beforeEach(async () => {
  db = await openTenant()
  await db.batch([db.prepare('delete from waiting_deliveries')])
  shop = await openWebhook({ rules: STOCK_RULES, mappings: {} })
  code = (await createLocation(shop.api)).code
})

const row = (sku_code: string, quantity: number, location_code = code) => ({
  location_code,
  sku_code,
  quantity,
})

const upload = async (...inventory: object[]): Promise<Json> => {
  const { status, body } = await shop.deliver({ inventory, source: 'erp_sync' })
  expect([status, body.data.outcome]).toEqual([200, 'uploaded'])
  return body.data
}

const stock = async (location = code): Promise<Record<string, number>> => {
  const { data } = (await shop.api.get(`/inventory/${location}/`)).body
  return Object.fromEntries(data.map((one: Json) => [one.sku_code, one.quantity]))
}

const waiting = async (): Promise<Json[]> =>
  (await shop.admin.get(`${DELIVERIES}?webhook_id=${shop.id}&limit=100`)).body.data

const outcomes = async (id: string) => {
  const { results } = await db
    .prepare('select status, outcome, rows_failed from audit_log where replay_of = ? order by seq')
    .bind(id)
    .all()
  return results.map(Object.values)
}

const addProduct = (sku: string) => shop.api.post('/products/', { sku })
const messageOf = async (id: string) => (await loggedRow(id, 'message')).message

describe('an upload that is delivered', () => {
  it('is uploaded, and only the rows that lack a product or a location wait', async () => {
    const { sku } = await createProduct(shop.api)
    const [missing, nowhere] = [unique('SKU'), unique('L')]
    const data = await upload(row(sku, 1), row(missing, 2), row(sku, 3, nowhere), {
      ...row(sku, 4),
      quantity: 'x',
    })
    expect(data).toMatchObject({ upload: { total: 4, created: 1, failed: 3 }, waiting: 2 })
    expect(data.upload.errors.map((error: Json) => error.row)).toEqual([1, 2, 3])
    expect(await stock()).toEqual({ [sku]: 1 })
    const id = data.delivery_id
    expect(await waiting()).toMatchObject([
      {
        delivery_id: `${id}.2`,
        request_id: id,
        needs: 'location',
        needs_code: nowhere,
        record: `${nowhere} / ${sku}`,
      },
      { delivery_id: `${id}.1`, request_id: id, needs: 'product', needs_code: missing },
    ])
  })

  it('has rows that need different products, each applied when its own is there', async () => {
    const [one, other] = [unique('SKU'), unique('SKU')]
    const { delivery_id } = await upload(row(one, 1), row(other, 2))
    await addProduct(other)
    await tryDue()
    expect(await stock()).toEqual({ [other]: 2 })
    expect(await waiting()).toMatchObject([{ needs_code: one }])
    await addProduct(one)
    await tryDue()
    expect(await stock()).toEqual({ [one]: 1, [other]: 2 })
    expect(await waiting()).toEqual([])
    expect(await outcomes(delivery_id)).toEqual([
      [200, 'uploaded', 0],
      [200, 'uploaded', 0],
    ])
  })

  it('lets a row wait on for its location after its product has come', async () => {
    const [sku, nowhere] = [unique('SKU'), unique('L')]
    const { delivery_id } = await upload(row(sku, 5, nowhere))
    await addProduct(sku)
    await tryDue()
    expect(await waiting()).toMatchObject([
      { delivery_id: `${delivery_id}.0`, needs: 'location', needs_code: nowhere, tries: 1 },
    ])
    await shop.api.post('/locations/', { code: nowhere })
    await tryDue()
    expect(await stock(nowhere)).toEqual({ [sku]: 5 })
    expect(await outcomes(delivery_id)).toEqual([
      [200, 'waiting', 1],
      [200, 'uploaded', 0],
    ])
  })

  it('overwrites no stock that came later, and says that the row is stale', async () => {
    const sku = unique('SKU')
    const { delivery_id } = await upload(row(sku, 5))
    await addProduct(sku)
    await shop.api.post('/inventory/', { inventory: [row(sku, 9)] })
    await tryDue()
    expect(await stock()).toEqual({ [sku]: 9 })
    expect(await waiting()).toEqual([])
    expect(await outcomes(delivery_id)).toEqual([[200, 'stale', 1]])
  })

  it('gives way to a newer upload of the same pair, also one of another webhook', async () => {
    const sku = unique('SKU')
    const older = await upload(row(sku, 1))
    const own = shop
    shop = await openWebhook({ rules: STOCK_RULES, mappings: {} })
    const newer = await upload(row(sku, 2))
    expect(await waiting()).toMatchObject([{ delivery_id: `${newer.delivery_id}.0` }])
    shop = own
    expect(await waiting()).toEqual([])
    expect(await messageOf(older.delivery_id)).toContain('have ended without being applied')
    await addProduct(sku)
    await tryDue()
    expect(await stock()).toEqual({ [sku]: 2 })
  })

  it('does not take the place of a newer row when it has waited as a whole', async () => {
    const sku = unique('SKU')
    await shop.pause({ until: null })
    const held = await shop.deliver({ inventory: [row(sku, 1)] })
    expect(held.body.data.outcome).toBe('waiting')
    const other = await openWebhook({ rules: STOCK_RULES, mappings: {} })
    await other.deliver({ inventory: [row(sku, 2)] })
    await shop.pause(null)
    await tryDue()
    expect(await waiting()).toEqual([])
    await addProduct(sku)
    await tryDue()
    expect(await stock()).toEqual({ [sku]: 2 })
  })

  it('sets what is newest of what waited as a whole', async () => {
    const { sku } = await createProduct(shop.api)
    await shop.pause({ until: null })
    for (const quantity of [1, 2, 3]) await shop.deliver({ inventory: [row(sku, quantity)] })
    await shop.pause(null)
    await tryDue()
    expect(await stock()).toEqual({ [sku]: 3 })
  })

  it('applies a row once, however many try it at the same time', async () => {
    const sku = unique('SKU')
    const { delivery_id } = await upload(row(sku, 5))
    await addProduct(sku)
    const apply = () => shop.admin.post(`${DELIVERIES}${delivery_id}.0/apply/`, {})
    const answers = await Promise.all([apply(), apply(), tryDue()])
    expect(await stock()).toEqual({ [sku]: 5 })
    expect(await waiting()).toEqual([])
    const told = (await outcomes(delivery_id)).map(([, outcome]) => outcome)
    expect(told.filter((outcome) => outcome === 'uploaded')).toHaveLength(1)
    expect(answers[0]?.status).toBeLessThan(500)
  })

  it('takes the last quantity of a pair that stands in several rows', async () => {
    const sku = unique('SKU')
    expect(await upload(row(sku, 1), row(sku, 2))).toMatchObject({
      upload: { failed: 2 },
      waiting: 1,
    })
    await addProduct(sku)
    await tryDue()
    expect(await stock()).toEqual({ [sku]: 2 })
  })

  it('ends a row that is dismissed, and says so in its row of the log', async () => {
    const { delivery_id } = await upload(row(unique('SKU'), 1))
    const { status } = await shop.admin.post(`${DELIVERIES}${delivery_id}.0/dismiss/`, {})
    expect(status).toBe(200)
    expect(await waiting()).toEqual([])
    expect(await messageOf(delivery_id)).toContain(
      '1 of 1 rows failed. Rows that waited have ended',
    )
  })

  it('keeps as many rows as an answer lists, and tells the others as failed', async () => {
    const rows = Array.from({ length: WAITING_ROWS_MAX + 5 }, () => row(unique('SKU'), 1))
    const data = await upload(...rows)
    expect(data).toMatchObject({ upload: { failed: rows.length }, waiting: WAITING_ROWS_MAX })
    await db.batch([db.prepare('delete from waiting_deliveries')])
  })

  it('keeps as many rows as there is room for', async () => {
    await upload(row(unique('SKU'), 1))
    const set = (records: number) =>
      db
        .prepare('update waiting_totals set records = ? where subject = ?')
        .bind(records, shop.id)
        .run()
    await set(4999)
    const data = await upload(row(unique('SKU'), 1), row(unique('SKU'), 2))
    expect(data).toMatchObject({ upload: { failed: 2 }, waiting: 1 })
    await set(2)
  })

  it('counts what waits in the totals, and gives it back', async () => {
    const totals = () =>
      db
        .prepare('select records, bytes from waiting_totals where subject = ?')
        .bind(shop.id)
        .first()
    const sku = unique('SKU')
    await upload(row(sku, 1))
    const before = await totals()
    expect(before).toMatchObject({ records: 1 })
    expect(Number(before?.bytes)).toBeGreaterThan(50)
    await addProduct(sku)
    await tryDue()
    expect(await totals()).toEqual({ records: 0, bytes: 0 })
  })

  it('is applied without waiting rows if nobody would try them', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const stub = { wake: () => Promise.reject(new Error('gone')) }
    const bindings = { ...env, DELIVERIES: { getByName: () => stub } }
    const { sku } = await createProduct(shop.api)
    const inventory = [row(sku, 1), row(unique('SKU'), 2)]
    const { status, body } = await shop.deliver({ inventory }, { bindings } as object)
    expect([status, body.data.outcome, body.data.waiting]).toEqual([200, 'uploaded', 0])
    expect(await stock()).toEqual({ [sku]: 1 })
    expect(await waiting()).toEqual([])
  })
})
