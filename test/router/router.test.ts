import { beforeAll, describe, expect, it, vi } from 'vitest'
import { expectRefusal } from '../fixtures/refusal.ts'
import { createKey, openTenant } from '../fixtures/tenant.ts'
import { groupOf, originOf, settle, startRouter } from './routing.ts'

const WORKSPACE = '/api/settings/v1/workspace/'
const ORDERS = '/api/integrations/v1/orders/'

const keys = { demo: '', other: '' }

beforeAll(async () => {
  for (const tenant of ['demo', 'other'] as const) {
    await openTenant(tenant)
    keys[tenant] = (await createKey(['integrations.*', 'settings.*'], { tenant })).value
  }
  await settle({ demo: '1', other: '2' })
})

describe('the router', () => {
  it('leads each tenant to its group, and looks up each tenant once', async () => {
    const { ask, calls } = await startRouter()
    for (const _ of [1, 2, 3]) {
      for (const tenant of ['demo', 'other'] as const) {
        const { status, body } = await ask(tenant, WORKSPACE, { key: keys[tenant] })
        expect([status, body.data.tenant]).toEqual([200, tenant])
      }
    }
    expect(calls).toEqual({ looked_up: ['demo', 'other'], asked: [1, 2, 1, 2, 1, 2] })
  })

  it("opens nothing to a key at another tenant's host, and asks that tenant's group alone", async () => {
    const { ask, calls } = await startRouter()
    for (const [host, key, group] of [
      ['demo', keys.other, 1],
      ['other', keys.demo, 2],
    ] as const) {
      calls.asked.length = 0
      expectRefusal(await ask(host, WORKSPACE, { key }), 401, 'KEY_INVALID', 'Invalid API key.')
      const body = { order_number: 'FOREIGN', items: [{ sku_code: 'A', quantity: 1 }] }
      const refused = await ask(host, ORDERS, { method: 'POST', key, body })
      expectRefusal(refused, 401, 'KEY_INVALID', 'Invalid API key.')
      expect(calls.asked).toEqual([group, group])
    }
  })

  it('keeps tenants apart when KV names the wrong group', async () => {
    const { ask } = await startRouter({ get: async (tenant) => (tenant === 'demo' ? '2' : '1') })
    for (const tenant of ['demo', 'other'] as const) {
      expectRefusal(await ask(tenant, WORKSPACE, { key: keys[tenant] }), 401, 'KEY_INVALID')
    }
  })

  it.each([
    ['the API with a key', ORDERS, true],
    ['the API without a key', ORDERS, false],
    ['/healthz/', '/healthz/', false],
  ])('answers for an unknown tenant as a Worker does: %s', async (_, path, hasKey) => {
    const { ask, calls } = await startRouter()
    const asked = hasKey ? { key: keys.demo } : {}
    const answer = await ask('nobody', path, asked)
    expect(calls.asked).toEqual([])
    const headers = new Headers(hasKey ? { 'X-API-Key': keys.demo } : {})
    const direct = await groupOf(['demo'])(new Request(originOf('nobody') + path, { headers }))
    const { error } = (await direct.json()) as { error: { code: string; message: string } }
    expectRefusal(answer, direct.status, error.code, error.message)
  })

  it('refuses plain HTTP: a group does of its tenant, the router of no tenant', async () => {
    const { visit, calls } = await startRouter()
    for (const tenant of ['demo', 'nobody']) {
      const origin = originOf(tenant).replace('https', 'http')
      const answer = await visit(origin, ORDERS, { key: keys.demo })
      expectRefusal(answer, 403, 'HTTPS_REQUIRED')
      expect(answer.headers.get('Strict-Transport-Security')).toBeNull()
      const page = await visit(`${origin}:8080`, '/dashboard/?a=b')
      const to = `${originOf(tenant)}/dashboard/?a=b`
      expect([page.status, page.headers.get('Location')]).toEqual([308, to])
    }
    expect(calls.asked).toEqual([1])
  })

  it('tells browsers to stay with HTTPS, in its own answers too', async () => {
    const { ask } = await startRouter()
    for (const tenant of ['demo', 'nobody']) {
      const { headers } = await ask(tenant, ORDERS, { key: keys.demo })
      expect(headers.get('Strict-Transport-Security')).toBe('max-age=31536000')
    }
  })

  it.each([
    'https://a.demo.example.com',
    'https://__proto__.example.com',
    'https://demo%5F.example.com',
    'https://xn--demo-.example.com',
    `https://${'a'.repeat(63)}.example.com`,
    'https://.example.com',
  ])('says 404 of the host of %s, and asks nobody', async (origin) => {
    const { visit, calls } = await startRouter()
    // A host that cannot be is refused before the Worker runs.
    if (!URL.canParse(origin)) return
    expectRefusal(await visit(origin, '/healthz/'), 404, 'NOT_FOUND')
    expect(calls).toEqual({ looked_up: [], asked: [] })
  })

  it.each([
    'https://example.com',
    'https://demo.example.com.',
    'https://evil.org',
    'https://demo.example.com@evil.org',
    'https://demoexample.com',
  ])('lets the first group answer where the host names no tenant: %s', async (origin) => {
    const { visit, calls } = await startRouter()
    for (const _ of [1, 2]) {
      const { status, body } = await visit(origin, '/healthz/')
      expect([status, Object.keys(body.data)]).toEqual([200, ['version']])
      // A key of each group, to see that the host opens nothing.
      for (const key of [keys.demo, keys.other]) {
        expectRefusal(await visit(origin, WORKSPACE, { key }), 401, 'KEY_INVALID')
      }
    }
    expect(calls).toEqual({ looked_up: [], asked: Array(6).fill(1) })
  })

  it('says 503 where the host names no tenant and the first group does not answer', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { visit } = await startRouter({ groups: { 1: () => Promise.reject(new Error('ended')) } })
    expectRefusal(await visit('https://example.com', '/healthz/'), 503, 'UNAVAILABLE')
  })

  it('takes no header for the host', async () => {
    const { calls, visit } = await startRouter()
    await visit('https://demo.example.com', '/healthz/')
    expect(calls.asked).toEqual([1])
    const { body } = await visit('https://DEMO.EXAMPLE.COM:8443', '/healthz/')
    expect([body.data.tenant, calls.asked]).toEqual(['demo', [1, 1]])
  })
})

