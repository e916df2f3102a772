import { beforeAll, describe, expect, it } from 'vitest'
import { type Dashboard, openDashboard } from '../fixtures/session.ts'
import { type Api, client, createKey, type Json, openAdmin, unique } from '../fixtures/tenant.ts'
import { createOrder, createProduct } from '../fixtures/warehouse.ts'

// A page that asks for confirmation makes a dry run first: what would be refused says so before anybody confirms it.

const SETTINGS = '/api/settings/v1'
const ALERT = /<p class="form-error" role="alert">([^<]*)<\/p>/

let dashboard: Dashboard
let admin: Api

beforeAll(async () => {
  dashboard = await openDashboard()
  admin = await openAdmin()
})

const alertOn = async (path: string) => {
  const { status, text } = await dashboard.get(path)
  expect(status).toBe(200)
  return ALERT.exec(text)?.[1] ?? null
}

const made = async (path: string, body: object): Promise<Json> =>
  (await admin.post(SETTINGS + path, body)).body.data

describe('a page that asks for confirmation', () => {
  it('says that a shipped order cannot be cancelled', async () => {
    const order = await createOrder(admin)
    const path = `/dashboard/orders/${order.id}/cancel/`
    expect(await alertOn(path)).toBe(null)
    await admin.put(`/orders/${order.order_number}/`, { status: 'shipped' })
    expect(await alertOn(path)).toBe('The order is shipped and cannot be cancelled.')
  })

  it('says that a partner with a live key cannot be deleted', async () => {
    const { id } = await made('/partners/', { name: unique('Partner') })
    const path = `/dashboard/partners/${id}/delete/`
    expect(await alertOn(path)).toBe(null)
    await made('/api-keys/', { name: unique('key'), partner_id: id })
    expect(await alertOn(path)).toContain('key')
  })

  it('says that a revoked key cannot be rotated', async () => {
    const { id } = await made('/api-keys/', { name: unique('key') })
    const path = `/dashboard/api-keys/${id}/rotate/`
    expect(await alertOn(path)).toBe(null)
    await admin.delete(`${SETTINGS}/api-keys/${id}/`)
    expect(await alertOn(path)).toContain('revoked')
  })

  it('says that the last key with settings access cannot be revoked', async () => {
    const { id, value } = await createKey(['settings.*'], { tenant: 'other' })
    const own = await openDashboard([], { key: value })
    const path = `/dashboard/api-keys/${id}/revoke/`
    expect(ALERT.exec((await own.get(path)).text)?.[1]).toContain('last live key')
    await createKey(['settings.*'], { tenant: 'other' })
    expect(ALERT.exec((await own.get(path)).text)).toBe(null)
  })

  it('changes nothing', async () => {
    const { sku, id } = await createProduct(admin)
    const key = await made('/api-keys/', { name: unique('key') })
    for (const path of [
      `/dashboard/products/${id}/deactivate/`,
      `/dashboard/api-keys/${key.id}/revoke/`,
    ]) {
      expect(await alertOn(path)).toBe(null)
    }
    expect((await admin.get(`/products/${sku}/`)).body.data.is_active).toBe(true)
    expect((await client(key.key).get('/products/')).status).toBe(200)
  })
})
