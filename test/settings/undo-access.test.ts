import { beforeAll, describe, expect, it } from 'vitest'
import { openPartner } from '../fixtures/partner.ts'
import { openDashboard } from '../fixtures/session.ts'
import { type Api, client, createKey, openAdmin, openTenant } from '../fixtures/tenant.ts'
import { idOf, LOG, newShelf, shelved, undo, upload } from '../fixtures/undo.ts'
import { createOrder, createProduct, dataOf, path } from '../fixtures/warehouse.ts'

let db: D1Database
let admin: Api

beforeAll(async () => {
  db = await openTenant()
  admin = await openAdmin()
})

const holderOf = async (...scopes: string[]) => client((await createKey(scopes)).value)
const changes = (api: Api, id: string) => api.get(`${LOG}/${id}/changes/`)

/** The first id of each kind of request, by its resource. */
async function requests() {
  const product = await createProduct(admin)
  const order = await createOrder(admin)
  const shelf = await newShelf(db, 1)
  return {
    products: idOf(await admin.put(path('products', product.sku), { quantity: 5 })),
    orders: idOf(await admin.put(path('orders', order.order_number), { notes: 'x' })),
    inventory: await upload(admin, shelf, { 0: 3 }),
  }
}

describe('changes and undo', () => {
  it('ask for the scope of what the request changed', async () => {
    const ids = await requests()
    for (const [resource, id] of Object.entries(ids)) {
      const [read, write] = [`integrations.${resource}.read`, `integrations.${resource}.write`]
      const all = ['settings.audit.read', 'integrations.*']
      const others = ['orders', 'products', 'locations', 'inventory']
        .filter((name) => name !== resource)
        .map((name) => `integrations.${name}.*`)
      const without = await holderOf('settings.audit.read', ...others, write)
      const refused = await changes(without, id)
      expect([refused.status, refused.body.error.code]).toEqual([403, 'SCOPE_MISSING'])
      expect(refused.body.error.message).toContain(read)
      const reader = await holderOf('settings.audit.read', ...others, read)
      expect((await changes(reader, id)).body.data).toHaveLength(1)
      const unwritten = await undo(reader, id)
      expect([unwritten.status, unwritten.body.error.code]).toEqual([403, 'SCOPE_MISSING'])
      expect(unwritten.body.error.message).toContain(write)
      expect(dataOf(await undo(await holderOf(...all), id), 200).restored).toBe(
        resource === 'inventory' ? 0 : 1,
      )
    }
  })

  it('are no way around own_orders_only', async () => {
    const other = await openPartner()
    const own = await openPartner({ own_orders_only: true })
    await db
      .prepare('update api_keys set scopes = ? where partner_id = ?')
      .bind(JSON.stringify(['integrations.*', 'settings.audit.read']), own.id)
      .run()
    for (const [api, isOwn] of [
      [other.api, false],
      [admin, false],
      [own.api, true],
    ] as const) {
      const items = [{ sku_code: (await createProduct(admin)).sku, quantity: 1 }]
      const order = await createOrder(api, { items })
      const id = idOf(await admin.put(path('orders', order.order_number), { notes: 'secret' }))
      const [seen, taken] = [await changes(own.api, id), await undo(own.api, id)]
      expect([seen.status, taken.status]).toEqual(isOwn ? [200, 200] : [404, 404])
      const { notes } = (await admin.get(path('orders', order.order_number))).body.data
      expect(notes).toBe(isOwn ? null : 'secret')
      if (!isOwn) expect(seen.text + taken.text).not.toContain('secret')
    }
  })

  it('work while the integration is off', async () => {
    const shelf = await newShelf(db, 1)
    const id = await upload(admin, shelf, { 0: 3 })
    const set = (integration_enabled: boolean) =>
      admin.put('/api/settings/v1/workspace/', { integration_enabled })
    await set(false)
    const answers = [await changes(admin, id), await undo(admin, id)]
    await set(true)
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await shelved(db, shelf)).toEqual([0])
  })
})

describe('/dashboard/audit-log/{id}/undo/', () => {
  it('shows what happens to a record, and does it', async () => {
    const product = await createProduct(admin, { quantity: 1234 })
    const id = idOf(await admin.put(path('products', product.sku), { quantity: 4321 }))
    const dashboard = await openDashboard(['settings.audit.read', 'integrations.products.*'])
    expect((await dashboard.get(`/dashboard/audit-log/${id}/`)).text).toContain(`${id}/undo/`)
    const asked = await dashboard.get(`/dashboard/audit-log/${id}/undo/`)
    for (const text of [product.sku, '4321', '1234']) expect(asked.text).toContain(text)
    const done = await dashboard.post(`/dashboard/audit-log/${id}/undo/`)
    expect(done.status).toBe(303)
    expect((await admin.get(path('products', product.sku))).body.data.quantity).toBe(1234)
    const again = await dashboard.post(`/dashboard/audit-log/${id}/undo/`)
    expect([again.status, again.text.includes('it has changed since')]).toEqual([412, true])
  })

  it('needs the scope of what the request changed', async () => {
    const { products } = await requests()
    const dashboard = await openDashboard(['settings.audit.read', 'integrations.products.read'])
    expect((await dashboard.get(`/dashboard/audit-log/${products}/`)).text).not.toContain(
      `${products}/undo/`,
    )
    for (const method of ['get', 'post'] as const) {
      const refused = await dashboard[method](`/dashboard/audit-log/${products}/undo/`)
      expect(refused.status).toBe(403)
      expect(refused.text).toContain('integrations.products.write')
    }
  })
})
