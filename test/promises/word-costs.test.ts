import { describe, expect, it } from 'vitest'
import { numberIn } from '../fixtures/markdown.ts'
import { openTenant } from '../fixtures/tenant.ts'
import { WORDS } from './costs.ts'

// docs/costs.md: what the words of an order add to the statements that write its names.

const TRIGGERS = ['orders_added_words', 'orders_changed_words', 'orders_removed_words']
const times = `'2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'`

async function create(number: string, name: string | null) {
  for (const table of ['order_items', 'orders']) await db.exec(`delete from ${table}`)
  const insert = `insert into orders (id, order_number, customer_name, created_at, updated_at, changed_in)
    values ('o', ?, ?, ${times}, 3)`
  return (await db.prepare(insert).bind(number, name).run()).meta
}

async function rename(name: string | null) {
  const update = 'update orders set customer_name = ?, changed_in = changed_in + 4'
  return (await db.prepare(update).bind(name).run()).meta
}

/** What it takes to create the order, or to rename its customer if there is a third text. */
async function cost([number, name, later]: (string | null)[]) {
  const created = await create(number ?? '', name ?? null)
  return later === undefined ? created : await rename(later)
}

/** The texts of the first cell. */
function namesIn(cell: string): (string | null)[] {
  return cell.split(', ').map((part) => /`(.*)`/.exec(part)?.[1] ?? null)
}

const db = await openTenant()
const { results } = await db
  .prepare('select sql from sqlite_schema where name in (select value from json_each(?))')
  .bind(JSON.stringify(TRIGGERS))
  .all<{ sql: string }>()
const triggers = results.map(({ sql }) => sql.replaceAll('\n', ' '))

describe('the words of an order', () => {
  it.each([...WORDS])('add what the page says: %s', async (cell, row) => {
    const names = namesIn(cell)
    const whole = await cost(names)
    for (const name of TRIGGERS) await db.exec(`drop trigger ${name}`)
    await db.exec('delete from order_words')
    const without = await cost(names)
    for (const sql of triggers) await db.exec(sql)
    const added = [whole.rows_read - without.rows_read, whole.rows_written - without.rows_written]
    expect(added).toEqual([numberIn(row['Rows read']), numberIn(row['Rows written'])])
  })

  it('add nothing to a change of anything else', async () => {
    await create('SO-2001', 'Ada Lund')
    const update = db.prepare("update orders set status = 'verified', notes = 'x', changed_in = 77")
    const plan = await db
      .prepare("explain update orders set status = 'verified', changed_in = 77")
      .all()
    expect(JSON.stringify(plan.results)).not.toContain('order_words')
    expect((await update.run()).meta.rows_written).toBe(3)
  })
})
