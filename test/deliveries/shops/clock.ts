import { vi } from 'vitest'

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE

/** What happens within one tick happens at once. */
const TICK = 30 * SECOND

type Act = () => Promise<unknown> | unknown

/**
 * The time of the shops and of Crossdock: nobody waits, the clock jumps. It is ahead of the real one, since workerd runs an
 * alarm whose real time has come by itself.
 */
export class Clock {
  readonly start = Math.ceil((Date.now() + HOUR) / TICK) * TICK
  now = this.start
  readonly #agenda = new Map<number, Act[]>()

  constructor() {
    vi.useFakeTimers({ toFake: ['Date'], now: this.now })
  }

  /** Hours since the start. */
  get hour(): number {
    return (this.now - this.start) / HOUR
  }

  /** In the tick of that time, and never in the present one. */
  after(ms: number, act: Act): void {
    const at = Math.max(Math.ceil((this.now + ms) / TICK) * TICK, this.now + TICK)
    this.#agenda.set(at, [...(this.#agenda.get(at) ?? []), act])
  }

  /** Does all that is planned, tick by tick, and `always` beside it. */
  async run(hours: number, always: Act): Promise<void> {
    const end = this.start + hours * HOUR
    for (; this.now < end; this.now += TICK) {
      vi.setSystemTime(this.now)
      const acts = this.#agenda.get(this.now) ?? []
      this.#agenda.delete(this.now)
      await Promise.all([...acts, always].map(async (act) => await act()))
    }
  }

  jumpTo(time: number): void {
    this.now = Math.max(this.now, time)
    vi.setSystemTime(this.now)
  }

  stop(): void {
    vi.useRealTimers()
  }
}

/** Random numbers that a seed repeats (mulberry32). */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 on, below 1. */
  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  /** From 0 on, below the bound. */
  below(bound: number): number {
    return Math.floor(this.roll() * bound)
  }

  chance(probability: number): boolean {
    return this.roll() < probability
  }

  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T
  }
}
