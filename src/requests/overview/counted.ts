import { type SQL, sql } from 'drizzle-orm'

/** No count of the overview goes on beyond this. */
export const COUNTED_MAX = 50

/** How many there are, or that there are at least so many. */
export interface Counted {
  number: number
  isMore: boolean
}

/** `number` of at most `limit` that were counted. */
export function countedTo(number: number, limit = COUNTED_MAX): Counted {
  return { number, isMore: number >= limit }
}

/** An exact number, as the overview shows it. */
export function exactly(number: number): Counted {
  return countedTo(Math.min(number, COUNTED_MAX))
}

/** For FROM: these words as `name.value`. Rows of `json_each` would be billed, and these are not. */
export function eachOf(words: readonly string[], name: string): SQL {
  const rows = words.map((word) => `('${word}')`).join(', ')
  return sql.raw(`(select column1 as value from (values ${rows})) as ${name}`)
}
