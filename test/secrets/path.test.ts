import { afterEach, describe, expect, it, vi } from 'vitest'
import { hintOf } from '../../src/engine/identity/key.ts'
import { openDashboard } from '../fixtures/session.ts'
import { type Answer, type Api, client, createKey, openAdmin } from '../fixtures/tenant.ts'

const ORDERS = '/api/integrations/v1/orders/'
const KEYS = '/api/settings/v1/api-keys/'

async function recordOf(api: Api, { headers }: Answer) {
  const path = `/api/settings/v1/audit-log/?request_id=${headers.get('X-Request-Id')}`
  return (await api.get(path)).body.data[0]
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a key in a path, where a name belongs', () => {
  it.each([
    ['of the integrations API', ORDERS],
    ['of the settings API', KEYS],
    ['that leads nowhere', '/api/integrations/v1/'],
  ])('is in answer and audit log as its hint, %s', async (_, path) => {
    const [api, { value }] = [await openAdmin(), await createKey()]
    for (const written of [value, value.replaceAll('_', '%5f')]) {
      const answer = await api.get(`${path}${written}/`)
      expect(answer.status).toBe(404)
      expect(answer.text).not.toContain(value)
      expect((await recordOf(api, answer)).path).toBe(`${path}${hintOf(value)}/`)
    }
  })

  it('is in an error of the dashboard as its hint', async () => {
    const { value } = await createKey()
    const { status, text } = await (await openDashboard()).get(`/dashboard/api-keys/${value}/`)
    expect(status).toBe(404)
    expect(text).toContain(`No API key has the id &quot;${hintOf(value)}&quot;`)
  })

  it('is in the log as its hint, of somebody without a key', async () => {
    const { value } = await createKey()
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {})
    expect((await client(null).get(`${ORDERS}${value}/`)).status).toBe(403)
    expect(log.mock.calls.map(([line]) => JSON.parse(line).path)).toEqual([
      `${ORDERS}${hintOf(value)}/`,
    ])
  })
})

describe('a key in a field that is refused', () => {
  it('is in the answer as its hint', async () => {
    const [api, { value }] = [await openAdmin(), await createKey()]
    const { status, text } = await api.post(KEYS, { name: 'x', scopes: [value] })
    expect(status).toBe(400)
    expect(text).not.toContain(value)
  })
})
