import { createHash } from 'node:crypto'

/** So many of the rows, in their order, drawn by the seed; all if there are no more. */
export function draw<T>(all: readonly T[], count: number, seed: number): T[] {
  const lots = all.map((_, index) => ({ index, lot: lotOf(index, seed) }))
  const drawn = lots.sort((one, other) => (one.lot < other.lot ? -1 : 1)).slice(0, count)
  const indexes = new Set(drawn.map(({ index }) => index))
  return all.filter((_, index) => indexes.has(index))
}

function lotOf(index: number, seed: number): string {
  return createHash('sha1').update(`${seed} ${index}`).digest('hex')
}
