import { env } from 'cloudflare:workers'
import { connect, newMeter } from '../../src/engine/db/connect.ts'
import type { Query } from '../../src/engine/db/prepared.ts'
import { TenantDatabase } from '../../src/engine/db/transact.ts'
import { withIndexedFields } from '../../src/engine/identifiers/in-use.ts'
import type { Page } from '../../src/engine/json/pagination.ts'
import { LOCATIONS, PRODUCTS } from '../../src/records/catalogue/kind.ts'
import { searchRecords } from '../../src/records/catalogue/search.ts'
import { orderSearch } from '../../src/records/orders/search.ts'
import { limits } from '../pace.ts'
import type { Json } from '../tenant.ts'

// Pages of searches, without a request around them.

const TIMES = `'2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'`

export type Searched = 'orders' | 'products' | 'locations'

export interface Cost {
  trips: number
  read: number
}

export interface Options {
  limit?: number
  cursor?: string | undefined
  binding?: D1Database
}

type Part = { query: Query; pageOf: (rows: never[]) => Page<Json> }

const NAMES = { orders: 'order_number', products: 'sku', locations: 'code' }

/** One page of a search, and what it cost. */
export async function search(resource: Searched, text: string, options: Options = {}) {
  const { limit = 50, cursor, binding = env.DB_DEMO } = options
  const request = { tenant: 'demo', text, limit, cursor }
  const meter = newMeter()
  const db = new TenantDatabase(connect(binding, meter), await subjectNow(), limits)
  const run = async (part: Part) => {
    const [rows] = await db.read([part.query])
    return part.pageOf(rows as never[])
  }
  const page = await withIndexedFields(db, 'demo', async (fields) => {
    if (resource === 'orders') return await run(orderSearch(request, fields) as unknown as Part)
    const kind = resource === 'products' ? PRODUCTS : LOCATIONS
    return await run(searchRecords(kind, request) as unknown as Part)
  })
  return { ...page, cost: { trips: meter.round_trips, read: meter.rows_read } }
}

/** The names of the records of one page. */
export async function found(resource: Searched, text: string): Promise<string[]> {
  const { rows } = await search(resource, text)
  return rows.map((row) => row[NAMES[resource]])
}

/** All pages, the names of their records in order. */
export async function* pagesOf(resource: Searched, text: string, limit: number) {
  let cursor: string | undefined
  do {
    const { rows, next_cursor, cost } = await search(resource, text, { limit, cursor })
    yield { names: rows.map((row) => row[NAMES[resource]] as string), cost, next_cursor }
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
}

async function subjectNow() {
  const select = 'select settings_version from workspace'
  const settings_version = await env.DB_DEMO.prepare(select).first<number>('settings_version')
  return { settings_version, api_key_id: 'key', partner_id: null } as ConstructorParameters<
    typeof TenantDatabase
  >[1]
}

/** Stores records as they are given; their ids are random. */
export async function store(resource: Searched, records: Json[]): Promise<void> {
  const statements = records.map((record) => {
    const entries = Object.entries({ id: crypto.randomUUID(), ...record }).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
    ])
    const names = entries.map(([name]) => name)
    return env.DB_DEMO.prepare(
      `insert into ${resource} (${names}, created_at, updated_at)
       values (${names.map(() => '?')}, ${TIMES})`,
    ).bind(...entries.map(([, value]) => value))
  })
  for (let at = 0; at < statements.length; at += 500) {
    await env.DB_DEMO.batch(statements.slice(at, at + 500))
  }
}

export async function clear(resource: Searched): Promise<void> {
  await env.DB_DEMO.prepare(`delete from ${resource}`).run()
}
