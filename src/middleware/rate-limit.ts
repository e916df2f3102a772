import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../engine/env.ts'
import { ApiError } from '../engine/errors.ts'
import { actingIn } from '../engine/exchange/acting.ts'
import { retriedIn } from '../engine/exchange/retried.ts'
import { inTime } from '../engine/limits/deadline.ts'
import type { Turn } from '../engine/limits/rate-limiter.ts'

const TURN_MS_MAX = 1000

/**
 * Counts requests of a key with a rate limit; 429 RATE_LIMITED beyond the limit (spec 8). A rerun
 * keeps the turn of the first pass, but compares it with the limit that holds now.
 */
export const rateLimit = createMiddleware<AppEnv>(async function rateLimit(c, next) {
  const limit = c.get('caller').key.rate_limit
  // The request that makes this one is counted, or is one of the dashboard.
  if (limit === null || actingIn(c) || retriedIn(c)) return next()
  const { kept } = c.get('exchange')
  const turn = kept.turn ?? (await takeTurn(c, limit))
  if (turn !== 'unknown') {
    c.header('X-RateLimit-Remaining', String(Math.max(0, limit - turn.place)))
    // The turn is not kept: it was not counted, so a rerun asks again.
    if (turn.place > limit) throw rateLimited(limit, turn)
  }
  kept.turn = turn
  await next()
})

/** `unknown` if the counter fails: the request then passes. */
async function takeTurn(c: Context<AppEnv>, limit: number): Promise<Turn | 'unknown'> {
  try {
    return await answerInTime(c, limit)
  } catch {
    const { request_id } = c.get('exchange')
    console.error(JSON.stringify({ event: 'rate_limit_unreachable', request_id }))
    return 'unknown'
  }
}

/** The object's name holds the tenant: after a move two tenants may have keys with the same id. */
async function answerInTime(c: Context<AppEnv>, limit: number): Promise<Turn> {
  const { tenant, key } = c.get('caller')
  const take = async () => await c.env.RATE_LIMITER.getByName(`${tenant} ${key.id}`).take(limit)
  return await inTime(take().catch(onceMore(take)), TURN_MS_MAX)
}

/**
 * A deployment replaces the object under its callers, and the next call starts it again. A call that was counted and
 * whose answer was lost is counted twice: the limit is never exceeded.
 */
function onceMore(take: () => Promise<Turn>): (error: unknown) => Promise<Turn> {
  return (error) => {
    if (error instanceof Error && 'overloaded' in error && error.overloaded) throw error
    return take()
  }
}

function rateLimited(limit: number, { ends_in }: Turn): ApiError {
  const message = `This API key may make ${limit} requests a minute. Try again in ${ends_in} s.`
  return new ApiError('RATE_LIMITED', message, { retryAfter: ends_in, reason: 'RATE_OF_KEY' })
}
