import { type Context, Hono } from 'hono'
import { ok, success } from '../engine/answers/envelope.ts'
import { readUnpacked } from '../engine/body/payload.ts'
import type { AppEnv } from '../engine/env.ts'
import { ApiError } from '../engine/errors.ts'
import { hideKeys } from '../engine/identity/key.ts'
import { inTime, TimedOut } from '../engine/limits/deadline.ts'
import { broughtBefore, webhookOf } from './arrival.ts'
import type { DeliveryResult } from './delivery.ts'
import { receive } from './receive.ts'

/** The addresses of webhooks. A redirect is a failure for most senders, so both forms of an address are routes. */
export const deliveriesRoutes = new Hono<AppEnv>()

for (const path of ['/:token', '/:token/']) {
  deliveriesRoutes.get(path, answerChallenge)
  deliveriesRoutes.post(path, async (c) => {
    const result = await inTimeForSender(c, handled(c))
    return result === null ? pinged(c) : received(c, result)
  })
}

/** Null for a ping. */
async function handled(c: Context<AppEnv>): Promise<DeliveryResult | null> {
  return isPing(c, await readUnpacked(c)) ? null : await receive(c, webhookOf(c))
}

function received(c: Context<AppEnv>, { warnings, ...result }: DeliveryResult): Response {
  const { request_id } = c.get('exchange')
  return success(c, 200, { data: { delivery_id: request_id, ...result } }, warnings)
}

// Shopify waits 5 s, others longer.
const ANSWER_MS_MAX = 4000

/**
 * The result, if it is there within 4 s of the request: after that many senders count the delivery as failed anyway.
 * Then 503, and the work goes on: it is applied once, even if the sender repeats it. What the Worker makes itself has time.
 */
async function inTimeForSender<Result>(c: Context<AppEnv>, work: Promise<Result>): Promise<Result> {
  if (broughtBefore(c)) return await work
  const { started_at } = c.get('exchange')
  c.executionCtx.waitUntil(work.catch(() => {}))
  return await inTime(work, Math.max(1, started_at + ANSWER_MS_MAX - Date.now())).catch((error) => {
    throw error instanceof TimedOut ? tooSlow() : error
  })
}

function tooSlow(): ApiError {
  return new ApiError(
    'UNAVAILABLE',
    'The delivery could not be handled in time: it may or may not have been applied. Send it again.',
    { reason: 'WRITE_UNKNOWN', retryAfter: 60 },
  )
}

// Plain characters only: the answer must not become a page.
const CHALLENGE = /^[\w.~:+/=-]{1,200}$/

/** Answers the check of a sender before it saves an address. A `challenge` is given back as text. */
async function answerChallenge(c: Context<AppEnv>): Promise<Response> {
  await c.get('db').confirm()
  c.set('parameters', ['challenge'])
  const challenge = c.req.query('challenge')
  const isPlain = challenge !== undefined && CHALLENGE.test(challenge)
  return isPlain && hideKeys(challenge) === challenge ? c.text(challenge) : ok(c, { ready: true })
}

const FORM = /^application\/x-www-form-urlencoded\b/i
const PING_BYTES_MAX = 100

/**
 * Whether the delivery is the one that WooCommerce sends when a webhook is saved: a form with nothing but `webhook_id`. It
 * is not signed, and has to be answered by exactly 200.
 */
function isPing(c: Context<AppEnv>, body: Uint8Array): boolean {
  if (body.length > PING_BYTES_MAX || !FORM.test(c.req.header('Content-Type') ?? '')) return false
  return /^webhook_id=\d+$/.test(new TextDecoder().decode(body))
}

/** A ping changes nothing, and leaves no row in the log. */
function pinged(c: Context<AppEnv>): Response {
  const answer = success(c, 200, { data: { outcome: 'skipped', reason: 'A ping.' } })
  c.get('exchange').caller = null
  return answer
}
