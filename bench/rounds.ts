import type { Spread } from './figure.ts'

/**
 * Runs two contenders in turn, `rounds` times, so that disturbances of the machine affect both. They alternate in
 * going first. Returns `first` divided by `second` for each round.
 */
export async function ratios(
  rounds: number,
  first: () => number | Promise<number>,
  second: () => number | Promise<number>,
): Promise<number[]> {
  const quotients: number[] = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      const dividend = await first()
      quotients.push(dividend / (await second()))
    } else {
      const divisor = await second()
      quotients.push((await first()) / divisor)
    }
  }
  return quotients
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]]
  if (low === undefined || high === undefined) throw new Error('There are no values.')
  return (low + high) / 2
}

/** The median and the spread of the rounds. */
export function summary(rounds: number[]): { value: number; spread: Spread } {
  return { value: median(rounds), spread: [Math.min(...rounds), Math.max(...rounds)] }
}
