import type { Context } from 'hono'
import { pauseAfter } from '../db/retry.ts'
import type { AppEnv, Exchange } from '../env.ts'
import { refreshCaller } from '../identity/look-up.ts'
import { isOfDocument } from './acting.ts'
import { amongRefused } from './memory.ts'

const RERUNS_MAX = 3
// After the first pass.
const RERUN_MS_MAX = 15_000

/** Hono's `app.fetch`. */
export type AppFetch = (
  request: Request,
  env: AppEnv['Bindings'],
  context: Context['executionCtx'],
) => unknown

interface Reruns {
  exchange: Exchange
  count: number
  /** In milliseconds since 1970. */
  until: number
}

// By Request: a rerun passes the same Request to the app again and continues its exchange.
const reruns = new WeakMap<Request, Reruns>()

/** The exchange that a rerun continues; undefined in the first pass. */
export function rerunExchange(c: Context<AppEnv>): Exchange | undefined {
  return reruns.get(c.req.raw)?.exchange
}

/** Whether this is not the first pass of the request. */
export function isRerun(c: Context<AppEnv>): boolean {
  return reruns.has(c.req.raw)
}

/**
 * Runs the request again from the start, after reading the caller's settings again. The second and third
 * rerun follow after a pause. Null if the request must not be rerun: after three reruns, 15 s after
 * the first pass, or if its write was or may be applied.
 */
export async function rerun(c: Context<AppEnv>, answer: AppFetch): Promise<Response | null> {
  // Its document was read with the settings that have changed.
  if (isOfDocument(c)) return null
  const state = reruns.getOrInsertComputed(c.req.raw, () => {
    return { exchange: c.get('exchange'), count: 0, until: Date.now() + RERUN_MS_MAX }
  })
  const { caller } = state.exchange
  if (state.count === RERUNS_MAX || (caller && caller.db.writeState !== 'none')) return null
  if (state.count > 0) await scheduler.wait(pauseAfter(state.count))
  if (Date.now() >= state.until) return null
  if (caller) {
    await amongRefused(c, caller.caller, () => refreshCaller(caller.sources, caller.caller))
  }
  state.count += 1
  state.exchange.caller = null
  const response = (await answer(c.req.raw, c.env, c.executionCtx)) as Response
  // Hono runs onError inside the failing handler, and copies the headers of a response that `c.res` holds
  // already onto the next one.
  c.res = undefined
  return response
}

/** For a request that waits: what changes from now on is no reason to give up because of what has changed before. */
export function forgetReruns(c: Context<AppEnv>): void {
  const state = reruns.get(c.req.raw)
  if (state) Object.assign(state, { count: 0, until: Date.now() + RERUN_MS_MAX })
}
