import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

import { orders } from '../../src/engine/db/tables.ts'
import type { Field } from '../../src/engine/model/fields.ts'
import { Location } from '../../src/engine/model/location.ts'
import { Order } from '../../src/engine/model/order.ts'
import { Product } from '../../src/engine/model/product.ts'
import { LOCATIONS, PRODUCTS } from '../../src/records/catalogue/kind.ts'

// The definition of a record and its table say the same.

const TYPES: Partial<Record<Field['kind'], string>> = { quantity: 'integer', flag: 'integer' }

/** Columns of every table that no response shows; each table has some of its own. */
const HIDDEN = ['seq', 'version', 'changed_in', 'changed_by', 'changed_place']

describe.each([
  ['products', Product, PRODUCTS.table, ['created_at', 'updated_at']],
  ['locations', Location, LOCATIONS.table, ['created_at', 'updated_at']],
  ['orders', Order, orders, ['partner_id', 'items_bytes', 'created_seq']],
] as const)('the definition of %s', (name, record, table, own) => {
  const all: Record<string, SQLiteColumn> = getTableColumns(table)
  const fields: [string, Field][] = Object.entries(record.fields)

  it('names the table, and all of its columns that a record shows, in their order', () => {
    expect([record.many, getTableName(table)]).toEqual([name, name])
    const shown = Object.keys(all).filter((column) => ![...HIDDEN, ...own].includes(column))
    expect(Object.keys(record.fields)).toEqual(shown)
  })

  it.each(fields)('agrees with the column %s', (field, { kind, shown, create }) => {
    const column = all[field]
    expect(column?.getSQLType()).toBe(TYPES[kind] ?? 'text')
    expect(z.safeParse(shown, null).success).toBe(!column?.notNull)
    const isGiven = create === null || z.safeParse(create, undefined).success
    expect(isGiven || field === record.key).toBe(true)
  })

  it('lists fields that it has, its key among them', () => {
    expect(Object.keys(record.fields)).toEqual(expect.arrayContaining([...record.lists]))
    expect(record.lists).toContain(record.key)
    expect(record.fields).toHaveProperty([record.free, 'kind'], 'object')
  })

  it('has an example of each field that its schemas take', () => {
    const example = Object.fromEntries(fields.map(([field, { example }]) => [field, example]))
    const within = (schema: z.ZodObject) =>
      Object.fromEntries(Object.keys(schema.shape).map((field) => [field, example[field]]))
    expect(record.Shown.safeParse(example).error).toBeUndefined()
    for (const schema of [record.Create, record.Update]) {
      expect(schema.safeParse(within(schema)).error).toBeUndefined()
    }
  })

  it('says of a new record what the table does by default', () => {
    for (const [field, { create }] of fields) {
      const given = create === null ? undefined : z.safeParse(create, undefined).data
      if (given !== undefined) expect([field, given]).toEqual([field, all[field]?.default])
    }
  })
})
