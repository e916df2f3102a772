import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Groups, startGroups } from '../../bench/groups.ts'
import { mintKey } from '../../src/engine/identity/key.ts'
import { itInDeep } from '../fixtures/depth.ts'
import { lookAtAnswer } from '../fixtures/secrets/answer.ts'
import { outgoing } from '../fixtures/secrets/outgoing.ts'

const API = '/api/integrations/v1'
const FAILURES_MAX = 100
const GZIPPED_BYTES_MAX = 15 * 1024
const BODY_BYTES_MAX = 10_485_760

let groups: Groups
const logs: string[] = []

beforeAll(async () => {
  groups = await startGroups({ log: (line) => logs.push(line) })
})
afterAll(async () => {
  outgoing.look('the logs of router and groups', logs.join('\n'))
  await groups.close()
})

interface Visit {
  tenant?: string
  method?: string
  headers?: Record<string, string>
  body?: Uint8Array | string
}

/** A visit with the tenant's host, of the router unless said. */
function open(path: string, visit: Visit = {}, origin = groups.router) {
  const { tenant = 'demo', method = 'GET', headers = {}, body } = visit
  const host = groups.hostOf(tenant)
  const sending = request(origin + path, { method, headers: { ...headers, host }, agent: false })
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('response', resolve)
    sending.once('error', reject)
  })
  if (body === undefined) sending.end()
  else sending.end(body)
  return { sending, answer }
}

async function visit(path: string, options: Visit = {}, origin?: string) {
  const answer = await open(path, options, origin).answer
  const bytes = await buffer(answer)
  const { statusCode: status = 0, headers } = answer
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
  const text = bytes.toString()
  const url = `http://${groups.hostOf('demo')}${path}`
  lookAtAnswer(outgoing, {
    method: options.method ?? 'GET',
    url,
    status,
    headers: new Headers([...pairs]),
    text,
  })
  return { status, headers, bytes, text }
}

const keyed = (tenant: 'demo' | 'other' = 'demo') => ({
  'X-API-Key': groups.keys[tenant],
  'Content-Type': 'application/json',
})

