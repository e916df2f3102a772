/** A number in the table and the JSON of `npm run bench`. */
export interface Figure {
  /** The key in the JSON. */
  name: string
  /** Tells figures of the same name apart. The JSON has an object of them. */
  of?: string
  /** An array has one value per minute. */
  value: number | number[]
  unit: '' | 'x' | 'ms' | 's' | 'MB' | 'KB' | 'bytes' | 'rows' | 'rows/s'
  /** The lowest and highest of the rounds whose median is the value. */
  spread?: Spread
  /** The goal. */
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
  /** Runs fewer and shorter rounds, for rough numbers. */
  quick: boolean
  /** Whether the figures of this name are requested. */
  wants: (name: string) => boolean
  /** Prints progress. */
  say: (progress: string) => void
}

export function isMet(value: number, bound: Bound): boolean {
  if ('atLeast' in bound) return value >= bound.atLeast
  if ('equal' in bound) return value === bound.equal
  return 'atMost' in bound ? value <= bound.atMost : value < bound.below
}
