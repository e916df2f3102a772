import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../env.ts'
import { Gates } from '../gate.ts'

const IN_FLIGHT_MAX = 50

const gates = new Gates(IN_FLIGHT_MAX, 'Too many requests of this key are in flight. Try again.')

/**
 * At most 50 requests of a key are inside at a time, per isolate; the rest wait in order of
 * arrival, and after 30 seconds get 503 (spec 8). A replay keeps the place of its first pass.
 */
export const inFlight = createMiddleware<AppEnv>(async (c, next) => {
  const exchange = c.get('exchange')
  if (exchange.inside) return next()
  const { tenant, key } = c.get('caller')
  const place = await gates.enter(`${tenant} ${key.id}`)
  exchange.inside = place
  try {
    await next()
  } finally {
    exchange.inside = null
    place.leave()
  }
})
