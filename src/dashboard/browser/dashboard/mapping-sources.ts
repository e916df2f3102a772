import { DEPTH_MAX, EACH, type Path, printPath } from '../../../engine/json/path.ts'

const PATHS_MAX = 500
const VISITS_MAX = 50_000
const VALUES_MAX = 20
const WILDCARDS_MAX = 2

/** A path of a document, such as `lines[].article.code` for all elements of an array. */
export interface SourcePath {
  path: Path
  /** The first values there that are no objects or arrays, without null. */
  values: unknown[]
  /** There are objects. */
  isObject: boolean
}

/** The paths that a rule can read in a document, by their texts. Empty if the text is not JSON. */
export function sourcesIn(text: string): Map<string, SourcePath> {
  try {
    return new Collector(JSON.parse(text)).sources
  } catch {
    return new Map()
  }
}

class Collector {
  readonly sources = new Map<string, SourcePath>()
  #visits = 0

  constructor(document: unknown) {
    this.#collect(document, [])
  }

  #collect(value: unknown, path: Path): void {
    this.#visits += 1
    if (this.#visits > VISITS_MAX) return
    const wildcards = path.filter((step) => step === EACH).length
    if (path.length > DEPTH_MAX || wildcards > WILDCARDS_MAX) return
    if (path.length > 0 && !(Array.isArray(value) && value.length > 0)) this.#add(value, path)
    if (Array.isArray(value)) for (const element of value) this.#collect(element, [...path, EACH])
    else if (typeof value === 'object' && value !== null) this.#collectMembers(value, path)
  }

  #collectMembers(value: object, path: Path): void {
    for (const [name, member] of Object.entries(value)) this.#collect(member, [...path, name])
  }

  #add(value: unknown, path: Path): void {
    const text = printPath(path)
    // An input has one line.
    if (/\p{Cc}/u.test(text)) return
    const source = this.sources.get(text) ?? { path, values: [], isObject: false }
    if (this.sources.size >= PATHS_MAX && !this.sources.has(text)) return
    this.sources.set(text, source)
    if (value === null) return
    if (typeof value === 'object') source.isObject ||= !Array.isArray(value)
    else if (source.values.length < VALUES_MAX) source.values.push(value)
  }
}
