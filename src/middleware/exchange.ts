import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { recordAfterwards } from '../db/audit.ts'
import type { AppEnv, Exchange, KnownCaller } from '../env.ts'

// A replay hands the same Request in again and finds its exchange here.
const exchanges = new WeakMap<Request, Exchange>()

/**
 * Outermost: gives the request its id, and when the answer stands, its headers and its audit row.
 * A replay passes through: the first pass is still waiting outside and does all this once.
 */
export const exchange = createMiddleware<AppEnv>(async (c, next) => {
  c.set('warnings', [])
  const ongoing = exchanges.get(c.req.raw)
  const current = ongoing ?? beginExchange(c.req.url)
  c.set('exchange', current)
  await next()
  if (!ongoing) finish(c, current)
})

/** Lets the app answer the same request again, from the start. */
export async function replay(
  c: Context<AppEnv>,
  answer: (request: Request, env: AppEnv['Bindings'], context: Context['executionCtx']) => unknown,
): Promise<Response> {
  const current = c.get('exchange')
  current.replayed = true
  current.caller = null
  exchanges.set(c.req.raw, current)
  return (await answer(c.req.raw, c.env, c.executionCtx)) as Response
}

function beginExchange(url: string): Exchange {
  return {
    url: new URL(url),
    request_id: crypto.randomUUID(),
    started_at: Date.now(),
    meter: { round_trips: 0, rows_read: 0, duration_ms: 0 },
    replayed: false,
    payload: null,
    caller: null,
    error_code: null,
  }
}

function finish(c: Context<AppEnv>, current: Exchange): void {
  c.header('X-Request-Id', current.request_id)
  c.header('Cache-Control', 'no-store')
  if (!current.caller) return
  const { origin } = current.caller
  const { round_trips, rows_read, duration_ms } = current.meter
  c.header(
    'Server-Timing',
    `key;desc="${origin}", d1;dur=${duration_ms};desc="round trips ${round_trips}, rows read ${rows_read}"`,
  )
  if (!current.caller.db.committed) recordAnswer(c, current, current.caller)
}

function recordAnswer(c: Context<AppEnv>, current: Exchange, { caller, sources, db }: KnownCaller) {
  const row = {
    ...db.subject,
    status: c.res.status,
    error_code: current.error_code,
    duration_ms: Date.now() - current.started_at,
  }
  c.executionCtx.waitUntil(recordAfterwards(sources.q, caller.tenant, row))
}
