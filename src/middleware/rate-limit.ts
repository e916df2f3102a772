import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { inTime } from '../deadline.ts'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'
import type { Turn } from '../rate-limiter.ts'

const TURN_MS_MAX = 1000

/**
 * Counts the request of a key that has a rate limit; beyond it 429 RATE_LIMITED (spec 8). A replay
 * keeps the turn of its first pass, and is judged by the limit that holds now.
 */
export const rateLimit = createMiddleware<AppEnv>(async (c, next) => {
  const limit = c.get('caller').key.rate_limit
  if (limit === null) return next()
  const exchange = c.get('exchange')
  const turn = exchange.turn ?? (await takeTurn(c, limit))
  if (turn !== 'unknown') {
    c.header('X-RateLimit-Remaining', String(Math.max(0, limit - turn.place)))
    // It is not kept then: nothing was counted, and a replay asks again, by the limit that holds.
    if (turn.place > limit) throw rateLimited(limit, turn)
  }
  exchange.turn = turn
  await next()
})

/** Without an answer the request passes: a limit that cannot be counted closes nothing. */
async function takeTurn(c: Context<AppEnv>, limit: number): Promise<Turn | 'unknown'> {
  try {
    return await answerInTime(c, limit)
  } catch {
    const { request_id } = c.get('exchange')
    console.error(JSON.stringify({ event: 'rate_limit_unreachable', request_id }))
    return 'unknown'
  }
}

/** A key's id is its tenant's own: another tenant's may be the same, as after a move. */
async function answerInTime(c: Context<AppEnv>, limit: number): Promise<Turn> {
  const { tenant, key } = c.get('caller')
  const limiter = c.env.RATE_LIMITER.getByName(`${tenant} ${key.id}`)
  return await inTime(limiter.take(limit), TURN_MS_MAX)
}

function rateLimited(limit: number, { ends_in }: Turn): ApiError {
  const message = `This API key may make ${limit} requests a minute. Try again in ${ends_in} s.`
  return new ApiError('RATE_LIMITED', message, { retryAfter: ends_in })
}
