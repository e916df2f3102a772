import { unavailable } from './errors.ts'

const WAIT_MS_MAX = 30_000
const LEASE_MS = 60_000

/** Of someone who is inside. When the client goes away, the request may never be heard of again. */
export interface Place {
  leave: () => void
  /** Lets others in where it has become lighter. */
  resize: (weight: number) => void
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
 * rest in order of arrival. One that is heavier than all of it comes in alone.
 */
export class Gate {
  readonly #capacity: number
  readonly #refusal: string
  readonly #inside = new Set<Seat>()
  readonly #waiting = new Set<Waiting>()

  constructor(capacity: number, refusal: string) {
    this.#capacity = capacity
    this.#refusal = refusal
  }

  get isIdle(): boolean {
    return this.#inside.size === 0 && this.#waiting.size === 0
  }

  /**
   * 503 UNAVAILABLE with the refusal after 30 seconds. A place that is not given back in a minute
   * is taken to be lost.
   */
  enter(weight = 1): Place | Promise<Place> {
    if (!this.#fits(weight)) this.#endLeases()
    this.#admit()
    return this.#waiting.size === 0 && this.#fits(weight)
      ? this.#seat(weight)
      : this.#takeTurn(weight)
  }

  #fits(weight: number): boolean {
    let total = weight
    for (const seat of this.#inside) total += seat.weight
    return total <= this.#capacity || this.#inside.size === 0
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
    const seat = { weight, leased_until: Date.now() + LEASE_MS }
    this.#inside.add(seat)
    const leave = () => {
      this.#inside.delete(seat)
      this.#admit()
    }
    const resize = (now: number) => {
      seat.weight = now
      this.#admit()
    }
    return { leave, resize }
  }

  #endLeases(): void {
    for (const seat of this.#inside) {
      if (seat.leased_until <= Date.now()) this.#inside.delete(seat)
    }
  }

  /**
   * Resolves when a place is handed over. The timer is more than a limit: workerd ends a request as
   * hung when all that it waits for is another request's promise.
   */
  #takeTurn(weight: number): Promise<Place> {
    return new Promise((resolve, reject) => {
      const waiting = {
        weight,
        sit: (place: Place) => {
          clearTimeout(timer)
          resolve(place)
        },
      }
      const timer = setTimeout(() => {
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
