import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { createKey, ORIGIN, send, unique } from '../fixtures/tenant.ts'

const API = '/api/integrations/v1'
// More than come in one read.
const LONG_LIST = 10_001

let key: string
let place: string

beforeAll(async () => {
  key = (await createKey()).value
  place = unique('L')
  const numbers = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)'
  const { DB_DEMO: db } = env
  await db.batch([
    db
      .prepare("insert into locations (id, code, created_at, updated_at) values (?1, ?1, '', '')")
      .bind(place),
    db
      .prepare(
        `${numbers} insert into products (id, sku, created_at, updated_at)
         select ?2 || i, ?2 || i, '', '' from n`,
      )
      .bind(LONG_LIST, place),
    db
      .prepare(
        `${numbers} insert into inventory (location_code, sku_code, quantity)
         select ?2, ?2 || i, 1 from n`,
      )
      .bind(LONG_LIST, place),
  ])
})

const TABLE: [string, number, () => [path: string, init?: RequestInit]][] = [
  ['a list', 200, () => [`${API}/orders/`, asKey()]],
  ['HEAD of a list', 200, () => [`${API}/orders/`, asKey({ method: 'HEAD' })]],
  ['a list that is written while it is read', 200, () => [`${API}/inventory/${place}/`, asKey()]],
  ['a new record', 201, () => [`${API}/products/`, asKey(json({ sku: unique('S') }))]],
  ['a body that is refused', 400, () => [`${API}/products/`, asKey(json({}))]],
  ['an unknown key', 401, () => [`${API}/orders/`, { headers: { 'X-API-Key': 'secret' } }]],
  ['no key', 403, () => [`${API}/orders/`]],
  ['an unknown record', 404, () => [`${API}/orders/none/`, asKey()]],
  ['an unknown path', 404, () => ['/nothing/']],
  [
    'a method that the path does not answer',
    405,
    () => [`${API}/orders/`, asKey({ method: 'PUT' })],
  ],
  ['a path without its slash', 308, () => [`${API}/orders`]],
  ['healthz', 200, () => ['/healthz/']],
  ['a page of the dashboard', 200, () => ['/dashboard/sign-in/']],
  ['a page that leads to the sign-in', 303, () => ['/dashboard/']],
  ['a form that is refused', 401, () => ['/dashboard/sign-in/', form({ key: 'secret' })]],
]

function asKey(init: RequestInit = {}): RequestInit {
  return { ...init, headers: { ...init.headers, 'X-API-Key': key } }
}

function json(body: object): RequestInit {
  const headers = { 'Content-Type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify(body) }
}

function form(fields: Record<string, string>): RequestInit {
  return { method: 'POST', headers: { Origin: ORIGIN }, body: new URLSearchParams(fields) }
}

describe('X-Content-Type-Options', () => {
  it.each(TABLE)('is nosniff on the answer to %s', async (_, status, request) => {
    const [path, init] = request()
    const { status: told, headers } = await send(
      new Request(ORIGIN + path, { redirect: 'manual', ...init }),
    )
    expect([told, headers.get('X-Content-Type-Options')]).toEqual([status, 'nosniff'])
  })
})
