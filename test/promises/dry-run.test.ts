import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { ENDPOINTS, requestOf, strayRequestOf } from '../fixtures/endpoints.ts'
import { rehearse, seen } from '../fixtures/rehearsing.ts'
import { type Answer, type Json, openAdmin, openTenant } from '../fixtures/tenant.ts'

// A dry run answers what the request would answer at this moment, and changes nothing.

const WRITES = ENDPOINTS.filter(({ method }) => method !== 'GET')
const NO_KEY = { field: 'key', message: 'A dry run makes no key, so there is none to show.' }
const NO_ADDRESS = {
  field: 'address',
  message: 'A dry run makes no address, so there is none to show.',
}

/** What a dry run shows of this answer: no secret. */
function rehearsed({ status, body }: Answer): Json {
  for (const warning of [NO_KEY, NO_ADDRESS]) {
    if (typeof body.data?.[warning.field] !== 'string') continue
    const data = { ...body.data, [warning.field]: null }
    return seen({ status, body: { ...body, data, warnings: [warning] } })
  }
  return seen({ status, body })
}

const db = await openTenant()
const admin = await openAdmin()
await admin.get('/orders/')

describe.each(sample(WRITES, 8))('$method $path', (endpoint) => {
  it('answers a dry run as the request, and changes nothing', async () => {
    const request = await requestOf(endpoint, admin)
    const dry = await rehearse(db, admin, request)
    // test/records/dry-run-upload.test.ts
    if (endpoint.path.endsWith('/inventory/')) delete dry.body.data.changes
    // What is sent again is rehearsed itself.
    if (dry.body.data.answer) {
      expect(dry.body.data.answer.dry_run).toBe(true)
      delete dry.body.data.answer.dry_run
    }
    const real = await admin.call(...request)
    expect(real.status).toBeLessThan(300)
    expect(real.headers.get('X-Dry-Run')).toBeNull()
    expect(seen(dry)).toEqual(rehearsed(real))
    expect(JSON.stringify(Object.keys(dry.body.data))).toBe(
      JSON.stringify(Object.keys(real.body.data)),
    )
  })

  it('refuses a dry run as the request', async () => {
    const [method, path, body] = await strayRequestOf(endpoint, admin)
    const request = path.includes('unknown-')
      ? ([method, path, body] as const)
      : ([method, path, { items: 1, inventory: 1, name: 1, sku: 1, code: 1 }] as const)
    const dry = await rehearse(db, admin, request)
    const real = await admin.call(...request)
    expect(real.status).toBeGreaterThanOrEqual(400)
    expect(seen(dry)).toEqual(seen(real))
  })
})
