import { describe, expect, it } from 'vitest'
import { usualIfQuiet } from '../../src/requests/overview/senders.ts'

// When a partner has gone quiet.

const HOUR = 3_600_000
const DAY = 24 * HOUR
const FRIDAY_EVENING = Date.parse('2026-11-27T18:00:00Z')

/** Visits every so many hours until Friday evening, the newest first. */
const every = (hours: number, visits = 12) =>
  Array.from({ length: visits }, (_, at) => FRIDAY_EVENING - at * hours * HOUR)

/** In the morning and in the evening of each working day. */
const WORKDAYS = Array.from({ length: 14 }, (_, day) => FRIDAY_EVENING - day * DAY)
  .filter((time) => ![0, 6].includes(new Date(time).getUTCDay()))
  .flatMap((evening) => [evening, evening - 10 * HOUR])
  .slice(0, 12)

describe('a partner that sends', () => {
  it.each<[string, number[], quietAfter: number]>([
    ['all day', every(8), 24],
    ['once a day', every(24), 3 * 24],
    ['once a week', every(7 * 24, 5), 21 * 24],
    ['on working days', WORKDAYS, 62],
  ])('%s has gone quiet later than usual', (_, visits, hours) => {
    const times = visits.map((time) => new Date(time).toISOString())
    expect(usualIfQuiet(times, FRIDAY_EVENING + hours * HOUR)).toBeNull()
    expect(usualIfQuiet(times, FRIDAY_EVENING + (hours + 1) * HOUR)).toBeGreaterThan(0)
  })

  it('four times has no rhythm yet', () => {
    const times = every(8, 4).map((time) => new Date(time).toISOString())
    expect(usualIfQuiet(times, FRIDAY_EVENING + 30 * DAY)).toBeNull()
  })
})
