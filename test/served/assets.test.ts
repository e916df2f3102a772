import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { lintFromString, loadConfig } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { served } from './serving.ts'

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

const PATHS = [
  '/api/integrations/v1/openapi.json',
  '/api/integrations/v1/openapi-1.0.json',
  '/api/settings/v1/openapi.json',
]

describe.each(PATHS)('GET %s', (path) => {
  it('gives the document, to anyone', async () => {
    const answer = await fetch(served.origin + path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('Content-Type')).toBe('application/json')
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff')
    const { openapi, servers } = (await answer.json()) as { openapi: string; servers: object[] }
    expect([openapi, servers]).toEqual(['3.1.0', [{ url: served.origin }]])
  })
})

describe('GET /docs/', () => {
  it('gives a page that may load nothing but what is ours', async () => {
    const answer = await fetch(`${served.origin}/docs/`)
    expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    const policy = answer.headers.get('Content-Security-Policy')
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; connect-src 'self';/)
    for (const closed of ['frame-ancestors', 'base-uri', 'form-action']) {
      expect(policy).toContain(`; ${closed} 'none'`)
    }
    expect(answer.headers.get('X-Frame-Options')).toBe('DENY')
    expect(policy).not.toContain('unsafe')
    const page = await answer.text()
    for (const path of PATHS) expect(page).toContain(`href="${path}"`)
  })
})

describe('the linter', () => {
  it.each(PATHS)('finds no fault with %s, by the rules of redocly.yaml', async (path) => {
    const source = await (await fetch(served.origin + path)).text()
    const config = await loadConfig({ configPath: 'redocly.yaml' })
    const faults = await lintFromString({ source, absoluteRef: 'openapi.json', config })
    expect(faults.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
  })
})

describe('GET /healthz/', () => {
  it('tells the version of the build', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'))
    const answer = await fetch(`${served.origin}/healthz/`)
    expect(await answer.json()).toEqual({ success: true, data: { version } })
  })

  it('is found without its slash', async () => {
    const answer = await fetch(`${served.origin}/healthz`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('Location')]).toEqual([308, '/healthz/'])
  })
})

const GZIPPED_BYTES_MAX = 450 * 1024

describe('the built Worker', () => {
  it('is under 450 KB gzipped, dashboard included', async () => {
    const bytes = gzipSync(await readFile('dist/worker/index.js')).length
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThan(GZIPPED_BYTES_MAX)
  })

  it('carries nothing of the OpenAPI documents, the API reference, the plots or what is installed', async () => {
    const text = await readFile('dist/worker/index.js', 'utf8')
    for (const word of [
      '"3.1.0"',
      'Crossdock API reference',
      'Chart.js',
      'createDocument',
      'devDependencies',
    ]) {
      expect(text).not.toContain(word)
    }
  })
})
