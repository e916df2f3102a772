/** A number as the table and the JSON of `npm run bench` give it. */
export interface Figure {
  /** Its name in the JSON (bench/README.md). */
  name: string
  /** Which of several of that name: the JSON has an object of them. */
  of?: string
  /** Several: one a minute. */
  value: number | number[]
  unit: '' | 'x' | 'ms' | 's' | 'MB' | 'KB' | 'rows' | 'rows/s'
  /** Least and greatest of the rounds whose median the value is. */
  spread?: Spread
  /** What DESIGN.md, section 5, asks for. */
  bound?: Bound
}

export type Spread = [least: number, greatest: number]

export type Bound = { atLeast: number } | { atMost: number } | { below: number } | { equal: number }

export interface Benchmark {
  /** The names of its figures. */
  names: string[]
  summary: string
  run: (options: RunOptions) => Promise<Figure[]>
}

export interface RunOptions {
  /** Fewer and shorter rounds, to see that all is well: the numbers are rough. */
  quick: boolean
  /** Whether the figures of this name are asked for. */
  wants: (name: string) => boolean
  /** Tells how far it is. */
  say: (progress: string) => void
}

export function isMet(value: number, bound: Bound): boolean {
  if ('atLeast' in bound) return value >= bound.atLeast
  if ('equal' in bound) return value === bound.equal
  return 'atMost' in bound ? value <= bound.atMost : value < bound.below
}
