import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { openPartner } from '../fixtures/partner.ts'
import { type Dashboard, openDashboard } from '../fixtures/session.ts'
import { issueKey } from '../fixtures/settings.ts'
import { execute } from '../fixtures/sql.ts'
import { createKey, type Json, openAdmin, outdateCallers, unique } from '../fixtures/tenant.ts'
import { createOrder, oneLine } from '../fixtures/warehouse.ts'
import { LIST } from './key-pages.ts'

// To a session of a key with own_orders_only, another's order is like one that nobody has made.

const ORDERS = '/dashboard/orders/'

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
      const text = markupOf(await dashboard.get(ORDERS + query))
      expect(text).toContain(own.order_number)
      expect(text).not.toContain(other.order_number)
    },
  )
})

describe('the pages of an order', () => {
  it('are there for an own order', async () => {
    expect((await dashboard.get(`${ORDERS}${own.id}/`)).text).toContain(own.order_number)
    expect((await dashboard.get(`${ORDERS}${own.id}/cancel/`)).text).toContain(own.order_number)
  })

  it("are 404 for another's, as for an unknown one, and change nothing", async () => {
    for (const path of [`${ORDERS}${other.id}/`, `${ORDERS}${other.id}/cancel/`]) {
      const text = markupOf(await dashboard.get(path), 404)
      expect(text).not.toContain(other.order_number)
    }
    expect((await dashboard.post(`${ORDERS}${other.id}/cancel/`, {})).status).toBe(404)
    const admin = await openAdmin()
    expect((await admin.get(`/orders/${other.order_number}/`)).body.data.status).toBe('pending')
  })
})

describe('a search by a limited key', () => {
  it.each(['/dashboard/search/?q=', `${ORDERS}?search=`])(
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
    expect((await dashboard.get(ORDERS)).text).not.toContain('aria-label="Search orders"')
  })
})

// A session of a key that is linked to a partner grants only to keys of this partner.

const NEW = '/dashboard/new/api-key/'

let partner: Awaited<ReturnType<typeof openPartner>>
let stranger: Awaited<ReturnType<typeof openPartner>>
let sibling: Json
let free: Json
let linked: Dashboard

beforeAll(async () => {
  partner = await openPartner({ scopes: ['settings.*', 'integrations.*'] })
  stranger = await openPartner()
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  sibling = await issueKey(admin, { partner_id: partner.id, expires_at })
  free = await issueKey(admin, { expires_at })
  linked = await openDashboard([], { key: partner.key.key })
})

const rowOf = (text: string, name: string) =>
  text.split('<tr>').findLast((row) => row.includes(name)) ?? ''
const partnersIn = (text: string) =>
  [
    ...(/<select id="partner_id".*?<\/select>/s.exec(text)?.[0] ?? '').matchAll(/value="([^"]*)"/g),
  ].map(([, value]) => value)

describe.each([LIST, '/dashboard/'])('GET %s', (path) => {
  it('offers to rotate keys of its partner only', async () => {
    const { text } = await linked.get(path)
    expect(rowOf(text, sibling.name)).toContain('Rotate')
    expect(rowOf(text, free.name)).toContain('Edit')
    expect(rowOf(text, free.name)).not.toContain('Rotate')
  })
})

describe('GET /dashboard/new/api-key/', () => {
  it.each(['', '?partner_id='])('offers its own partner alone, and says why: %s', async (query) => {
    const asked = query && `${query}${stranger.id}`
    const { text } = await linked.get(`${NEW}${asked}`)
    expect(partnersIn(text)).toEqual([partner.id])
    expect(text).toContain(partner.name)
    expect(text).toContain('your own key is linked to this one')
  })
})

describe('POST /dashboard/new/api-key/', () => {
  it('creates a key of its partner, and shows the refusal of any other on the form', async () => {
    const name = unique('key')
    const fields = { name, access: 'full', partner_id: partner.id }
    expect((await linked.post(NEW, fields)).text).toMatch(/xd_demo_\w{49}/)
    const answer = await linked.post(NEW, { ...fields, partner_id: '' })
    expect(answer.status).toBe(403)
    expect(answer.text).toMatch(/class="form-error"[^>]*>\s*This API key is linked to a partner:/)
    expect(answer.text).not.toMatch(/xd_demo_\w{49}/)
  })
})

describe('GET /dashboard/api-keys/:id/', () => {
  it('offers all of a key of its partner, and the name alone of others', async () => {
    const own = await linked.get(`${LIST}${sibling.id}/`)
    expect(partnersIn(own.text)).toEqual([partner.id])
    for (const { id } of [free, stranger.key]) {
      const { text } = await linked.get(`${LIST}${id}/`)
      expect(text).toContain(`is not linked to the partner of your own key, ${partner.name}.`)
      expect(text).not.toMatch(/name="(access|scopes|partner_id|release|rate_limit|expires_at)"/)
    }
  })
})

describe('POST /dashboard/api-keys/:id/', () => {
  it('does not unlink a key of its partner', async () => {
    const fields = { name: sibling.name, access: 'full', partner_id: '' }
    const answer = await linked.post(`${LIST}${sibling.id}/`, fields)
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('This API key is linked to a partner:')
  })
})

describe('POST /dashboard/api-keys/:id/rotate/', () => {
  it('shows no value of a key without a partner', async () => {
    const text = markupOf(
      await linked.post(`${LIST}${free.id}/rotate/`, { overlap_seconds: '0' }),
      403,
    )
    expect(text).not.toMatch(/xd_demo_\w{49}/)
  })
})

// A key without settings opens the pages of records, and no way around what holds for it in the API.

const LISTS = ['orders', 'products', 'locations', 'inventory'].map((name) => `/dashboard/${name}/`)
const SETTINGS = '/api/settings/v1/workspace/'

afterEach(async () => {
  vi.useRealTimers()
  await (await openAdmin()).put(SETTINGS, { integration_enabled: true })
})

describe.each(sample(LISTS, 2))('GET %s', (list) => {
  it('is closed to a client whose release has ended', async () => {
    const { id, value } = await createKey(['integrations.*'])
    await execute("update api_keys set release = '1.0' where id = ?", id)
    await outdateCallers()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2031-01-01') })
    const { status, text } = await (await openDashboard([], { key: value })).get(list)
    expect([status, text.includes('RELEASE_GONE')]).toEqual([410, true])
  })

  it('is closed to a client while the integration is off, and open to an administrator', async () => {
    const client = await openDashboard(['integrations.*'])
    const admin = await openDashboard(['integrations.*', 'settings.keys.read'])
    expect((await client.get(list)).status).toBe(200)
    await (await openAdmin()).put(SETTINGS, { integration_enabled: false })
    const refused = await client.get(list)
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('WORKSPACE_DISABLED')
    expect((await admin.get(list)).status).toBe(200)
  })

  it.each([
    [['integrations.*'], 429],
    [['integrations.*', 'settings.read'], 200],
  ])('counts for the limit of a client, not of an administrator: %j', async (scopes, status) => {
    const { id, value } = await createKey(scopes)
    await execute('update api_keys set rate_limit = 2 where id = ?', id)
    await outdateCallers()
    const dashboard = await openDashboard([], { key: value })
    for (const expected of [200, 200, status]) {
      expect((await dashboard.get(list)).status).toBe(expected)
    }
  })
})
