import { type Context, Hono } from 'hono'
import { success } from '../engine/answers/envelope.ts'
import { readBytes } from '../engine/body/payload.ts'
import type { AppEnv } from '../engine/env.ts'
import type { DeliveryResult } from './delivery.ts'
import { isPing } from './ping.ts'
import { ready } from './ready.ts'
import { receive } from './receive.ts'
import { webhookOf } from './webhook.ts'

/** The addresses of webhooks. A redirect is a failure for most senders, so both forms of an address are routes. */
export const deliveriesRoutes = new Hono<AppEnv>()

for (const path of ['/:token', '/:token/']) {
  deliveriesRoutes.get(path, ready)
  deliveriesRoutes.post(path, async (c) => {
    if (isPing(c, await readBytes(c))) return pinged(c)
    return received(c, await receive(c, webhookOf(c)))
  })
}

function received(c: Context<AppEnv>, { warnings, ...result }: DeliveryResult): Response {
  const { request_id } = c.get('exchange')
  return success(c, 200, { data: { delivery_id: request_id, ...result } }, warnings)
}

/** A ping changes nothing, and leaves no row in the log. */
function pinged(c: Context<AppEnv>): Response {
  const answer = success(c, 200, { data: { outcome: 'skipped', reason: 'A ping.' } })
  c.get('exchange').caller = null
  return answer
}
