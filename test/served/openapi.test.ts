import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, startServer } from './server.ts'

const run = promisify(execFile)

const PATHS = ['/api/integrations/v1/openapi.json', '/api/settings/v1/openapi.json']

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
    expect([openapi, servers]).toEqual(['3.1.0', [{ url: '/' }]])
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
    const page = await answer.text()
    for (const path of PATHS) expect(page).toContain(`href="${path}"`)
  })
})

describe('the linter', () => {
  it.each(PATHS)('finds no fault with %s', async (path) => {
    const folder = await mkdtemp(join(tmpdir(), 'crossdock-'))
    const file = join(folder, 'openapi.json')
    await writeFile(file, await (await fetch(served.origin + path)).text())
    expect(await lint(file)).toMatchObject({ totals: { errors: 0, warnings: 0 } })
    await rm(folder, { recursive: true })
  })
})

/** What redocly says, by the rules of redocly.yaml; it finds faults with a document by exit code 1. */
async function lint(file: string): Promise<unknown> {
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { stdout } = await run(
    process.execPath,
    ['node_modules/@redocly/cli/bin/cli.js', 'lint', '--format=json', file],
    { env: { ...process.env, ...quiet }, maxBuffer: 16 * 1024 * 1024 },
  ).catch((error: { stdout: string }) => error)
  return JSON.parse(stdout)
}
