import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { countedBindings } from '../fixtures/metering.ts'
import { cookieOf, submit, withCookie } from '../fixtures/session.ts'
import { createKey } from '../fixtures/tenant.ts'
import { openWebhook } from '../fixtures/webhooks.ts'

const DELIVERIES = 400
const OTHERS = 5000

/** Rows of the log as deliveries leave them, one a minute, the newest now; every tenth is a try of one that waited. */
async function fillLog(api_key_id: string, partner_id: string, rows: number) {
  await env.DB_DEMO.prepare(
    `with recursive n (at) as (select 0 union all select at + 1 from n where at < ?3 - 1)
     insert into audit_log (request_id, created_at, settings_version, record_id, api_key_id, api_key_name, partner_id,
       method, path, status, duration_ms, outcome, replay_of)
     select lower(hex(randomblob(4))) || '-0000-7000-8000-' || lower(hex(randomblob(6))),
       strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || at || ' minutes'), 1, 'x', ?1, 'shop', ?2,
       'POST', '/webhooks/v1/x/', 200, 5, 'created', iif(at % 10 = 9, 'd' || at, null) from n`,
  )
    .bind(api_key_id, partner_id, rows)
    .run()
}

async function readAt(path: string): Promise<number> {
  const { value: key } = await createKey(['settings.*'])
  const cookie = cookieOf(await submit('/dashboard/sign-in/', { key }))
  const { bindings, rows } = countedBindings()
  expect((await withCookie(cookie, { bindings }).get(path)).status).toBe(200)
  return rows.read
}

describe('GET /dashboard/webhooks/:id/', () => {
  it('reads its own rows of the log along the index of callers, and no rows of others', async () => {
    const { id, partner } = await openWebhook()
    const path = `/dashboard/webhooks/${id}/`
    const empty = await readAt(path)
    await fillLog(id, partner.id, DELIVERIES)
    const own = (await readAt(path)) - empty
    // An entry of the index and a row for each, and those of the ten newest again.
    expect(own).toBeGreaterThan(DELIVERIES)
    expect(own).toBeLessThan(DELIVERIES * 3)
    const { id: other, partner: others } = await openWebhook()
    await fillLog(other, others.id, OTHERS)
    expect((await readAt(path)) - empty).toBeLessThan(own + 100)
  })
})
