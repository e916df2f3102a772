import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { alerts } from '../../scripts/alerts.ts'
import { datasetOf, type Values } from './rows.ts'

const RUN: Values = { kind: 'retention', tenant: '-', retention: 'audit' }
const FAULT: Values = { kind: 'request', tenant: 'acme', error_code: 'INTERNAL_ERROR' }

let points: Values[]
let asked: { url: string | undefined; authorization: string | undefined; sql: string }[]
let printed: string[]
let close: () => void

/** The SQL API on loopback. */
beforeEach(async () => {
  points = [RUN]
  asked = []
  printed = []
  const server = createServer(async (request, response) => {
    const { url, headers } = request
    const sql = await text(request)
    asked.push({ url, authorization: headers.authorization, sql })
    const data = datasetOf(points)(sql)
    response.end(JSON.stringify({ meta: [], data, rows: data.length }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  close = () => server.close()
  vi.stubEnv(
    'CLOUDFLARE_API_BASE_URL',
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  )
  vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', 'account')
  vi.stubEnv('CLOUDFLARE_API_TOKEN', 'token-for-tests')
  vi.spyOn(console, 'log').mockImplementation((line) => printed.push(line))
})
afterEach(() => {
  close()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe('npm run alerts', () => {
  it('asks every rule about the environment, and is content while none fires', async () => {
    expect(await alerts(['--env', 'staging'])).toBe(0)
    expect(printed).toEqual(['Rules that fire in staging: 0 of 12.'])
    expect(asked).toHaveLength(12)
    for (const { url, authorization, sql } of asked) {
      expect([url, authorization]).toEqual([
        '/accounts/account/analytics_engine/sql',
        'Bearer token-for-tests',
      ])
      expect(sql).toContain('FROM crossdock_staging\n')
    }
  })

  it('asks about a dataset by its name', async () => {
    expect(await alerts(['--dataset', 'crossdock_eu'])).toBe(0)
    expect(printed).toEqual(['Rules that fire in crossdock_eu: 0 of 12.'])
    for (const { sql } of asked) expect(sql).toContain('FROM crossdock_eu\n')
  })

  it.each([
    { args: ['--env', 'staging', '--dataset', 'crossdock_eu'], told: 'needs --env or --dataset' },
    { args: [], told: 'needs --env or --dataset' },
    { args: ['--dataset', 'a; b'], told: '"a; b" is no name of a dataset.' },
  ])('refuses $args', async ({ args, told }) => {
    await expect(alerts(args)).rejects.toThrow(told)
    expect(asked).toEqual([])
  })

  it('names the rules that fire, whom they concern and what to do', async () => {
    points = [FAULT]
    expect(await alerts(['--env', 'production'])).toBe(1)
    const [fault = '', missing = '', sum] = printed
    expect(fault).toMatch(/^internal-errors: A request met a fault .*\n\{"tenant":"acme".*\nWhat/)
    expect(missing).toMatch(/^retention-missing: .*\nWhat to do: look at the cron triggers/)
    expect(sum).toBe('Rules that fire in production: 2 of 12.')
  })

  it('fails if it cannot ask', async () => {
    await expect(alerts(['--env', 'moon'])).rejects.toMatchObject({ exitCode: 2 })
    await expect(alerts([])).rejects.toMatchObject({ exitCode: 2 })
    close()
    vi.stubEnv('CLOUDFLARE_API_BASE_URL', 'http://127.0.0.1:1')
    await expect(alerts(['--env', 'staging'])).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/^Cloudflare's API does not answer: /),
    })
    vi.stubEnv('CLOUDFLARE_API_TOKEN', '')
    await expect(alerts(['--env', 'staging'])).rejects.toMatchObject({ exitCode: 2 })
  })
})
