/** Many pass at once, or one alone: a runtime that starts anew would drop whoever is inside. */
export class Gate {
  readonly #inside = new Set<Promise<void>>()
  #closed: Promise<void> = Promise.resolve()

  async pass<T>(work: () => Promise<T>): Promise<T> {
    let seen: Promise<void>
    do {
      seen = this.#closed
      await seen
    } while (seen !== this.#closed)
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    this.#inside.add(left)
    try {
      return await work()
    } finally {
      this.#inside.delete(left)
      leave()
    }
  }

  alone(work: () => Promise<void>): Promise<void> {
    const done = this.#closed.then(async () => {
      await Promise.all(this.#inside)
      await work()
    })
    this.#closed = done.catch(() => {})
    return done
  }
}
