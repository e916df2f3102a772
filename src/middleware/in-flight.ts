import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../env.ts'
import { unavailable } from '../errors.ts'

const IN_FLIGHT_MAX = 50
const WAIT_MS_MAX = 30_000
const LEASE_MS = 60_000

/** A request that is inside. When its client goes away it may never be heard of again. */
interface Place {
  leased_until: number
}

interface Gate {
  inside: Set<Place>
  waiting: Set<(place: Place) => void>
}

// By tenant and key; a gate that nobody uses is dropped.
const gates = new Map<string, Gate>()

/**
 * At most 50 requests of a key are inside at a time, per isolate; the rest wait in order of
 * arrival, and after 30 seconds get 503 (spec 8). A replay keeps the place of its first pass.
 */
export const inFlight = createMiddleware<AppEnv>(async (c, next) => {
  const exchange = c.get('exchange')
  if (exchange.inside) return next()
  const { tenant, key } = c.get('caller')
  const id = `${tenant} ${key.id}`
  const gate = gates.get(id) ?? { inside: new Set(), waiting: new Set() }
  gates.set(id, gate)
  const place = await enter(gate)
  exchange.inside = true
  try {
    await next()
  } finally {
    leave(id, gate, place)
  }
})

function enter(gate: Gate): Place | Promise<Place> {
  if (gate.inside.size >= IN_FLIGHT_MAX) endLeases(gate)
  admit(gate)
  return gate.inside.size < IN_FLIGHT_MAX ? seat(gate) : takeTurn(gate)
}

/** Hands free places to those who wait, in order of arrival. */
function admit(gate: Gate): void {
  for (const sit of gate.waiting) {
    if (gate.inside.size >= IN_FLIGHT_MAX) return
    gate.waiting.delete(sit)
    sit(seat(gate))
  }
}

function seat(gate: Gate): Place {
  const place = { leased_until: Date.now() + LEASE_MS }
  gate.inside.add(place)
  return place
}

function endLeases(gate: Gate): void {
  for (const place of gate.inside) {
    if (place.leased_until <= Date.now()) gate.inside.delete(place)
  }
}

/**
 * Resolves when a place is handed over. The timer is more than a limit: workerd ends a request as
 * hung when all that it waits for is another request's promise.
 */
function takeTurn(gate: Gate): Promise<Place> {
  return new Promise((resolve, reject) => {
    const sit = (place: Place) => {
      clearTimeout(timer)
      resolve(place)
    }
    const timer = setTimeout(() => {
      gate.waiting.delete(sit)
      reject(unavailable('Too many requests of this key are in flight. Try again.'))
    }, WAIT_MS_MAX)
    gate.waiting.add(sit)
  })
}

function leave(id: string, gate: Gate, place: Place): void {
  gate.inside.delete(place)
  admit(gate)
  // A place that outlived its lease may belong to a gate that is no longer the key's.
  if (gate.inside.size === 0 && gates.get(id) === gate) gates.delete(id)
}
