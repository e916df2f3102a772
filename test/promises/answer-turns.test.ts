import { beforeAll, describe, expect, it, vi } from 'vitest'
import { client, createKey, openTenant } from '../fixtures/tenant.ts'
import { heldDatabase } from '../middleware/occupied.ts'

const CSV = { Accept: 'text/csv' }

beforeAll(async () => {
  await openTenant('other')
})

/** A client whose key the isolate knows. */
async function known(tenant: 'demo' | 'other') {
  const api = client((await createKey(['integrations.*'], { tenant })).value)
  await api.get('/orders/')
  return api
}

describe('exports of a tenant whose database does not answer', () => {
  it('take no turn from the exports of another tenant', async () => {
    const [one, two, other] = [await known('demo'), await known('demo'), await known('other')]
    const { state, letGo, bindings } = heldDatabase(2)
    const held = [one, two, one, two].map((api) => api.get('/orders/', { headers: CSV, bindings }))
    await expect.poll(() => state.inside).toBeGreaterThan(0)
    await scheduler.wait(100)
    let status = 0
    const exported = other.get('/orders/', { headers: CSV }).then((answer) => {
      status = answer.status
    })
    await vi.waitUntil(() => status > 0, { timeout: 10_000 })
    expect([status, state.inside]).toEqual([200, 1])
    letGo()
    await exported
    expect((await Promise.all(held)).map((answer) => answer.status)).toEqual([200, 200, 200, 200])
  })
})
