import { describe, expect, it } from 'vitest'
import { inDeepPass, sample } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { openDashboard } from '../fixtures/session.ts'
import { createKey, type Json, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct, stock } from '../fixtures/warehouse.ts'

// Products and locations, which are deactivated and not deleted.

const KINDS = [
  {
    resource: 'products',
    one: 'product',
    name: 'sku',
    create: createProduct,
    free: 'custom_fields',
    others: 'locations',
  },
  {
    resource: 'locations',
    one: 'location',
    name: 'code',
    create: createLocation,
    free: 'metadata',
    others: 'products',
  },
] as const

describe.each(KINDS)('GET /dashboard/$resource/', ({ resource, one, name, create }) => {
  const list = `/dashboard/${resource}/`

  it('says how one arrives where there is none', async () => {
    const key = await createKey([`integrations.${resource}.read`], { tenant: 'other' })
    const { text } = await (await openDashboard([], { key: key.value })).get(list)
    expect(text).toContain(`No active ${resource} yet.`)
    expect(text).toContain(`A ${one} arrives when a client sends it:`)
  })

  it('shows the active, the inactive or all, and keeps that from page to page', async () => {
    const active = await create(admin, { [name]: unique('<b>') })
    const gone = [await create(admin), await create(admin)]
    for (const record of gone) await admin.delete(`/${resource}/${record[name]}/`)
    const shows = (text: string, { id }: Json) => text.includes(`href="${list}${id}/"`)
    const first = await dashboard.get(list)
    expect([shows(first.text, active), shows(first.text, gone[0])]).toEqual([true, false])
    expect(first.text).not.toContain('<b>')
    const all = await dashboard.get(`${list}?is_active=all`)
    expect([active, ...gone].map((record) => shows(all.text, record))).toEqual([true, true, true])
    const page = await dashboard.get(`${list}?is_active=false&limit=1`)
    expect(shows(page.text, gone[1])).toBe(true)
    expect(page.text).toContain('<option value="false" selected="">Inactive</option>')
    const [, older = ''] = /href="([^"]*)" rel="next"/.exec(page.text) ?? []
    const next = await dashboard.get(older.replaceAll('&amp;', '&'))
    expect([shows(next.text, gone[0]), shows(next.text, active)]).toEqual([true, false])
  })

  it('tells of a filter that is wrong at its field', async () => {
    const { status, text } = await dashboard.get(`${list}?is_active=maybe`)
    expect(status).toBe(400)
    expect(text).toMatch(/id="is_active-error">Must be one of/)
    expect(text).toContain('<option value="maybe" selected="">')
  })
})

describe.each(sample(KINDS, 1))('GET /dashboard/$resource/:id/', (kind) => {
  const { resource, one, name, create, free, others } = kind
  const list = `/dashboard/${resource}/`

  it('shows its fields, its stock, and what changed it', async () => {
    const record = await create(admin, { [name]: unique('<i>'), [free]: { colour: ['<u>'] } })
    const of = resource === 'products' ? { sku_code: record.sku } : { location_code: record.code }
    const row = await stock(admin, { ...of, quantity: 4321 })
    await admin.put(`/${resource}/${encodeURIComponent(record[name])}/`, { is_active: true })
    const { status, text } = await dashboard.get(`${list}${record.id}/`)
    expect(status).toBe(200)
    expect(text).toContain('<span class="status active">active</span>')
    expect(text).toContain('&quot;colour&quot;: [\n    &quot;&lt;u&gt;&quot;\n  ]')
    expect(text).toContain('4,321')
    expect(text).toContain(`>${resource === 'products' ? row.location_code : row.sku_code}<`)
    expect(text).toMatch(new RegExp(`href="/dashboard/${others}/[0-9a-f-]{36}/"`))
    expect(text).toContain(`${Object.keys(of)[0]}=%3Ci%3E`)
    expect(text).toContain(`PUT /api/integrations/v1/${resource}/%3Ci%3E`)
    expect(text).toContain(`POST /api/integrations/v1/${resource}/`)
    expect(text).toContain(`${resource}/%3Ci%3E`)
    expect(text).not.toMatch(/<i>|<u>/)
  })

  inDeepPass(() => {
    it('shows the newest of much stock, and leads to all of it', async () => {
      const record = await create(admin)
      const of = resource === 'products' ? { sku_code: record.sku } : { location_code: record.code }
      for (let n = 0; n < 21; n++) await stock(admin, { ...of, quantity: 7000 + n })
      const { text } = await dashboard.get(`${list}${record.id}/`)
      expect(text).toContain('7,020')
      expect(text).not.toContain('7,000')
      const [, all = ''] = /href="([^"]*)">All of it/.exec(text) ?? []
      expect((await dashboard.get(all)).text).toContain('7,000')
    })
  })

  it('says which scopes its parts need, and offers no change', async () => {
    const { id } = await create(admin)
    const scope = `integrations.${resource}.read`
    const { text } = await (await openDashboard([scope])).get(`${list}${id}/`)
    expect(text).toContain('lack the scope <code>integrations.inventory.read</code>')
    expect(text).toContain('lack the scope <code>settings.audit.read</code>')
    expect(text).not.toMatch(/>(Dea|A)ctivate</)
  })

  it('is 404 without such a record', async () => {
    const { status, text } = await dashboard.get(`${list}none/`)
    expect([status, text.includes(`No ${one} has the id`)]).toEqual([404, true])
  })
})

describe.each(KINDS)('POST /dashboard/$resource/:id/deactivate/', (kind) => {
  const { resource, one, name, create } = kind
  const list = `/dashboard/${resource}/`

  it('deactivates after a confirmation, and activates again', async () => {
    const record = await create(admin)
    const isActive = async () =>
      (await admin.get(`/${resource}/${record[name]}/`)).body.data.is_active
    for (const [action, expected] of [
      ['Deactivate', false],
      ['Activate', true],
    ] as const) {
      const page = await dashboard.get(`${list}${record.id}/`)
      const [, path = ''] = new RegExp(`href="([^"]*)">${action}<`).exec(page.text) ?? []
      expect((await dashboard.get(path)).text).toContain(`${action} the ${one} “${record[name]}”?`)
      const answer = await dashboard.post(path)
      expect(answer.status).toBe(303)
      expect(await isActive()).toBe(expected)
      const shown = await dashboard.get(answer.headers.get('Location') ?? '')
      expect(shown.text).toMatch(new RegExp(`The ${one} is (in)?active\\.`))
      expect(shown.text).toContain(`POST ${path}`)
    }
  })

  it('is 404 without such a record, and changes nothing', async () => {
    expect((await dashboard.post(`${list}none/deactivate/`)).status).toBe(404)
    expect((await dashboard.post(`${list}none/activate/`)).status).toBe(404)
  })
})
