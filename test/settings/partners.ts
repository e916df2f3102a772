import { expect } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { everyPage } from '../fixtures/pages-read.ts'
import type { Api } from '../fixtures/settings.ts'
import { oneRow } from '../fixtures/sql.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { dataOf } from '../fixtures/warehouse.ts'

export const PARTNERS = '/api/settings/v1/partners/'

export const PAST = '2026-01-01T00:00:00.000Z'

export const rowOf = (id: string) => oneRow('select * from partners where id = ?', id)

export const idsOf = (list: Json[]) => list.map(({ id }) => id)

export const fieldsWarned = ({ body }: { body: Json }) =>
  body.warnings?.map(({ field }: Json) => field)

export async function makePartner(fields: object = {}): Promise<Json> {
  const { status, body } = await admin.post(PARTNERS, { name: unique('partner'), ...fields })
  expect([status, body.error]).toEqual([201, undefined])
  return body.data
}

export async function findPartner(id: string): Promise<Json> {
  return dataOf(await admin.get(`${PARTNERS}${id}/`), 200)
}

export async function deletePartner(id: string): Promise<void> {
  expect((await admin.delete(`${PARTNERS}${id}/`)).status).toBe(200)
}

/** Lets the administrator's key know of all settings so far: of racing changes, one is then first. */
export async function warmUp(): Promise<void> {
  expect((await admin.get(PARTNERS)).status).toBe(200)
}

/** A partner that has been deleted through its endpoint. */
export async function makeDeleted(fields: object = {}): Promise<Json> {
  const partner = await makePartner(fields)
  await deletePartner(partner.id)
  return partner
}

export async function listPages(api: Api, limit: number): Promise<Json[][]> {
  const pages: Json[][] = []
  for await (const { body } of everyPage(api, `${PARTNERS}?limit=${limit}`)) {
    expect(body.pagination.limit).toBe(limit)
    pages.push(body.data)
  }
  return pages
}

export const ORDER_FIELDS = [
  'id',
  'order_number',
  'external_order_id',
  'customer_name',
  'notes',
  'order_date',
  'due_date',
  'status',
  'created_at',
  'updated_at',
  'cancelled_at',
  'cancel_reason',
]

export const IDENTIFIER_FIELDS = [
  ...ORDER_FIELDS,
  ...['sku', 'quantity', 'cost'],
  ...['code', 'name', 'zone', 'aisle'],
]

export const NO_IDENTIFIER_FIELDS = [
  '',
  ' ',
  'Order_Number',
  'order_number ',
  'order-number',
  'order_number,sku',
  'items',
  'customer_info',
  'customer_info.id',
  'metadata',
  'metadata.erp_id',
  'custom_fields',
  'custom_fields.ean',
  'location_code',
  'sku_code',
  'source',
  'partner_id',
  'seq',
  'rowid',
  '*',
  'constructor',
  '__proto__',
  'toString',
  '1); drop table orders; --',
  7,
  true,
  [],
  ['sku'],
  {},
]

export const BAD_NAMES: [string, unknown][] = [
  ['null', null],
  ['empty', ''],
  ['a number', 7],
  ['a list', ['x']],
  ['longer than 255 characters', 'x'.repeat(256)],
  ['not well-formed', 'a\udc00'],
]
