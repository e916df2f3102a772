import { EACH, type Path, printPath } from '../../src/path.ts'

const PATHS_MAX = 500
const VISITS_MAX = 50_000
const DEPTH_MAX = 16
const WILDCARDS_MAX = 2

/**
 * The paths that a rule may read in a document, an array's elements together:
 * `lines[].article.code`. None while it is not JSON.
 */
export function pathsOf(text: string): string[] {
  try {
    return [...new Collector(JSON.parse(text)).paths].slice(0, PATHS_MAX)
  } catch {
    return []
  }
}

class Collector {
  readonly paths = new Set<string>()
  #visits = 0

  constructor(document: unknown) {
    this.#collect(document, [])
  }

  #collect(value: unknown, path: Path): void {
    this.#visits += 1
    if (this.#visits > VISITS_MAX || this.paths.size >= PATHS_MAX) return
    const wildcards = path.filter((step) => step === EACH).length
    if (path.length > DEPTH_MAX || wildcards > WILDCARDS_MAX) return
    if (path.length > 0 && !(Array.isArray(value) && value.length > 0)) {
      this.paths.add(printPath(path))
    }
    if (Array.isArray(value)) for (const element of value) this.#collect(element, [...path, EACH])
    else if (typeof value === 'object' && value !== null) this.#collectMembers(value, path)
  }

  #collectMembers(value: object, path: Path): void {
    for (const [name, member] of Object.entries(value)) this.#collect(member, [...path, name])
  }
}
