import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { EXPIRED_ROWS_MAX } from '../../src/engine/log/expired-rows.ts'
import { addRows, countIn, daysAgo, demo, interrupted, other, run } from '../fixtures/retention.ts'
import type { Json } from '../fixtures/tenant.ts'

describe('the daily cron, where a tenant fails', () => {
  const SECRET = 'delete from audit_log, xd_demo_secret'

  it.each([
    ['by throwing', 'prepare'],
    ['by refusing', 'batch'],
  ])('%s, serves the others and says no word of what it heard', async (_, method) => {
    const fail = () => {
      throw new TypeError(`D1_ERROR: ${SECRET}: SQLITE_BUSY`)
    }
    const broken = { prepare: demo.prepare.bind(demo), batch: fail, [method]: fail }
    for (const db of [demo, other]) await addRows(db, daysAgo(366), 2)
    const bindings = { ...env, DB_A_FIRST: broken, DB_MIDDLE: broken, DB_Z_LAST: broken }
    const line = await run({ bindings })
    expect([await countIn(demo), await countIn(other)]).toEqual([1, 1])
    const failures = ['a-first', 'middle', 'z-last'].map((tenant) => ({
      tenant,
      name: 'TypeError',
      sqlite: 'SQLITE_BUSY',
    }))
    expect(line).toMatchObject({ level: 'error', tenants: 5, rows_deleted: 2, failed: 3 })
    expect(line.failures.toSorted(byTenant)).toEqual(failures)
    expect(JSON.stringify(line)).not.toContain(SECRET)
  })

  it('for want of the migration, serves the others', async () => {
    for (const db of [demo, other]) await addRows(db, daysAgo(366), 2)
    await other.exec('alter table workspace rename column audit_retention_days to later')
    const line = await run()
    await other.exec('alter table workspace rename column later to audit_retention_days')
    expect([await countIn(demo), await countIn(other)]).toEqual([1, 2])
    expect(line).toMatchObject({ tenants: 2, rows_deleted: 1, failed: 1 })
    expect(line.failures).toEqual([{ tenant: 'other', name: 'Error', sqlite: 'SQLITE_ERROR' }])
  })

  it('in the middle of its chunks, counts what was deleted until then', async () => {
    await addRows(demo, daysAgo(366), EXPIRED_ROWS_MAX + 1)
    let statements = 0
    const failSecond = () => {
      statements += 1
      if (statements === 2) throw new Error('Network connection lost')
    }
    const line = await run({ bindings: { DB_DEMO: interrupted(demo, failSecond) } })
    expect(line).toMatchObject({ rows_deleted: EXPIRED_ROWS_MAX, batches: 2, unfinished: 0 })
    expect(line.failures).toEqual([{ tenant: 'demo', name: 'Error' }])
  })

  it('lists twenty failures of many, and counts all', async () => {
    const broken = Array.from({ length: 30 }, (_, index) => [`DB_T_${index}`, { prepare: null }])
    const line = await run({ bindings: Object.fromEntries(broken) })
    expect([line.failed, line.failures.length]).toEqual([30, 20])
  })
})

function byTenant(one: Json, another: Json): number {
  return one.tenant < another.tenant ? -1 : 1
}
