import type { Context } from 'hono'
import type { AppEnv } from '../engine/env.ts'
import { unavailable } from '../engine/errors.ts'
import { retriedIn } from '../engine/exchange/retried.ts'
import { inTime } from '../engine/limits/deadline.ts'

const WAKE_MS_MAX = 2000

/**
 * Lets the tenant's object look for what is to be tried, a minute from now at the latest. 503 UNAVAILABLE if it does not
 * answer: what nobody tries must not be kept.
 */
async function wake(c: Context<AppEnv>): Promise<void> {
  const { tenant } = c.get('caller')
  try {
    await inTime(c.env.DELIVERIES.getByName(tenant).wake(tenant), WAKE_MS_MAX)
  } catch {
    const { request_id } = c.get('exchange')
    console.error(JSON.stringify({ event: 'deliveries_not_woken', request_id, tenant }))
    throw unavailable('Deliveries cannot be kept just now. Send it again.', 'STORE_UNREACHABLE')
  }
}

/** So that what is kept is tried: an alarm that finds nothing costs little. What is tried already need not wait for it. */
export async function wakeFirst(c: Context<AppEnv>): Promise<void> {
  const woken = wake(c)
  if (retriedIn(c)) c.executionCtx.waitUntil(woken.catch(() => {}))
  else await woken
}
