import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { numberIn } from '../fixtures/markdown.ts'
import { openTenant } from '../fixtures/tenant.ts'
import { INDEXES } from './costs.ts'

// docs/costs.md: what each index of the four resources adds to a write.

const TABLES = ['order_items', 'orders', 'inventory', 'products', 'locations']
const times = `'2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'`
const ORDER = `insert into orders (id, order_number, external_order_id, partner_id, customer_name, created_at, updated_at, changed_in)`

interface Writes {
  create: string
  change: string
}

/** Records that are active, or not, at first. */
function ofActivity(table: string, name: string): Record<string, Writes> {
  const create = (is_active: number) =>
    `insert into ${table} (id, ${name}, is_active, created_at, updated_at, changed_in) values ('new', 'new', ${is_active}, ${times}, 3)`
  const change = `update ${table} set is_active = 0, changed_in = 7 where id = 'old'`
  return {
    [`${table}_active`]: { create: create(1), change },
    [`${table}_inactive`]: { create: create(0), change },
  }
}

/** A record with this name, and a change of the name. */
function ofName(table: string, name: string, column: string): Record<string, Writes> {
  return {
    [`${table}_${column}`]: {
      create: `insert into ${table} (id, ${name}, ${column}, created_at, updated_at, changed_in) values ('new', 'new', 'new', ${times}, 3)`,
      change: `update ${table} set ${column} = 'new', changed_in = 7 where id = 'old'`,
    },
  }
}

/** A record in any request, and its change in another one. */
function ofChange(table: string, name: string): Writes {
  return {
    create: `insert into ${table} (id, ${name}, created_at, updated_at, changed_in) values ('new', 'new', ${times}, 3)`,
    change: `update ${table} set changed_in = 7 where id = 'old'`,
  }
}

/** A record that the index holds, and a change after which it holds another entry, or none, or a new one. */
const WRITES: Record<string, Writes> = {
  orders: {
    create: `${ORDER} values ('new', 'new', 'e', 'p', 'n', ${times}, 3)`,
    change: `update orders set status = 'shipped', notes = 'x', changed_in = 7 where id = 'old'`,
  },
  ...ofActivity('products', 'sku'),
  ...ofActivity('locations', 'code'),
  ...ofName('orders', 'order_number', 'customer_name'),
  ...Object.assign({}, ...['name', 'zone', 'aisle'].map((at) => ofName('locations', 'code', at))),
  inventory: {
    create: `insert into inventory (location_code, sku_code, quantity) values ('old', 'other', 1)`,
    change: `update inventory set quantity = 2, changed_in = 7 where sku_code = 'old'`,
  },
  products_changed: ofChange('products', 'sku'),
  locations_changed: ofChange('locations', 'code'),
}

const STOCK = 'insert into inventory (location_code, sku_code, quantity) values'
const NONE = { create: '', change: '' }

async function fill(): Promise<void> {
  await db.batch(
    [
      `${ORDER} values ('old', 'old', 'e', 'p', 'n', ${times}, 3)`,
      `insert into products (id, sku, created_at, updated_at) values ('old', 'old', ${times}), ('other', 'other', ${times})`,
      `insert into locations (id, code, name, zone, aisle, created_at, updated_at) values ('old', 'old', 'n', 'n', 'n', ${times})`,
      `insert into inventory (location_code, sku_code, quantity) values ('old', 'old', 1)`,
    ].map((sql) => db.prepare(sql)),
  )
}

/** Rows written by the statement, which is taken back. */
async function written(sql: string): Promise<number> {
  const { meta } = await db.prepare(sql).run()
  for (const table of TABLES) await db.exec(`delete from ${table}`)
  await fill()
  return meta.rows_written
}

const db = await openTenant()
await db
  .prepare(`insert into partners (id, name, created_at, updated_at) values ('p', 'p', ${times})`)
  .run()
await fill()

describe.each(sample([...INDEXES], 5))('%s', (name, row) => {
  it('adds to a write what the page says', async () => {
    const index = name.replaceAll('`', '')
    const { create, change } = WRITES[index] ?? WRITES[index.split('_')[0] ?? ''] ?? NONE
    const sql = await db
      .prepare('select sql from sqlite_schema where name = ?')
      .bind(index)
      .first<string>('sql')
    const all = [await written(create), await written(change)]
    await db.exec(`drop index ${index}`)
    const others = [await written(create), await written(change)]
    await db.exec(sql?.replaceAll('\n', ' ') ?? '')
    const added = all.map((rows, at) => rows - (others[at] ?? 0))
    expect(added).toEqual([numberIn(row['Creating a record']), numberIn(row['Changing it'])])
  })
})

describe('inventory_low', () => {
  it.each([
    ['a record of more than 100', 5, `${STOCK} ('old', 'other', 101)`],
    ['a record of 100', 6, `${STOCK} ('old', 'other', 100)`],
    ['a change from low to more than 100', 1, 'update inventory set quantity = 101'],
    ['a change to 100', 2, 'update inventory set quantity = 100'],
    ['a change of something else', 1, 'update inventory set changed_in = 7'],
  ])('makes %s %i rows written', async (_, rows, sql) => {
    expect(await written(sql)).toBe(rows)
  })
})

describe('the page', () => {
  it('has every index of the resources', async () => {
    const { results } = await db
      .prepare(
        `select name from sqlite_schema where type = 'index' and sql is not null
         and tbl_name in (select value from json_each(?)) order by name`,
      )
      .bind(JSON.stringify(TABLES))
      .all<{ name: string }>()
    const named = [...INDEXES.keys()].map((name) => name.replaceAll('`', ''))
    expect(named.toSorted()).toEqual(results.map(({ name }) => name))
  })
})
