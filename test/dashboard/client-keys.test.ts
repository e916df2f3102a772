import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { openDashboard } from '../fixtures/session.ts'
import { createKey, openAdmin, outdateCallers } from '../fixtures/tenant.ts'

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
    await env.DB_DEMO.prepare("update api_keys set release = '1.0' where id = ?").bind(id).run()
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
    await env.DB_DEMO.prepare('update api_keys set rate_limit = 2 where id = ?').bind(id).run()
    await outdateCallers()
    const dashboard = await openDashboard([], { key: value })
    for (const expected of [200, 200, status]) {
      expect((await dashboard.get(list)).status).toBe(expected)
    }
  })
})
