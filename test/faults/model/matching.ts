/** What the service chooses itself: an id, an instant, a key. It is the same wherever it is seen. */
export class Chosen {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Of which the model says nothing. */
export const ANYTHING = Symbol('anything')

/** Names of what the service chose, and what that was. */
export class Choices {
  readonly #known = new Map<string, string>()

  /**
   * Where the two differ, in words; null where they do not. What is seen for the first time is
   * remembered with `learn`, if nothing differs.
   */
  difference(expected: unknown, actual: unknown, { learn = false } = {}): string | null {
    const seen = new Map<string, string>()
    const found = this.#compare(expected, actual, '', seen)
    if (found === null && learn) for (const [name, value] of seen) this.#known.set(name, value)
    return found
  }

  /** What the service chose for it, as far as it has been seen. */
  valueOf(one: Chosen | string): Chosen | string {
    return one instanceof Chosen ? (this.#known.get(one.name) ?? one) : one
  }

  #compare(
    expected: unknown,
    actual: unknown,
    path: string,
    seen: Map<string, string>,
  ): string | null {
    if (expected === ANYTHING) return null
    if (expected instanceof Chosen) return this.#compareChosen(expected, actual, path, seen)
    if (typeof expected !== 'object' || expected === null) {
      return expected === actual ? null : differs(path, expected, actual)
    }
    if (typeof actual !== 'object' || actual === null) return differs(path, expected, actual)
    if (Array.isArray(expected) !== Array.isArray(actual)) return differs(path, expected, actual)
    for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const members = [Reflect.get(expected, name), Reflect.get(actual, name)] as const
      const found = this.#compare(...members, path ? `${path}.${name}` : name, seen)
      if (found !== null) return found
    }
    return null
  }

  #compareChosen({ name }: Chosen, actual: unknown, path: string, seen: Map<string, string>) {
    const known = this.#known.get(name) ?? seen.get(name)
    if (typeof actual !== 'string') return differs(path, name, actual)
    if (known !== undefined) return known === actual ? null : differs(path, known, actual)
    seen.set(name, actual)
    return null
  }
}

function differs(path: string, expected: unknown, actual: unknown): string {
  return `${path || 'it'} should be ${shown(expected)} and is ${shown(actual)}`
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value)
}
