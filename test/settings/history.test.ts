import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { REQUESTS_LOOKED_MAX } from '../../src/requests/audit-log/history.ts'
import { insertRequests } from '../fixtures/audit-rows.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { openDashboard } from '../fixtures/session.ts'
import { type Api, type Json, openAdmin } from '../fixtures/tenant.ts'
import { createOrder } from '../fixtures/warehouse.ts'

// The changes of a record, which its page in the dashboard shows.

let admin: Api

beforeAll(async () => {
  admin = await openAdmin()
})

const show = async ({ id }: Json) => (await openDashboard()).get(`/dashboard/orders/${id}/`)
const rowsRead = (headers: Headers) =>
  Number(/rows read (\d+)/.exec(headers.get('Server-Timing') ?? '')?.[1])

describe('the history of a record', () => {
  it('shows the newest 20 changes, and says that there are more', async () => {
    const order = await createOrder(admin)
    const path = `/api/integrations/v1/orders/${order.order_number}/`
    const row = { record_id: order.id, record_name: order.order_number, method: 'PUT', path }
    await insertRequests([row], 20)
    const { text } = await show(order)
    expect(text.match(/<a href="\/dashboard\/audit-log\/[0-9a-f-]+\/">\s*Changed/g)).toHaveLength(
      20,
    )
    expect(text).not.toMatch(/POST \/api/)
    expect(text).toContain('Older changes are not shown')
  })

  inDeepPass(() => {
    it('looks at a bounded number of requests about it, and says so', async () => {
      const order = await createOrder(admin)
      const about = { record_id: null, record_name: order.order_number }
      expect((await show(order)).text).not.toContain('Older changes are not shown')
      await insertRequests([about], REQUESTS_LOOKED_MAX - 2)
      expect((await show(order)).text).toContain('POST /api/integrations/v1/orders/')
      await insertRequests([about], 20_000)
      const { text, headers } = await show(order)
      expect(text).toContain('The audit log has no change of this record.')
      expect(text).toContain('among the newest 10,000 requests about it')
      expect(rowsRead(headers)).toBeLessThan(2.1 * REQUESTS_LOOKED_MAX)
    })
  })

  it('reads its record’s requests by an index, whatever else the log holds', async () => {
    await insertRequests([{ record_name: 'other' }], 5000)
    const { headers } = await show(await createOrder(admin))
    expect(rowsRead(headers)).toBeLessThan(60)
    expect(
      await env.DB_DEMO.prepare('select count(*) from audit_log').first('count(*)'),
    ).toBeGreaterThan(5000)
  })
})
