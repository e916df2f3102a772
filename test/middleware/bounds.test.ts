import { beforeAll, describe, expect, it } from 'vitest'
import { COOKIE } from '../../src/dashboard/sign-in/session.ts'
import { openDashboard, withCookie } from '../fixtures/session.ts'
import { ORIGIN, openAdmin, openTenant, send } from '../fixtures/tenant.ts'

// What a request sends beside its body is bounded before it is taken apart.

const PATHS = [
  '/api/integrations/v1/orders/',
  '/api/settings/v1/partners/',
  '/dashboard/orders/',
  '/dashboard/sign-in/',
  '/healthz/',
  '/nowhere/',
]

beforeAll(async () => {
  await openTenant()
})

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(new Request(ORIGIN + path, { method, headers, redirect: 'manual' }))

describe.each(PATHS)('%s', (path) => {
  it.each([
    ['more than 100 parameters', `?${'a=1&'.repeat(100)}a`, 'more than 100 parameters'],
    ['very many empty parameters', `?${'&'.repeat(10_000)}`, 'more than 100 parameters'],
    ['a long address', `?a=${'x'.repeat(16_384)}`, 'longer than 16384 characters'],
  ])('refuses %s', async (_, search, named) => {
    for (const method of ['GET', 'POST']) {
      const answer = await ask(path + search, {}, method)
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(named)])
    }
  })

  it.each(['Accept', 'Content-Type', 'Cookie', 'If-Match', 'If-None-Match', 'X-Read-After'])(
    'refuses a long header %s',
    async (name) => {
      const answer = await ask(path, { [name]: 'a;,'.repeat(3000) })
      expect(answer.status).toBe(400)
      expect(answer.text).toContain(`The header ${name} is longer than 8192 characters`)
    },
  )
})

describe('what is within the bounds', () => {
  it('is answered as ever', async () => {
    const admin = await openAdmin()
    const search = `?${'a=1&'.repeat(99)}limit=1`
    expect((await admin.get(`/api/settings/v1/workspace/${search}`)).status).toBe(200)
    const { get } = await openDashboard()
    expect((await get(`/dashboard/partners/${search}`)).status).toBe(200)
    const others = withCookie(`a=${'x'.repeat(8000)}; ${COOKIE}=none`)
    expect((await others.get('/dashboard/partners/')).status).toBe(303)
  })
})
