import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../engine/env.ts'
import type { AppFetch } from '../engine/exchange/rerun.ts'

/** Sets `dispatch`. */
export function dispatching(answer: AppFetch) {
  return createMiddleware<AppEnv>(async function dispatching(c, next) {
    c.set('dispatch', async (request) => (await answer(request, c.env, c.executionCtx)) as Response)
    await next()
  })
}
