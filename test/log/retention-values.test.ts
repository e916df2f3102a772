import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { EXPIRED_BYTES_MAX, EXPIRED_REQUESTS_MAX } from '../../src/engine/log/expired-rows.ts'
import { itInDeep } from '../fixtures/depth.ts'
import { daysAgo, demo, interrupted, keepFor, NOW, run } from '../fixtures/retention.ts'
import { openAdmin } from '../fixtures/tenant.ts'
import { idOf, undo } from '../fixtures/undo.ts'
import { createProduct, path } from '../fixtures/warehouse.ts'

// What requests replaced, which the daily cron deletes as it deletes audit rows.

beforeEach(async () => {
  await demo.exec('delete from replaced_values')
  await undoFor(7)
})

const undoFor = (days: number) =>
  demo.prepare('update workspace set undo_days = ?, remembered_since = null').bind(days).run()

/** Requests of that age, with slices of so many bytes. */
async function addValues(age: number, slices: number[], times = 1): Promise<void> {
  await demo.batch([
    demo
      .prepare(
        `with recursive turn (n) as (select 1 union all select n + 1 from turn where n < ?1)
         insert into audit_log (request_id, created_at, settings_version, record_id, api_key_id,
           api_key_name, method, path, status, duration_ms)
         select lower(hex(randomblob(16))), ?2, 1, 'x', 'key', 'key', 'PUT', '/', 200, 1 from turn`,
      )
      .bind(times, new Date(age).toISOString()),
    ...slices.map((bytes, position) =>
      demo
        .prepare(
          `insert into replaced_values select seq, ?1, 'products', hex(zeroblob(?2 / 2)) from audit_log
           order by seq desc limit ?3`,
        )
        .bind(position, bytes, times),
    ),
  ])
}

/** In days before now, of the requests of which something is left, and how many slices. */
async function agesLeft() {
  const { results } = await demo
    .prepare(
      `select created_at, count(*) as slices from replaced_values
       join audit_log on seq = changed_in group by seq order by seq`,
    )
    .all<{ created_at: string; slices: number }>()
  return results.map(({ created_at, slices }) => [
    (NOW - Date.parse(created_at)) / (24 * 60 * 60 * 1000),
    slices,
  ])
}

it('go when they are older than undo_days by a millisecond, and the rest stays', async () => {
  for (const days of [9, 7, 3]) await addValues(daysAgo(days), [10, 10])
  await addValues(daysAgo(7) - 1, [10])
  const { values_deleted, rows_deleted } = await run()
  expect([values_deleted, rows_deleted]).toEqual([3, 0])
  expect(await agesLeft()).toEqual([
    [7, 2],
    [3, 2],
  ])
})

it('go with the audit log, if that is kept for fewer days', async () => {
  await keepFor(demo, 2)
  for (const days of [3, 1, 0]) await addValues(daysAgo(days), [10])
  expect(await run()).toMatchObject({ values_deleted: 1, rows_deleted: 1 })
  expect(await agesLeft()).toEqual([
    [1, 1],
    [0, 1],
  ])
})

it('go all with undo_days 0, and those without an audit row', async () => {
  await demo.exec("insert into replaced_values values (-1, 0, 'products', 'x')")
  await addValues(daysAgo(0.001), [10])
  await undoFor(0)
  expect((await run()).values_deleted).toBe(2)
})

itInDeep('go in bounded batches, a request at once', async () => {
  const slice = EXPIRED_BYTES_MAX / 20
  await addValues(daysAgo(9), Array(15).fill(slice))
  await addValues(daysAgo(9), Array(15).fill(slice))
  await addValues(daysAgo(9), Array(15).fill(slice))
  await addValues(daysAgo(8), [5], EXPIRED_REQUESTS_MAX + 1)
  await addValues(daysAgo(1), [5])
  const left: unknown[] = []
  const look = async () => left.push((await agesLeft()).filter(([days]) => days === 9))
  const line = await run({ bindings: { DB_DEMO: interrupted(demo, look) } })
  expect(left.slice(0, 2)).toEqual([Array(3).fill([9, 15]), [[9, 15]]])
  expect(line).toMatchObject({ values_deleted: 45 + EXPIRED_REQUESTS_MAX + 1, failed: 0 })
  expect(await agesLeft()).toEqual([[1, 1]])
})

it('leave nothing half deleted when a batch fails, and go the next day', async () => {
  await addValues(daysAgo(9), Array(30).fill(EXPIRED_BYTES_MAX / 20))
  await addValues(daysAgo(9), [5])
  let batches = 0
  const failSecond = () => {
    batches += 1
    if (batches === 2) throw new Error('Network connection lost')
  }
  const line = await run({ bindings: { DB_DEMO: interrupted(demo, failSecond) } })
  expect(line).toMatchObject({ failed: 1, values_deleted: 30 })
  expect(await agesLeft()).toEqual([[9, 1]])
  expect((await run({ bindings: env })).values_deleted).toBe(1)
})

it('are not offered any longer from the moment on at which the days are lowered', async () => {
  const admin = await openAdmin()
  const product = await createProduct(admin)
  const put = await admin.put(path('products', product.sku), { quantity: 5 })
  // Its own id would tell when it came.
  const id = crypto.randomUUID()
  await demo
    .prepare('update audit_log set created_at = ?, request_id = ? where request_id = ?')
    .bind(new Date(Date.now() - 3 * 24 * 60 * 60 * 1000).toISOString(), id, idOf(put))
    .run()
  await demo.exec("update workspace set created_at = '2020-01-01T00:00:00.000Z'")
  const set = (undo_days: number) => admin.put('/api/settings/v1/workspace/', { undo_days })
  const list = () => admin.get(`/api/settings/v1/audit-log/${id}/changes/`)
  expect((await list()).body.data).toHaveLength(1)
  for (const days of [2, 0, 7]) {
    expect((await set(days)).body.data.undo_days).toBe(days)
    const refused = await undo(admin, id)
    expect([refused.status, refused.body.error.code]).toEqual([400, 'SERVICE_ERROR'])
    expect(refused.body.error.message).toContain(days === 0 ? 'undo_days is 0' : 'known since 20')
    const { data, warnings } = (await list()).body
    expect([data, warnings]).toEqual([[], [{ field: 'data', message: expect.any(String) }]])
  }
})
