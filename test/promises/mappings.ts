import { env } from 'cloudflare:workers'
import { beforeAll, expect } from 'vitest'
import { freshIsolate } from '../fixtures/isolate.ts'
import type { openPartner } from '../fixtures/partner.ts'
import { type Answer, type CallOptions, type Json, openTenant, unique } from '../fixtures/tenant.ts'
import { type Api, createProduct, openApi, path } from '../fixtures/warehouse.ts'

export const SETTINGS = '/api/settings/v1'

export type Partner = Awaited<ReturnType<typeof openPartner>>

export type Request = [method: string, path: string, body?: object]

export let db: D1Database

export let api: Api

export let sku: string

/** The same Worker in another isolate: it shares no memory with the first, and knows no key yet. */
export let elsewhere: CallOptions

beforeAll(async () => {
  elsewhere = await freshIsolate()
  db = await openTenant()
  api = await openApi()
  sku = (await createProduct(api)).sku
})

/** Lets isolate and KV learn what holds now; gives what KV holds then. */
export async function warm(partner: Partner): Promise<{ name: string; value: string }> {
  await partner.api.get('/orders/')
  const hash = db.prepare('select hash from api_keys where id = ?').bind(partner.key.id)
  const name = `caller:12:${await hash.first<string>('hash')}`
  const value = (await env.KEYS.get(name)) ?? ''
  expect(value).toContain(partner.id)
  return { name, value }
}

export interface Mapping {
  identifier_field?: string
  inbound?: { unmapped: 'keep' | 'drop' | 'reject'; fields: Record<string, Json> }
  outbound?: { unmapped: 'keep' | 'drop'; fields: Record<string, Json> }
}

export async function saveBySql(
  { id }: Partner,
  resource: string,
  mapping: Mapping,
): Promise<unknown> {
  const { identifier_field = null, inbound = null, outbound = null } = mapping
  return await db
    .prepare(
      `insert into field_mappings (partner_id, resource, identifier_field, inbound, outbound, updated_at)
       values (?1, ?2, ?3, json(?4), json(?5), ?6)
       on conflict do update set identifier_field = ?3, inbound = json(?4), outbound = json(?5)`,
    )
    .bind(
      id,
      resource,
      identifier_field,
      inbound && JSON.stringify(inbound),
      outbound && JSON.stringify(outbound),
      new Date().toISOString(),
    )
    .run()
}

export async function auditRowsOf({ headers }: Answer): Promise<Json[]> {
  const rows = await db
    .prepare('select status, error_code, partner_id from audit_log where request_id = ?')
    .bind(headers.get('X-Request-Id'))
    .all()
  return rows.results
}

export async function orderRows(number: string): Promise<Json[]> {
  const rows = await db
    .prepare('select customer_name, notes, partner_id from orders where order_number = ?')
    .bind(number)
    .all()
  return rows.results
}

export const LINES = { 'items[].sku_code': 'lines[].code', 'items[].quantity': 'lines[].qty' }

export const inbound = (fields: Record<string, Json>): Mapping => ({
  inbound: { unmapped: 'drop', fields },
})

/** Orders whose name and notes come from this member of the document. */
export const from = (member: string) =>
  inbound({
    order_number: 'number',
    customer_name: `${member}.name`,
    notes: `${member}.notes`,
    ...LINES,
  })

/** A document that `from('old')` and `from('new')` read differently. */
export const document = (number = unique('O')) => ({
  number,
  old: { name: `old ${number}`, notes: `old notes ${number}` },
  new: { name: `new ${number}`, notes: `new notes ${number}` },
  lines: [{ code: sku, qty: 1 }],
})

export const contentOf = (member: 'old' | 'new', number: string) => ({
  customer_name: `${member} ${number}`,
  notes: `${member} notes ${number}`,
})

export const at = (method: string, name: string): Request =>
  method === 'PUT' ? [method, path('orders', name), { notes: 'x' }] : [method, path('orders', name)]
