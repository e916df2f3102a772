import type { Path } from '../json/path.ts'

/** Where something stands in a text, in UTF-16 units. */
export interface Span {
  start: number
  end: number
}

/** What a path leads to in a text that is no JSON. */
export interface ValuePlace extends Span {
  path: Path
  /** The texts that stand there, as a mapping reads them. */
  values: string[]
}
