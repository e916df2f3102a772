import { env } from 'cloudflare:workers'
import { type Dashboard, openDashboard } from '../dashboard/session.ts'
import type { Api } from '../endpoints.ts'
import { type Answer, client, createKey, type Json, type Tenant, unique } from '../tenant.ts'

const ALL = ['integrations.*', 'settings.*']
const SETTINGS = '/api/settings/v1'
const DATABASES = { demo: env.DB_DEMO, other: env.DB_OTHER }
const QUANTITIES = { demo: 1_111_111_111, other: 1_222_222_222 }

/** What can be told to be of one tenant: its words and quantities, ids, and hashes of keys. */
const TRACE =
  /kept-by-\w+|\b1[12]{9}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{64}\b/g

/** What records are called, which two tenants may do alike. */
export interface Names {
  order_number: string
  external_order_id: string
  sku: string
  code: string
  partner: string
}

/** A tenant's records of those names; nothing else in them is any other tenant's. */
export interface Holder {
  tenant: Tenant
  names: Names
  key: { id: string; value: string; hash: string }
  api: Api
  /** By resource, as the settings API and the path of an endpoint name it. */
  ids: Record<string, string>
}

export function newNames(): Names {
  const [order_number, external_order_id, sku] = [unique('O'), unique('E'), unique('S')]
  return { order_number, external_order_id, sku, code: unique('L'), partner: unique('partner') }
}

export async function hold(tenant: Tenant, names: Names): Promise<Holder> {
  const [own, quantity] = [`kept-by-${tenant}`, QUANTITIES[tenant]]
  const { order_number, external_order_id, sku, code } = names
  const key = await createKey(ALL, { tenant, name: own })
  const spare = await createKey(['integrations.*'], { tenant, name: own })
  const api = client(key.value)
  const products = await idOf(api.post('/products/', { sku, quantity, custom_fields: { own } }))
  const locations = await idOf(api.post('/locations/', { code, name: own }))
  const items = [{ sku_code: sku, quantity: 1, notes: own }]
  const order = { order_number, external_order_id, customer_name: own, items }
  const orders = await idOf(api.post('/orders/', order))
  const row = { location_code: code, sku_code: sku, quantity }
  await dataOf(api.post('/inventory/', { inventory: [row] }))
  const partners = await idOf(api.post(`${SETTINGS}/partners/`, { name: names.partner }))
  const mapping = { inbound: { fields: { order_number: `${own}.number` } } }
  await dataOf(api.put(`${SETTINGS}/partners/${partners}/mappings/orders/`, mapping))
  await dataOf(api.put(`${SETTINGS}/workspace/`, { name: own }))
  const ids = { products, locations, orders, partners, 'api-keys': spare.id }
  return { tenant, names, key, api, ids }
}

/** The dashboard, signed in to with the holder's key. */
export function dashboardOf({ key }: Holder): Promise<Dashboard> {
  return openDashboard([], { key: key.value })
}

/** Every row of every table of the tenant's database, and the schema. */
export async function contentsOf(tenant: Tenant): Promise<Record<string, Json[]>> {
  const db = DATABASES[tenant]
  const read = "select * from sqlite_master where name not glob '_cf_*'"
  const { results: schema } = await db.prepare(read).all<Json>()
  const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => name as string)
  const rows = await db.batch(tables.map((table) => db.prepare(`select * from ${table}`)))
  return { schema, ...Object.fromEntries(tables.map((table, at) => [table, rows[at]?.results])) }
}

/** The contents that are not the log of who asked for what. */
export function recordsIn({ audit_log, sqlite_sequence, ...records }: Record<string, Json[]>) {
  return records
}

export function tracesIn(value: unknown): Set<string> {
  return new Set(JSON.stringify(value).match(TRACE))
}

async function idOf(answer: Promise<Answer>): Promise<string> {
  return (await dataOf(answer)).id
}

async function dataOf(answer: Promise<Answer>): Promise<Json> {
  const { status, text, body } = await answer
  if (status >= 300 || body.data.failed) throw new Error(`answered ${status}: ${text}`)
  return body.data
}
