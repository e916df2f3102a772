import type { Context } from 'hono'
import type { AppEnv } from '../engine/env.ts'
import { partIn } from '../engine/exchange/acting.ts'
import { retriedIn } from '../engine/exchange/retried.ts'

/** What is known of the delivery because another request has brought it: its sender was checked then. */
export function broughtBefore(c: Context<AppEnv>) {
  return partIn(c) ?? retriedIn(c)
}

/** When the sender has delivered it. */
export function arrivedAt(c: Context<AppEnv>): string {
  return broughtBefore(c)?.created_at ?? c.get('db').subject.created_at
}
