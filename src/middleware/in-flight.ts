import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../env.ts'
import { unavailable } from '../errors.ts'

const IN_FLIGHT_MAX = 50
const WAIT_MS_MAX = 30_000

interface Gate {
  inside: number
  waiting: Set<() => void>
}

// By key id; a gate that nobody uses is dropped.
const gates = new Map<string, Gate>()

/**
 * At most 50 requests of a key are inside at a time, per isolate; the rest wait in order of
 * arrival, and after 30 seconds get 503 (spec 8). A replay keeps the place of its first pass.
 */
export const inFlight = createMiddleware<AppEnv>(async (c, next) => {
  if (c.get('exchange').replayed) return next()
  const { id } = c.get('caller').key
  const gate = gates.get(id) ?? { inside: 0, waiting: new Set() }
  gates.set(id, gate)
  if (gate.inside < IN_FLIGHT_MAX) gate.inside += 1
  else await takeTurn(gate)
  try {
    await next()
  } finally {
    leave(id, gate)
  }
})

/**
 * Resolves when a leaving request hands its place over. The timer is more than a limit: workerd
 * ends a request as hung when all that it waits for is another request's promise.
 */
function takeTurn(gate: Gate): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      gate.waiting.delete(enter)
      reject(unavailable('Too many requests of this key are in flight. Try again.'))
    }, WAIT_MS_MAX)
    gate.waiting.add(enter)
  })
}

function leave(id: string, gate: Gate): void {
  const [next] = gate.waiting
  if (next) {
    gate.waiting.delete(next)
    next()
    return
  }
  gate.inside -= 1
  if (gate.inside === 0) gates.delete(id)
}
