import { beforeAll, expect } from 'vitest'
import costs from '../../docs/costs.md?raw'
import { numberIn, type Row, sectionOf, tablesOf } from '../fixtures/markdown.ts'
import { openPartner } from '../fixtures/partner.ts'
import { type client, type Json, openTenant, unique } from '../fixtures/tenant.ts'
import { createLocation, createOrder, path } from '../fixtures/warehouse.ts'

export const PAGE = sectionOf(costs, 'What it costs')

export const [PRICES, REQUESTS, INDEXES, WORDS, ADDED, LIMITED, MIX, RETENTION] = tablesOf(
  PAGE,
) as [Table, Table, Table, Table, Table, Table, Table, Table]

export type Table = Map<string, Row>

export type Api = ReturnType<typeof client>

export type Request = [api: Api, method: string, path: string, body?: Json]

export interface Cost {
  d1_calls: number
  rows_read: number
  rows_written: number
  kv_reads: number
  kv_writes: number
}

export let db: D1Database

export let api: Api

/** Of a partner that calls orders by a number of its own. */
export let mapped: Api

beforeAll(async () => {
  db = await openTenant()
  await fillDatabase()
  api = (await openPartner()).api
  const mappings = { orders: { identifier_field: 'external_order_id' } }
  mapped = (await openPartner({ mappings })).api
})

/** Thousands of rows in each table, so that a statement that goes through one of them shows. */
export async function fillDatabase(): Promise<void> {
  const now = "'2026-01-01T00:00:00.000Z'"
  const times = 'created_at, updated_at'
  await fill('locations', `id, code, ${times}`, `'l' || i, 'L' || i, ${now}, ${now}`)
  await fill('products', `id, sku, ${times}`, `'p' || i, 'S' || i, ${now}, ${now}`)
  await fill(
    'orders',
    `id, order_number, external_order_id, ${times}`,
    `'o' || i, 'O' || i, 'E' || i, ${now}, ${now}`,
  )
  await fill(
    'order_items',
    'order_id, position, id, sku_code, quantity',
    `'o' || i, 0, 'i' || i, 'S' || i, 1`,
  )
  await fill('inventory', 'location_code, sku_code, quantity', `'L' || (i % 7), 'S' || i, 1`)
  await fill(
    'audit_log',
    `request_id, created_at, settings_version, api_key_id, api_key_name, method, path, status,
     duration_ms`,
    `'r' || i, ${now}, 1, 'key', 'key', 'GET', '/api/integrations/v1/orders/', 200, 1`,
  )
}

export async function fill(table: string, columns: string, values: string): Promise<void> {
  await db
    .prepare(
      `with recursive n (i) as (select 0 union all select i + 1 from n where i < 4999)
       insert into ${table} (${columns}) select ${values} from n`,
    )
    .run()
}

/** Its number has two parts, and so has its customer's name. */
export const newOrder = () => ({
  order_number: `SO-${unique('').replaceAll('-', '')}`,
  external_order_id: unique('E'),
  customer_name: 'Ada Lund',
  items: ['S1', 'S2', 'S3'].map((sku_code) => ({ sku_code, quantity: 1 })),
})

export const orderOf = (caller: Api) => createOrder(caller, newOrder())

export const pathOfOrder = async () => path('orders', (await orderOf(api)).order_number)

/** A quantity that the index of low stock does not hold. */
export const PLENTY = 1000

export const emptyLocation = async () => (await createLocation(api)).code as string

/** A location with 1,000 records of stock. */
export async function stockedLocation(quantity: number): Promise<string> {
  const code = await emptyLocation()
  const [, method, where, body] = upload(code, quantity)
  expect((await api.call(method, where, body)).body.data.created).toBe(1000)
  return code
}

/** An upload of 1,000 rows. */
export function upload(location_code: string, quantity: number): Request {
  const rowOf = (n: number) => ({ location_code, sku_code: `S${n}`, quantity })
  return [
    api,
    'POST',
    '/inventory/',
    { inventory: Array.from({ length: 1000 }, (_, n) => rowOf(n)) },
  ]
}

export function documented(row: Row = {}): Cost {
  return {
    d1_calls: numberIn(row['D1 calls']),
    rows_read: numberIn(row['Rows read']),
    rows_written: numberIn(row['Rows written']),
    kv_reads: numberIn(row['KV reads'] ?? '0'),
    kv_writes: numberIn(row['KV writes'] ?? '0'),
  }
}

export const priceOf = (billed: string) => numberIn(PRICES.get(billed)?.Beyond)

export const shown = (amount: number, digits = 0) =>
  amount.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })

/** Half a cent is a cent more, whatever a sum of floats makes of it. */
export const money = (dollars: number) => shown(Math.round(dollars * 1000) / 1000, 2)

/** The audit row of the request once more, so many times, with ids that tell a time as those of requests do. */
export async function repeatAuditRow(
  requestId: string,
  times: number,
  created_at: string,
): Promise<void> {
  const columns = `settings_version, record_id, api_key_id, api_key_name, partner_id, partner_name,
    method, path, status, duration_ms, record_name`
  await db
    .prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)
       insert into audit_log (request_id, created_at, ${columns})
       select substr(hex(randomblob(7)), 1, 14) || '7' || substr(hex(randomblob(11)), 1, 21), ?3, ${columns}
       from n, audit_log
       where request_id = ?1`,
    )
    .bind(requestId, times, created_at)
    .run()
}
