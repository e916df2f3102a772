import { beforeAll, describe, expect, it } from 'vitest'
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
