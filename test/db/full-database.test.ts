import { readFileSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { connect, newMeter, type StatementTarget } from '../../src/engine/db/connect.ts'
import { MIGRATIONS } from '../../src/engine/db/migrations.ts'
import { newRequestId } from '../../src/engine/db/request-id.ts'
import { TenantDatabase } from '../../src/engine/db/transact.ts'
import type { ApiError } from '../../src/engine/errors.ts'
import { Pace } from '../../src/engine/limits/pace.ts'
import { deleteExpiredRows } from '../../src/engine/log/expired-rows.ts'
import { cancelOrder, createOrder } from '../../src/records/orders/queries.ts'

// D1 lets nobody bound its pages, so this is SQLite itself, with the schema and the statements of the product.

const ORDERS = 160
const KEY = '0c1f0000-0000-4000-8000-000000000000'
const DAY_MS = 24 * 60 * 60 * 1000
const SQLITE_FULL = 13

type Bound = { sql: string; params: SQLInputValue[] }

/** What of D1 a connection needs. */
function sourceOf(sqlite: DatabaseSync): StatementTarget {
  const run = ({ sql, params }: Bound) => {
    const results = sqlite.prepare(sql).all(...params)
    return { results, meta: { changes: sqlite.prepare('select changes() as n').get()?.n } }
  }
  const source = {
    prepare: (sql: string) => ({ bind: (...params: SQLInputValue[]) => ({ sql, params }) }),
    batch: async (statements: Bound[]) => {
      sqlite.exec('begin')
      try {
        const results = statements.map(run)
        sqlite.exec('commit')
        return results
      } catch (error) {
        if (sqlite.isTransaction) sqlite.exec('rollback')
        if ((error as { errcode?: number }).errcode !== SQLITE_FULL) throw error
        throw new Error('D1_ERROR: Exceeded maximum DB size.')
      }
    },
  }
  return source as unknown as StatementTarget
}

function openWarehouse() {
  const sqlite = new DatabaseSync(':memory:')
  for (const name of MIGRATIONS) sqlite.exec(readFileSync(`migrations/${name}`, 'utf8'))
  sqlite.exec(`
    insert into workspace (id, tenant, name, created_at, updated_at) values (1, 'a', 'a', '', '');
    insert into api_keys (id, hash, hint, name, scopes, created_at) values ('${KEY}', '', '', '', '[]', '');
    insert into products (id, sku, created_at, updated_at) values ('p', 'S', '', '')`)
  const connection = connect(sourceOf(sqlite), newMeter())
  const one = (sql: string) => Object.values(sqlite.prepare(sql).get() ?? {})[0]
  const request = (method: string, at = Date.now()) => {
    const subject = {
      request_id: newRequestId(at),
      created_at: new Date(at).toISOString(),
      settings_version: Number(one('select settings_version from workspace')),
      api_key_id: KEY,
      api_key_name: 'key',
      partner_id: null,
      partner_name: null,
      session_id: null,
      method,
      path: '/api/integrations/v1/orders/',
      replay_of: null,
      dry_run: false,
      outcome: null,
      sender_event: null,
      sender_id: null,
    }
    const pace = new Pace({ tenant: 'a', key: KEY })
    return new TenantDatabase(connection, subject, { takeMemory: async () => {}, pace })
  }
  const create = (n: number, at?: number) =>
    createOrder(
      request('POST', at),
      { orders_of: null, partner: null, scopes: [], codeAt: null },
      {
        order_number: `SO-${n}`,
        items: [{ sku_code: 'S', quantity: 2 }],
      },
    )
  const cancel = (n: number) => {
    const at = { resource: 'orders', field: 'order_number', orders_of: null } as const
    return cancelOrder(request('DELETE'), { ...at, identifier: `SO-${n}` }, {})
  }
  return { sqlite, connection, one, create, cancel }
}

/** Half of its orders are a hundred days old. */
async function openFull() {
  const warehouse = openWarehouse()
  const { sqlite, one, create } = warehouse
  for (let n = 0; n < ORDERS; n++) {
    await create(n, n < ORDERS / 2 ? Date.now() - 100 * DAY_MS : Date.now())
  }
  sqlite.exec(`pragma max_page_count = ${one('pragma page_count')}`)
  // What is left in pages that are not full.
  const fill = async () => {
    for (let n = ORDERS; ; n++) await create(n)
  }
  const refusal = await fill().catch((error: ApiError) => error)
  return { ...warehouse, refusal }
}

const reasonOf = (answer: Promise<unknown>) =>
  answer.then(
    () => null,
    (error: ApiError) => error.details.reason,
  )

describe('a database without a free page', () => {
  it('takes no new order and no cancellation, and changes nothing', async () => {
    const { refusal, one, cancel } = await openFull()
    expect(refusal.details.reason).toBe('STORAGE_FULL')
    const before = one('select count(*) from audit_log')
    const reasons = new Set<unknown>()
    for (let n = 0; n < 20; n++) reasons.add(await reasonOf(cancel(n)))
    expect([...reasons]).toContain('STORAGE_FULL')
    const cancelled = one("select count(*) from orders where status = 'cancelled'")
    expect(one('select count(*) from audit_log')).toBe(Number(before) + Number(cancelled))
  })

  it('takes cancellations again, each with its audit row, when expired rows have been deleted', async () => {
    const { sqlite, connection, one, cancel } = await openFull()
    // The operator's command (docs/operations.md).
    sqlite.exec('update workspace set audit_retention_days = 90')
    const { rows } = await deleteExpiredRows(connection, new Date().toISOString(), {
      withSettings: true,
    })
    expect(rows).toBe(ORDERS / 2)
    for (let n = 0; n < ORDERS / 4; n++) expect(await reasonOf(cancel(n))).toBeNull()
    const logged = "select count(*) from audit_log where method = 'DELETE'"
    expect([one(logged), one("select count(*) from orders where status = 'cancelled'")]).toEqual([
      ORDERS / 4,
      ORDERS / 4,
    ])
  })
})
