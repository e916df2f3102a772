import { beforeAll, describe, expect, it } from 'vitest'
import { openPartner } from '../fixtures/partner.ts'
import { type Dashboard, openDashboard } from '../fixtures/session.ts'
import { type Json, openAdmin, unique } from '../fixtures/tenant.ts'
import { createOrder, oneLine } from '../fixtures/warehouse.ts'

// To a session of a key with own_orders_only, another's order is like one that nobody has made.

const LIST = '/dashboard/orders/'

let dashboard: Dashboard
let own: Json
let other: Json

beforeAll(async () => {
  const admin = await openAdmin()
  const items = await oneLine(admin)
  const partner = await openPartner({ own_orders_only: true })
  const customer_name = 'Ada Lund'
  own = await createOrder(partner.api, { order_number: unique('O'), customer_name, items })
  other = await createOrder(admin, { order_number: unique('O'), customer_name, items })
  dashboard = await openDashboard([], { key: partner.key.key })
})

describe('GET /dashboard/orders/', () => {
  it.each(['', '?status=pending', '?created_from=2026-01-01T00%3A00%3A00Z'])(
    'shows a limited key its own orders: %s',
    async (query) => {
      const { status, text } = await dashboard.get(LIST + query)
      expect(status).toBe(200)
      expect(text).toContain(own.order_number)
      expect(text).not.toContain(other.order_number)
    },
  )
})

describe('the pages of an order', () => {
  it('are there for an own order', async () => {
    expect((await dashboard.get(`${LIST}${own.id}/`)).text).toContain(own.order_number)
    expect((await dashboard.get(`${LIST}${own.id}/cancel/`)).text).toContain(own.order_number)
  })

  it("are 404 for another's, as for an unknown one, and change nothing", async () => {
    for (const path of [`${LIST}${other.id}/`, `${LIST}${other.id}/cancel/`]) {
      const { status, text } = await dashboard.get(path)
      expect(status).toBe(404)
      expect(text).not.toContain(other.order_number)
    }
    expect((await dashboard.post(`${LIST}${other.id}/cancel/`, {})).status).toBe(404)
    const admin = await openAdmin()
    expect((await admin.get(`/orders/${other.order_number}/`)).body.data.status).toBe('pending')
  })
})

describe('a search by a limited key', () => {
  it.each(['/dashboard/search/?q=', `${LIST}?search=`])(
    'finds no orders, not even its own, and says why: %s',
    async (path) => {
      for (const { order_number } of [own, other]) {
        const [, part] = order_number.split('-')
        for (const asked of [order_number, order_number.slice(0, -1), part, 'Lund']) {
          const { headers, text } = await dashboard.get(path + asked)
          expect(headers.get('Location')).toBeNull()
          expect(text).toContain('and cannot search them')
          expect(text).not.toContain(`/dashboard/orders/${own.id}/`)
          expect(text).not.toContain(other.id)
        }
      }
    },
  )

  it('has no field above the list', async () => {
    expect((await dashboard.get(LIST)).text).not.toContain('aria-label="Search orders"')
  })
})
