import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../engine/env.ts'
import { holdingMemory } from '../engine/exchange/memory.ts'

/**
 * Takes memory for a request and its body before any of it is used. A key has at most 50 requests in
 * progress (spec 8). A request that finds no memory waits, and gets 503 after 30 seconds. A rerun keeps
 * the share of the first pass.
 */
export const takeMemory = createMiddleware<AppEnv>(async function takeMemory(c, next) {
  if (c.get('exchange').kept.memory) return next()
  await holdingMemory(c, next)
})
