import type { Counted } from '../../requests/overview/counted.ts'
import { count } from '../parts/numbers.ts'

/** A line of what needs a person. */
export interface NeedLine {
  number: string
  /** What there is so many of, as the rest of a sentence. */
  text: string
  /** Its age or its end, with the words before it. */
  time?: { words: string; at: string }
  /** The one thing to do. Nothing for a key that may not do it. */
  action?: { href: string; text: string; of: string } | undefined
}

export function shownCount({ number, isMore }: Counted): string {
  return `${count(number)}${isMore ? '+' : ''}`
}

/** Whether it is said of one: `1 key ends`, `2 keys end`, `1+ keys end`. */
export function isOne({ number, isMore }: Counted): boolean {
  return number === 1 && !isMore
}

/** The anchors of the tables that are on this page as well. */
export const ENDING_ANCHOR = 'ending-keys'
export const ATTEMPTS_ANCHOR = 'key-attempts'
