import { beforeAll, expect } from 'vitest'
import { db } from '../fixtures/opened.ts'
import { api } from '../fixtures/opened-api.ts'
import type { Answer, Json } from '../fixtures/tenant.ts'
import {
  type Api,
  createLocation,
  createOrder,
  createProduct,
  dataOf,
  expectError,
  oneLine,
  path,
} from '../fixtures/warehouse.ts'

export let items: object[]

beforeAll(async () => {
  items = await oneLine(api)
})

export interface Target {
  resource: 'orders' | 'products' | 'locations'
  fallback: string
  object: string
  /** A field that a partner's default may name here, and one that only other resources have. */
  known: string
  foreign: string
  create: (by: Api, fields?: object) => Promise<Json>
  /** A PUT's body, and the row that it or a DELETE leaves. */
  change: object
  changed: object
  removed: object
  /** A column that may hold any text. */
  text: string | null
}

export const ORDERS: Target = {
  resource: 'orders',
  fallback: 'order_number',
  object: 'metadata',
  known: 'external_order_id',
  foreign: 'zone',
  create: (by, fields) => createOrder(by, { items, ...fields }),
  change: { status: 'verified' },
  changed: { status: 'verified' },
  removed: { status: 'cancelled' },
  text: 'customer_name',
}

export const PRODUCTS: Target = {
  resource: 'products',
  fallback: 'sku',
  object: 'custom_fields',
  known: 'cost',
  foreign: 'external_order_id',
  create: createProduct,
  change: { quantity: -777 },
  changed: { quantity: -777 },
  removed: { is_active: 0 },
  text: null,
}

export const LOCATIONS: Target = {
  resource: 'locations',
  fallback: 'code',
  object: 'metadata',
  known: 'zone',
  foreign: 'customer_name',
  create: createLocation,
  change: { aisle: 'changed' },
  changed: { aisle: 'changed' },
  removed: { is_active: 0 },
  text: 'name',
}

export const TARGETS = [ORDERS, PRODUCTS, LOCATIONS]

export const BY_RESOURCE = TARGETS.map((target) => [target.resource, target] as const)

export const METHODS = ['GET', 'PUT', 'DELETE'] as const

export type Method = (typeof METHODS)[number]

let last = 0

/** A number, and a time, that no other record of this file has. */
export function uniqueNumber(): number {
  last += 1
  return 1_000_000 + last
}

export function send(by: Api, method: Method, { resource, change }: Target, identifier: string) {
  return by.call(method, path(resource, identifier), method === 'PUT' ? change : undefined)
}

export async function rowsOf(resource: string, records: Json[]): Promise<Json[]> {
  const rows = await db
    .prepare(`select * from ${resource} where id in (select value from json_each(?)) order by seq`)
    .bind(JSON.stringify(records.map(({ id }) => id)))
    .all()
  return rows.results
}

export async function auditRowsOf({ headers }: Answer): Promise<Json[]> {
  const rows = await db
    .prepare('select status, error_code, record_id from audit_log where request_id = ?')
    .bind(headers.get('X-Request-Id'))
    .all()
  return rows.results
}

/** The request reaches this record, does its work there, and leaves the others as they were. */
export async function expectFound(
  by: Api,
  method: Method,
  target: Target,
  identifier: string,
  record: Json,
  others: Json[] = [],
) {
  const { resource, changed, removed } = target
  const before = await rowsOf(resource, [record, ...others])
  const answer = await send(by, method, target, identifier)
  expect(dataOf(answer, 200).id).toBe(record.id)
  const after = await rowsOf(resource, [record, ...others])
  const effect = method === 'PUT' ? changed : removed
  const expected = before.map((row) =>
    method === 'GET' || row.id !== record.id ? row : expect.objectContaining(effect),
  )
  expect(after).toEqual(expected)
  if (method === 'GET') return
  expect(await auditRowsOf(answer)).toEqual([
    { status: 200, error_code: null, record_id: record.id },
  ])
}

/** The request is refused and leaves these records, and the log, without a sign of success. */
export async function expectRefusal(
  by: Api,
  method: Method,
  target: Target,
  identifier: string,
  [status, code]: [number, string],
  records: Json[] = [],
) {
  const before = await rowsOf(target.resource, records)
  const answer = await send(by, method, target, identifier)
  expectError(answer, status, code)
  expect(await rowsOf(target.resource, records)).toEqual(before)
  expect(await auditRowsOf(answer)).toEqual([{ status, error_code: code, record_id: null }])
}

export const NOT_FOUND: [number, string] = [404, 'NOT_FOUND']

export const SERVICE_ERROR: [number, string] = [400, 'SERVICE_ERROR']

/** The fields of a record whose `field`, a column or a member of the free object, is the value. */
export function having(field: string, value: unknown): object {
  const [object = '', key] = field.split('.')
  return { [object]: key === undefined ? value : { other: 'x', [key]: value } }
}

export interface Override {
  field: string
  what: string
  /** The fields of a record that has the value, and the value as a path names it. */
  given: () => { fields: object; identifier: string | null }
}

export function override(field: string, what: string, value: () => unknown): Override {
  const given = () => {
    const it = value()
    return { fields: having(field, it), identifier: String(it) }
  }
  return { field, what, given }
}
