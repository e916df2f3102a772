import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, startServer } from '../fixtures/server.ts'

let served: Served

beforeAll(async () => {
  served = await startServer()
})
afterAll(() => served.close())

describe('GET /api/integrations/v1/openapi.json', () => {
  it('answers without a key', async () => {
    const answer = await fetch(`${served.origin}/api/integrations/v1/openapi.json`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('Content-Type')).toBe('application/json')
  })
})

describe('a path below /api/', () => {
  it('has no static asset', () => {
    expect(readdirSync('dist/assets')).not.toContain('api')
  })

  it.each([
    '/api/integrations/v1/openapi.json',
    '/%61pi/integrations/v1/openapi.json',
    '/api/integrations/v1/products/openapi.json',
    '/api/settings/v1/partners/1/openapi.json',
    '/api/openapi.json',
    '/api/openapi.json/',
    '/api/none.css',
    '/api/../api/openapi.json',
    '/api/',
    '/api',
  ])('is answered by the app: %s', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST']) {
      const { status, headers } = await fetch(served.origin + path, { method, redirect: 'manual' })
      expect(headers.get('X-Request-Id'), `${method} ${status}`).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers.get('Cache-Control')).toBe('no-store')
    }
  })

  it('without its slash leads to it', async () => {
    const path = '/api/integrations/v1/products/openapi.json'
    const { status, headers } = await fetch(served.origin + path, { redirect: 'manual' })
    expect([status, headers.get('Location')]).toEqual([308, `${path}/`])
  })
})

describe('GET /assets/dashboard.css', () => {
  it('gives the style sheet', async () => {
    const answer = await fetch(`${served.origin}/assets/dashboard.css`)
    expect(answer.headers.get('Content-Type')).toBe('text/css; charset=utf-8')
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff')
  })
})

describe('X-Content-Type-Options', () => {
  it.each([
    '/docs/',
    '/docs/none',
    '/assets/dashboard.js',
    '/assets/icon.svg',
    '/api/integrations/v1/openapi.json',
    '/api/settings/v1/openapi.json',
    '/healthz/',
    '/dashboard/sign-in/',
  ])('is nosniff at %s', async (path) => {
    const { headers } = await fetch(served.origin + path)
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
  })
})

describe('GET /', () => {
  it('leads to the dashboard', async () => {
    const answer = await fetch(`${served.origin}/`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('Location')]).toEqual([302, '/dashboard/'])
  })
})
