import type { Context } from 'hono'
import type { AppEnv } from '../engine/env.ts'

const FORM = /^application\/x-www-form-urlencoded\b/i
const PING_BYTES_MAX = 100

/**
 * Whether the delivery is the one that WooCommerce sends when a webhook is saved: a form with nothing but `webhook_id`. It
 * is not signed, and has to be answered by exactly 200.
 */
export function isPing(c: Context<AppEnv>, body: Uint8Array): boolean {
  if (body.length > PING_BYTES_MAX || !FORM.test(c.req.header('Content-Type') ?? '')) return false
  return /^webhook_id=\d+$/.test(new TextDecoder().decode(body))
}
