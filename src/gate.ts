import { unavailable } from './errors.ts'

const WAIT_MS_MAX = 30_000
const LEASE_MS = 60_000
const LEASE_CHECK_MS = 1000

/** Of someone who is inside. When the client goes away, the request may never be heard of again. */
export interface Place {
  leave: () => void
  /** Begins the lease anew; with another weight, lets others in where it has become lighter. */
  renew: (weight?: number) => void
}

interface Seat {
  weight: number
  leased_until: number
}

interface Waiting {
  weight: number
  sit: (place: Place) => void
}

/**
 * Lets requests of one isolate in as long as their weights together are within the capacity, the
 * rest in order of arrival. A place whose lease has run out is taken to be lost.
 */
export class Gate {
  readonly #capacity: number
  readonly #refusal: string
  readonly #leaseMs: number
  readonly #inside = new Set<Seat>()
  readonly #waiting = new Set<Waiting>()

  constructor(capacity: number, refusal: string, leaseMs = LEASE_MS) {
    this.#capacity = capacity
    this.#refusal = refusal
    this.#leaseMs = leaseMs
  }

  get isIdle(): boolean {
    return this.#inside.size === 0 && this.#waiting.size === 0
  }

  /** At most the capacity. 503 UNAVAILABLE with the refusal after 30 seconds. */
  enter(weight = 1): Place | Promise<Place> {
    this.#admit()
    return this.#waiting.size === 0 && this.#fits(weight)
      ? this.#seat(weight)
      : this.#takeTurn(weight)
  }

  #fits(weight: number): boolean {
    if (this.#weighs() + weight <= this.#capacity) return true
    for (const seat of this.#inside) {
      if (seat.leased_until <= Date.now()) this.#inside.delete(seat)
    }
    return this.#weighs() + weight <= this.#capacity
  }

  #weighs(): number {
    let total = 0
    for (const { weight } of this.#inside) total += weight
    return total
  }

  /** Hands free places to those who wait, in order of arrival. */
  #admit(): void {
    for (const waiting of this.#waiting) {
      if (!this.#fits(waiting.weight)) return
      this.#waiting.delete(waiting)
      waiting.sit(this.#seat(waiting.weight))
    }
  }

  #seat(weight: number): Place {
    const seat = { weight, leased_until: Date.now() + this.#leaseMs }
    this.#inside.add(seat)
    const leave = () => {
      this.#inside.delete(seat)
      this.#admit()
    }
    const renew = (now = seat.weight) => {
      seat.weight = now
      seat.leased_until = Date.now() + this.#leaseMs
      this.#admit()
    }
    return { leave, renew }
  }

  /**
   * Resolves when a place is handed over. The timers are more than a limit and a look at leases:
   * workerd ends a request as hung when all that it waits for is another request's promise.
   */
  #takeTurn(weight: number): Promise<Place> {
    return new Promise((resolve, reject) => {
      const stopTimers = () => {
        clearTimeout(limit)
        clearInterval(check)
      }
      const waiting = {
        weight,
        sit: (place: Place) => {
          stopTimers()
          resolve(place)
        },
      }
      const check = setInterval(() => this.#admit(), LEASE_CHECK_MS)
      const limit = setTimeout(() => {
        stopTimers()
        this.#waiting.delete(waiting)
        this.#admit()
        reject(unavailable(this.#refusal))
      }, WAIT_MS_MAX)
      this.#waiting.add(waiting)
    })
  }
}

/** A gate of its own for each name; one that nobody uses is dropped. */
export class Gates {
  readonly #capacity: number
  readonly #refusal: string
  readonly #gates = new Map<string, Gate>()

  constructor(capacity: number, refusal: string) {
    this.#capacity = capacity
    this.#refusal = refusal
  }

  /** As Gate.enter, at the gate of that name. */
  async enter(name: string, weight = 1): Promise<Place> {
    const gate = this.#gates.get(name) ?? new Gate(this.#capacity, this.#refusal)
    this.#gates.set(name, gate)
    const place = await gate.enter(weight)
    const leave = () => {
      place.leave()
      if (gate.isIdle && this.#gates.get(name) === gate) this.#gates.delete(name)
    }
    return { ...place, leave }
  }
}
