import { beforeAll, describe, expect, it } from 'vitest'
import { GROUPS_MAX, groupDeliveries } from '../../src/requests/deliveries/summary.ts'
import { meteredDatabase } from '../fixtures/metered.ts'
import { openTenant } from '../fixtures/tenant.ts'

// What the groups of waiting deliveries say, and what they cost where thousands wait.

const ROWS = 2000

beforeAll(async () => {
  const db = await openTenant()
  const now = new Date().toISOString()
  await db
    .prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${ROWS})
       insert into waiting_deliveries (delivery_id, log_seq, api_key_id, partner_id, resource, needs, needs_code,
         error_code, message, created_at, ends_at, bytes, body)
       select 'd' || i, i, 'w' || (i % 3), 'p' || (i % 5), 'orders', iif(i % 2, 'product', 'settings'),
         iif(i % 2, 'S' || (i % 40), null), 'X', 'm', ?1, ?1, 100, '{}' from n`,
    )
    .bind(now)
    .run()
})

describe('groupDeliveries', () => {
  it('puts together what has one remedy, the largest groups first, and names the oldest', async () => {
    const { db } = await meteredDatabase()
    const { groups } = await groupDeliveries(db)
    expect(groups).toHaveLength(GROUPS_MAX)
    expect(groups.slice(0, 5).map(({ needs, records }) => [needs, records])).toEqual(
      Array(5).fill(['settings', ROWS / 10]),
    )
    expect(groups[0]).toMatchObject({ needs_code: null, partner_id: 'p2', delivery_id: 'd2' })
    expect(groups[5]).toMatchObject({
      needs: 'product',
      needs_code: 'S1',
      partner_id: null,
      records: ROWS / 40,
      delivery_id: 'd1',
    })
  })

  it('reads little more than an entry of an index for each delivery', async () => {
    const { db, meter } = await meteredDatabase()
    await groupDeliveries(db)
    expect(meter.rows_read).toBeGreaterThan(ROWS)
    expect(meter.rows_read).toBeLessThan(ROWS * 1.2)
  })
})
