import { Budget } from './budget.ts'
import type { Owner } from './holders.ts'

/** Some 50 ms of computing, at 25 ns for a step. The clock does not tell: at Cloudflare it stands still meanwhile. */
export const STEPS_MAX = 2_000_000
/** Work that cannot pause within waits for a turn if it takes more, some 10 ms. */
export const SHORT_STEPS_MAX = STEPS_MAX / 5
/** Lets small requests run to their end. */
export const PAUSE_MS = 20
const LEASE_MS = 1000

/** Long work of all requests pauses in turn, so there is a pause after each 50 ms of it, however many requests work. */
const pauses = new Budget({
  bytes: 1,
  leaseMs: LEASE_MS,
  refusals: { all: 'Too many long requests are in progress just now. Try again.' },
})

/** Lets other requests in between the steps of long work: one thread serves all requests of an isolate. */
export class Pace {
  readonly #owner: Owner
  #left = STEPS_MAX

  constructor(owner: Owner) {
    this.#owner = owner
  }

  /**
   * Counts steps that are done: about one for each character of JSON that is read or written. True if it is time to
   * rest.
   */
  spend(steps: number): boolean {
    this.#left -= steps
    return this.#left <= 0
  }

  /** Pauses. 503 UNAVAILABLE if so much long work is in progress that no turn comes in 30 seconds. */
  async rest(): Promise<void> {
    await this.#afterPause(0, () => {})
  }

  /**
   * Does work that cannot pause within, and counts its steps. If they are many, or it is time, it pauses before, like
   * `rest`, and the long work of others waits until it is done: work that pauses only afterwards begins all at once.
   */
  async inTurn<Result>(steps: number, work: () => Result): Promise<Result> {
    const isTime = this.spend(steps)
    return isTime || steps > SHORT_STEPS_MAX ? await this.#afterPause(steps, work) : work()
  }

  async #afterPause<Result>(steps: number, work: () => Result): Promise<Result> {
    const turn = await pauses.take(this.#owner, 1)
    try {
      await new Promise((next) => setTimeout(next, PAUSE_MS))
      this.#left = STEPS_MAX - steps
      return work()
    } finally {
      turn.leave()
    }
  }

  /** Counts steps, and pauses if it is time. */
  async spent(steps: number): Promise<void> {
    if (this.spend(steps)) await this.rest()
  }
}