describe('a tenant that has moved', () => {
  const start = async (numbers: string[]) =>
    await startRouter({ get: async () => numbers.shift() ?? null })

  it('is found where KV has it now', async () => {
    const { ask, calls } = await start(['1', '2'])
    const { status, body } = await ask('other', WORKSPACE, { key: keys.other })
    expect([status, body.data.tenant, calls.asked]).toEqual([200, 'other', [1, 2]])
    await ask('other', WORKSPACE, { key: keys.other })
    expect(calls.asked).toEqual([1, 2, 2])
  })

  it('gets a body that is sent again', async () => {
    const { ask, calls } = await start(['1', '2'])
    const product = { method: 'POST', key: keys.other, body: { sku: 'MOVED' } }
    const moved = await ask('other', '/api/integrations/v1/products/', product)
    expectRefusal(moved, 503, 'UNAVAILABLE')
    expect(moved.body.error.reason).toBe('TENANT_NOT_ROUTED')
    expect([moved.body.error.message, moved.headers.get('Retry-After')]).toEqual([
      'This tenant has moved. Nothing was changed: send the request again.',
      '1',
    ])
    expect((await ask('other', '/api/integrations/v1/products/', product)).status).toBe(201)
    expect(calls.asked).toEqual([1, 2])
  })

  it('is looked up once in 30 s, and asked for at its old group no more, while KV has it there', async () => {
    const { ask, calls } = await startRouter({ get: async () => '1' })
    for (const _ of [1, 2, 3, 4]) {
      expectRefusal(await ask('other', WORKSPACE, { key: keys.other }), 401, 'KEY_INVALID')
    }
    expect(calls).toEqual({ looked_up: ['other', 'other'], asked: [1] })
  })

  it('is found by each of the requests that its old group refuses, at once or later', async () => {
    const gates = [1, 2, 3].map(() => Promise.withResolvers<void>())
    const old = groupOf(['demo'])
    let waiting = 0
    const refuseLater = async (request: Request) => {
      await gates[waiting++]?.promise
      return await old(request)
    }
    let number = '1'
    const { ask } = await startRouter({ get: async () => number, groups: { 1: refuseLater } })
    const answers = gates.map(() => ask('other', WORKSPACE, { key: keys.other }))
    await expect.poll(() => waiting).toBe(gates.length)
    number = '2'
    for (const together of [[0, 1], [2]]) {
      for (const nth of together) gates[nth]?.resolve()
      for (const nth of together) expect((await answers[nth])?.status).toBe(200)
    }
    expect((await ask('other', WORKSPACE, { key: keys.other })).status).toBe(200)
  })

  it('is not looked up for each request while KV now says one group and now another', async () => {
    let turn = 0
    const { ask, calls } = await startRouter({
      tenants: [['demo'], ['demo']],
      get: async () => (turn++ % 2 === 0 ? '1' : '2'),
    })
    for (const _ of [1, 2, 3, 4]) {
      expectRefusal(await ask('other', WORKSPACE, { key: keys.other }), 401, 'KEY_INVALID')
    }
    expect(calls).toEqual({ looked_up: ['other', 'other'], asked: [1, 2, 2] })
  })

  it('is asked for at its old group no more when KV has none', async () => {
    const { ask, calls } = await start(['1'])
    for (const _ of [1, 2, 3]) {
      expectRefusal(await ask('other', WORKSPACE, { key: keys.other }), 401, 'KEY_INVALID')
    }
    expect(calls).toEqual({ looked_up: ['other', 'other'], asked: [1] })
  })

  it('is not there for good when KV fails', async () => {
    const numbers = [() => '1', () => Promise.reject(new Error('KV')), () => '2']
    const { ask } = await startRouter({ get: async () => numbers.shift()?.() ?? null })
    expectRefusal(await ask('other', WORKSPACE, { key: keys.other }), 503, 'UNAVAILABLE')
    expect((await ask('other', WORKSPACE, { key: keys.other })).status).toBe(200)
  })
})
