import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AddressableResource } from '../../src/engine/mapping/identifier.ts'
import { sample } from '../fixtures/depth.ts'
import { givingUpFields, partnerWith } from '../fixtures/partner.ts'
import { type Answer, openTenant, unique } from '../fixtures/tenant.ts'
import { dataOf, expectError, path } from '../fixtures/warehouse.ts'

beforeEach(givingUpFields)

const METHODS = ['GET', 'PUT', 'DELETE'] as const

const CHANGES: Record<AddressableResource, object> = {
  orders: { due_date: '2031-01-01' },
  products: { is_active: true },
  locations: { aisle: 'changed' },
}

const ROWS = 500
// Header, lines, audit row, workspace and what a PUT replaces, and none of the other records.
const ROWS_READ_MAX = 25

/** Creates records before any settings name these fields. */
const FILL: Record<AddressableResource, string> = {
  orders: `insert into orders (id, order_number, external_order_id, customer_name, notes, metadata,
      created_at, updated_at)
    select 'id-' || value, 'number-' || value, 'ext-' || value, 'name-' || value, 'note', json_object(
      'ref', 'ref-' || value, 'number', value), 'then', 'then' from json_each(?)`,
  products: `insert into products (id, sku, cost, quantity, custom_fields, created_at, updated_at)
    select 'id-' || value, 'sku-' || value, 'cost-' || value, value, json_object(
      'ref', 'ref-' || value, 'number', value), 'then', 'then' from json_each(?)`,
  locations: `insert into locations (id, code, name, zone, metadata, created_at, updated_at)
    select 'id-' || value, 'code-' || value, 'name-' || value, 'zone-' || value, json_object(
      'ref', 'ref-' || value, 'number', value), 'then', 'then' from json_each(?)`,
}

const LOOK_UPS: [AddressableResource, string, string][] = [
  ['orders', 'order_number', 'number-'],
  ['orders', 'external_order_id', 'ext-'],
  ['orders', 'customer_name', 'name-'],
  ['orders', 'metadata.ref', 'ref-'],
  ['orders', 'metadata.number', ''],
  ['products', 'sku', 'sku-'],
  ['products', 'cost', 'cost-'],
  ['products', 'quantity', ''],
  ['products', 'custom_fields.ref', 'ref-'],
  ['products', 'custom_fields.number', ''],
  ['locations', 'code', 'code-'],
  ['locations', 'zone', 'zone-'],
  ['locations', 'metadata.ref', 'ref-'],
  ['locations', 'metadata.number', ''],
]

function rowsRead({ headers }: Answer): number {
  return Number(/rows read (\d+)/.exec(headers.get('Server-Timing') ?? '')?.[1])
}

const db = await openTenant()

describe(`with ${ROWS} records in each table`, () => {
  beforeAll(async () => {
    const numbers = JSON.stringify(Array.from({ length: ROWS }, (_, n) => 100_000 + n))
    await db.batch(Object.values(FILL).map((text) => db.prepare(text).bind(numbers)))
  })

  describe.each(sample(LOOK_UPS, 2))('one of %s by %s', (resource, field, prefix) => {
    it.each(METHODS)('is found by %s with few rows read', async (method) => {
      const { api: caller } = await partnerWith(field, resource)
      const number = 100_000 + METHODS.indexOf(method)
      await caller.get(path(resource, 'none'))
      const body = method === 'PUT' ? CHANGES[resource] : undefined
      const answer = await caller.call(method, path(resource, `${prefix}${number}`), body)
      expect(dataOf(answer, 200).id).toBe(`id-${number}`)
      expect(rowsRead(answer)).toBeLessThanOrEqual(ROWS_READ_MAX)
    })

    it('is missed with few rows read', async () => {
      const { api: caller } = await partnerWith(field, resource)
      await caller.get(path(resource, 'none'))
      const answer = await caller.get(path(resource, unique('none')))
      expectError(answer, 404, 'NOT_FOUND')
      expect(rowsRead(answer)).toBeLessThanOrEqual(ROWS_READ_MAX)
    })
  })
})

// For the search, and for the other one that explains why nothing was found.
const REFUSAL_ROWS_READ_MAX = 40

/** Creates as many records with one value. The orders are those of the partner `?2`. */
const FILL_ALIKE: [AddressableResource, string, string][] = [
  [
    'orders',
    'customer_name',
    `insert into orders (id, order_number, customer_name, partner_id, created_at, updated_at)
     select 'alike-' || value, 'alike-' || value, 'alike', ?2, 'then', 'then' from json_each(?1)`,
  ],
  [
    'products',
    'cost',
    `insert into products (id, sku, cost, created_at, updated_at)
     select ?2 || value, ?2 || value, 'alike', 'then', 'then' from json_each(?1)`,
  ],
  [
    'locations',
    'zone',
    `insert into locations (id, code, zone, created_at, updated_at)
     select ?2 || value, ?2 || value, 'alike', 'then', 'then' from json_each(?1)`,
  ],
]

describe(`with ${ROWS} records that have one value`, () => {
  it.each(FILL_ALIKE)('one of %s by %s is refused with few rows read', async (...fill) => {
    const [resource, field, text] = fill
    const { id, api: caller } = await partnerWith(field, resource)
    const numbers = JSON.stringify(Array.from({ length: ROWS }, (_, n) => n))
    await db.prepare(text).bind(numbers, id).run()
    await caller.get(path(resource, 'none'))
    const answer = await caller.get(path(resource, 'alike'))
    expectError(answer, 400, 'SERVICE_ERROR')
    expect(rowsRead(answer)).toBeLessThanOrEqual(REFUSAL_ROWS_READ_MAX)
  })
})
