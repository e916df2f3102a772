import { DAY_MS, HOUR_MS } from '../../engine/json/date-time.ts'

/** Rounded down to the largest unit: `3 days`, `1 hour`, `5 minutes`. */
export function durationText(ms: number): string {
  const [size, unit] = UNITS.find(([least]) => ms >= least) ?? [1000, 'second']
  const count = Math.floor(ms / size)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const UNITS: [number, string][] = [
  [2 * DAY_MS, 'day'],
  [HOUR_MS, 'hour'],
  [60_000, 'minute'],
]
