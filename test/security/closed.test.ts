import { beforeAll, describe, expect, it } from 'vitest'
import { mintKey } from '../../src/engine/identity/key.ts'
import { sample } from '../fixtures/depth.ts'
import { ENDPOINTS, requestOf, strayRequestOf } from '../fixtures/endpoints.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { KEYS, WORKSPACE } from '../fixtures/settings.ts'
import { type Api, client, createKey, openAdmin } from '../fixtures/tenant.ts'

// The pause of all is the workspace's, so it is another tenant than everywhere else that is paused here.

let admin: Api

beforeAll(async () => {
  admin = await openAdmin('other')
})

/** `at` is the address of the settings record that is paused. */
async function whilePaused<T>(at: string, run: () => Promise<T>): Promise<T> {
  const paused = await admin.put(at, { pause: {} })
  expect(paused.body.data.pause).toEqual({ until: null, note: null })
  try {
    return await run()
  } finally {
    await admin.put(at, { pause: null })
  }
}

const of = (area: string) => ENDPOINTS.filter((endpoint) => endpoint.area === area)

describe.each(sample(of('integrations'), 6))('$method $path', (endpoint) => {
  it('answers 503 while its key is paused, and is open again afterwards', async () => {
    const request = await requestOf(endpoint, admin)
    const { id, value } = await createKey(['integrations.*'], { tenant: 'other' })
    const paused = await whilePaused(`${KEYS}${id}/`, () => client(value).call(...request))
    expectRefusal(paused, 503, 'UNAVAILABLE')
    expect([paused.body.error.reason, paused.headers.get('Retry-After')]).toEqual(['PAUSED', '300'])
    expect([200, 201]).toContain((await client(value).call(...request)).status)
  })

  it('answers 503 about records that do not exist as well, while all are paused', async () => {
    const request = await strayRequestOf(endpoint, admin)
    const paused = await whilePaused(WORKSPACE, () => admin.call(...request))
    expectRefusal(paused, 503, 'UNAVAILABLE')
  })
})

describe.each(sample(of('settings'), 8))('$method $path', (endpoint) => {
  it('works while all are paused', async () => {
    const request = await requestOf(endpoint, admin)
    const answer = await whilePaused(WORKSPACE, () => admin.call(...request))
    expect([200, 201]).toContain(answer.status)
  })
})

// Spec 5: "Workspace integration disabled". The switch is the workspace's, so it is another tenant
// than everywhere else that is switched off here.

async function switchIntegration(integration_enabled: boolean) {
  const { body } = await admin.put('/api/settings/v1/workspace/', { integration_enabled })
  expect(body.data.integration_enabled).toBe(integration_enabled)
}

async function whileOff<T>(run: () => Promise<T>): Promise<T> {
  await switchIntegration(false)
  try {
    return await run()
  } finally {
    await switchIntegration(true)
  }
}

describe.each(sample(of('integrations'), 6))('$method $path', (endpoint) => {
  it('is closed while the integration is off, and open again afterwards', async () => {
    const request = await requestOf(endpoint, admin)
    const { value } = await createKey(['integrations.*'], { tenant: 'other' })
    const off = await whileOff(() => client(value).call(...request))
    expectRefusal(off, 403, 'WORKSPACE_DISABLED')
    expect([200, 201]).toContain((await client(value).call(...request)).status)
  })

  it('is closed about records that do not exist as well', async () => {
    const request = await strayRequestOf(endpoint, admin)
    expectRefusal(await whileOff(() => admin.call(...request)), 403, 'WORKSPACE_DISABLED')
  })
})

describe.each(sample(of('settings'), 8))('$method $path', (endpoint) => {
  it('works while the integration is off', async () => {
    const request = await requestOf(endpoint, admin)
    const answer = await whileOff(() => admin.call(...request))
    expect([200, 201]).toContain(answer.status)
  })
})

describe('a disabled workspace', () => {
  it('answers a missing, an unknown, a revoked and an expired key as ever', async () => {
    const ended = '2026-01-01T00:00:00.000Z'
    const revoked = await createKey(['settings.*'], { tenant: 'other', revoked_at: ended })
    const expired = await createKey(['settings.*'], { tenant: 'other', expires_at: ended })
    const unknown = await mintKey('other')
    await whileOff(async () => {
      expectRefusal(await client(null).get('/orders/'), 403, 'KEY_MISSING')
      expectRefusal(await client(unknown.value).get('/orders/'), 401, 'KEY_INVALID')
      expectRefusal(await client(revoked.value).get('/orders/'), 401, 'KEY_INVALID')
      expectRefusal(await client(expired.value).get('/orders/'), 401, 'KEY_EXPIRED')
    })
  })

  it('leaves other tenants alone', async () => {
    const { value } = await createKey()
    expect((await whileOff(() => client(value).get('/orders/'))).status).toBe(200)
  })
})
