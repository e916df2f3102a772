import { lintFromString, loadConfig } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, startServer } from '../fixtures/server.ts'

const PATHS = [
  '/api/integrations/v1/openapi.json',
  '/api/integrations/v1/openapi-1.0.json',
  '/api/settings/v1/openapi.json',
]

let served: Served

beforeAll(async () => {
  served = await startServer()
})
afterAll(() => served.close())

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
