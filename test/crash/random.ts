/** Random numbers from a text seed (FNV-1a, then mulberry32): the same seed gives the same numbers. */
export class Random {
  readonly #seed: string
  #state: number

  constructor(seed: string) {
    this.#seed = seed
    this.#state = [...seed].reduce(
      (hash, character) => Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619),
      2_166_136_261,
    )
  }

  /** From 0 up to but not including 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from `least` to `greatest`, both included. */
  between(least: number, greatest: number): number {
    return least + Math.floor(this.next() * (greatest - least + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(values: readonly T[]): T | undefined {
    return values[Math.floor(this.next() * values.length)]
  }

  shuffled<T>(values: readonly T[]): T[] {
    return values
      .map((value) => ({ value, place: this.next() }))
      .sort((a, b) => a.place - b.place)
      .map(({ value }) => value)
  }

  /** An independent sequence, for one of several workers that draw at the same time. */
  fork(name: string): Random {
    return new Random(`${this.#seed}/${name}`)
  }
}