describe('the built router', () => {
  it('is under 15 KB gzipped: nothing of the app is in it', async () => {
    const code = await readFile('dist/router/index.js', 'utf8')
    expect(gzipSync(code).length).toBeLessThan(GZIPPED_BYTES_MAX)
    for (const word of ['drizzle', 'hono', 'INSERT INTO', 'Crossdock API']) {
      expect(code).not.toContain(word)
    }
  })

  it('leads each host to its group, and keeps the tenants apart', async () => {
    const path = '/api/settings/v1/workspace/'
    for (const host of ['demo', 'other'] as const) {
      for (const key of ['demo', 'other'] as const) {
        const { status, text } = await visit(path, { tenant: host, headers: keyed(key) })
        expect([status, JSON.parse(text).data?.tenant]).toEqual(
          host === key ? [200, host] : [401, undefined],
        )
      }
    }
    const nobody = await visit('/healthz/', { tenant: 'nobody' })
    expect([nobody.status, JSON.parse(nobody.text).error.code]).toEqual([404, 'NOT_FOUND'])
  })

  it.each([
    ['/healthz/', {}],
    ['/healthz', {}],
    ['/', {}],
    ['/docs/', {}],
    ['/assets/dashboard.css', {}],
    ['/assets/none.css', {}],
    ['/dashboard/', {}],
    ['/dashboard/sign-in/', {}],
    [`${API}/openapi.json`, {}],
    [`${API}/orders`, {}],
    [`${API}/orders/?limit=2&x=%2F`, {}],
    [`${API}/orders/`, { method: 'HEAD' }],
    [`${API}/orders/`, { method: 'PATCH' }],
    [`${API}/orders/`, { headers: { Accept: 'text/csv' } }],
    [`${API}/orders/`, { method: 'POST', body: '{"order_number": ' }],
  ] as [string, Visit][])('gives what the group gives: %s %j', async (path, asked) => {
    const headers = { ...keyed(), ...asked.headers }
    const [through, direct] = [
      await visit(path, { ...asked, headers }),
      await visit(path, { ...asked, headers }, groups.direct),
    ]
    const lasting = ({ headers: all }: typeof through) => {
      const { date, 'x-request-id': id, 'server-timing': timing, ...rest } = all
      // The name of a file has the second.
      const file = rest['content-disposition']?.replace(/T[\d-]+Z/, '')
      return { ...rest, 'content-disposition': file }
    }
    const withoutIds = (text: string) => text.replace(/"request_id":"[^"]*"/, '')
    expect(through.status).toBe(direct.status)
    expect(lasting(through)).toEqual(lasting(direct))
    expect(withoutIds(through.text)).toBe(withoutIds(direct.text))
  })

  let begun = 0
  // The local platform counts in minutes of the clock.
  const minute = () => Math.floor(Date.now() / 60_000)
  const onceMore = { retry: { count: 1, condition: () => minute() !== begun } }

  it("passes on the client's address", onceMore, async () => {
    begun = minute()
    const statusFrom = async (address: string) => {
      const { value } = await mintKey('demo')
      const headers = { 'X-API-Key': value, 'CF-Connecting-IP': address }
      return (await visit(`${API}/orders/`, { headers })).status
    }
    const statuses: number[] = []
    for (let count = 0; count <= FAILURES_MAX; count++) {
      statuses.push(await statusFrom('192.0.2.78'))
    }
    expect([statuses.at(0), statuses.at(-1)]).toEqual([401, 429])
    expect(await statusFrom('192.0.2.79')).toBe(401)
  })

  it('passes on a body of 10 MB, and an answer in parts', async () => {
    const rows = Array.from({ length: 20_000 }, (_, count) => ({
      location_code: `L-${count % 10}`,
      sku_code: `S-${count}`,
      quantity: count,
    }))
    for (const path of ['products', 'locations']) {
      const name = path === 'products' ? { sku: 'S-1' } : { code: 'L-1' }
      await visit(`${API}/${path}/`, {
        method: 'POST',
        headers: keyed(),
        body: JSON.stringify(name),
      })
    }
    const body = new TextEncoder().encode(
      JSON.stringify({ inventory: rows }).padEnd(BODY_BYTES_MAX),
    )
    const taken = await visit(`${API}/inventory/`, { method: 'POST', headers: keyed(), body })
    expect([taken.status, JSON.parse(taken.text).data.total]).toEqual([200, 20_000])
    const over = new Uint8Array(BODY_BYTES_MAX + 1).fill(0x20)
    const refused = await visit(`${API}/inventory/`, {
      method: 'POST',
      headers: keyed(),
      body: over,
    })
    expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
    ])
  })

  it('passes on a whole list as it is made', async () => {
    await groups.databases.other.exec(
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into products (id, sku, custom_fields, created_at, updated_at) select 'id-' || i, 'SKU-' || i, json_object('x', hex(randomblob(60))), '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z' from n",
    )
    const headers = { ...keyed('other'), Accept: 'application/x-ndjson' }
    const { answer } = open(`${API}/products/`, { tenant: 'other', headers })
    const response = await answer
    expect(response.statusCode).toBe(200)
    let [bytes, parts] = [0, 0]
    const hash = createHash('sha256')
    for await (const chunk of response) {
      bytes += chunk.length
      parts += 1
      hash.update(chunk)
    }
    expect(bytes).toBeGreaterThan(2_000_000)
    expect(parts).toBeGreaterThan(3)
  })

  itInDeep('waits as the group waits, and answers as soon as there is something', async () => {
    const late = timed(visit(await changes(20), { headers: keyed() }))
    await sleep(1000)
    const body = JSON.stringify({ sku: 'WAITED-FOR' })
    await visit(`${API}/products/`, { method: 'POST', headers: keyed(), body })
    const [{ text }, ms] = await late
    expect(JSON.parse(text).data).toHaveLength(1)
    expect(ms).toBeGreaterThan(1000)
    expect(ms).toBeLessThan(15_000)
  })
})

/** The path of what changes from now on, waiting so many seconds. */
async function changes(seconds: number): Promise<string> {
  const { text } = await visit(`${API}/changes/?from=now`, { headers: keyed() })
  const cursor = encodeURIComponent(JSON.parse(text).pagination.next_cursor)
  return `${API}/changes/?cursor=${cursor}&wait=${seconds}`
}

async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const began = performance.now()
  return [await work, performance.now() - began]
}
