import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../../src/engine/json/exact-number.ts'
import { parseJson } from '../../src/engine/json/json.ts'
import { changeOrder } from '../../src/engine/webhooks/changed-at.ts'

const parsed = (digits: string) => parseJson(new TextEncoder().encode(digits)).value

interface Moment {
  ms: number
  offset: number
  nanos: number
  space: boolean
}

/** How two texts of changeOrder compare: -1, 0 or 1. */
const order = (one: unknown, other: unknown) => {
  const [left, right] = [changeOrder(one), changeOrder(other)]
  if (left === null || right === null) return null
  return left < right ? -1 : Number(left > right)
}

describe('the order of changes', () => {
  it('is that of whole numbers of at most 20 digits, as numbers and as texts', () => {
    const whole = fc.bigInt({ min: 0n, max: 10n ** 20n - 1n })
    fc.assert(
      fc.property(whole, whole, (one, other) => {
        const expected = one < other ? -1 : Number(one > other)
        expect(order(String(one), String(other))).toBe(expected)
        expect(order(parsed(String(one)), parsed(String(other)))).toBe(expected)
        expect(order(parsed(String(one)), String(other))).toBe(expected)
      }),
    )
  })

  it('is that of decimals', () => {
    const decimal = fc.tuple(fc.nat(), fc.nat({ max: 9_999_999 }))
    const text = ([whole, fraction]: [number, number]) =>
      `${whole}.${String(fraction).padStart(7, '0')}`
    fc.assert(
      fc.property(decimal, decimal, (one, other) => {
        const value = ([whole, fraction]: [number, number]) =>
          BigInt(whole) * 10_000_000n + BigInt(fraction)
        const expected = value(one) < value(other) ? -1 : Number(value(one) > value(other))
        expect(order(text(one), text(other))).toBe(expected)
      }),
    )
  })

  it('is that of times, whatever their offset and precision', () => {
    const moment = fc.record({
      ms: fc.integer({ min: Date.UTC(1970), max: Date.UTC(2100) }),
      offset: fc.integer({ min: -14 * 60, max: 14 * 60 }),
      nanos: fc.nat({ max: 999_999 }),
      space: fc.boolean(),
    })
    const text = ({ ms, offset, nanos, space }: Moment) => {
      const local = new Date(ms + offset * 60_000).toISOString()
      const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60]
      const sign = offset < 0 ? '-' : '+'
      const zone = `${sign}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
      const written = local.replace('Z', String(nanos).padStart(6, '0'))
      return (space ? written.replace('T', ' ') : written) + zone
    }
    fc.assert(
      fc.property(moment, moment, (one, other) => {
        const value = ({ ms, nanos }: Moment) => BigInt(ms) * 1_000_000n + BigInt(nanos)
        const expected = value(one) < value(other) ? -1 : Number(value(one) > value(other))
        expect([text(one), text(other), order(text(one), text(other))]).toEqual([
          text(one),
          text(other),
          expected,
        ])
      }),
    )
  })

  it.each([
    ['2026-03-01T09:30:00Z', '2026-03-01T10:30:00+01:00'],
    ['2026-03-01T09:30:00', '2026-03-01 09:30:00Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000000000Z'],
    ['2026-03-01T09:30', '2026-03-01T09:30:00,0Z'],
    [' 7 ', 7],
    ['007', 7],
    [7, '7.0'],
    [7.5, '7.50'],
    [0, -0],
  ])('has %j equal to %j', (one, other) => {
    expect(order(one, other)).toBe(0)
  })

  it.each([
    ['2026-03-01T09:30:00.123456788Z', '2026-03-01T09:30:00.123456789Z'],
    ['2026-03-01T09:30:00.9999999Z', '2026-03-01T09:30:01Z'],
    ['2026-03-01T09:30:59.9999999Z', '2026-03-01T09:31:00Z'],
    ['2026-03-01T09:30:00Z', '2026-03-01T09:30:00.1Z'],
    ['9', '10'],
    ['9.9', '10'],
    ['10', '10.1'],
    ['9007199254740992', '9007199254740993'],
  ])('has %j before %j', (one, other) => {
    expect([order(one, other), order(other, one)]).toEqual([-1, 1])
  })

  it.each([
    null,
    undefined,
    true,
    {},
    [],
    [1],
    '',
    'now',
    '-1',
    -1,
    1.5e300,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '1e3',
    '0x10',
    '1'.repeat(21),
    '1.12345678901',
    '1'.repeat(100_000),
    `2026-03-01T09:30:00.${'1'.repeat(100_000)}x`,
    '2026-02-30T00:00:00Z',
    '2026-03-01T25:00:00Z',
    'Sun, 01 Mar 2026 09:30:00 GMT',
    '__proto__',
    new ExactNumber('-9007199254740993'),
  ])('has no place for %j', (value) => {
    expect(changeOrder(value)).toBeNull()
  })

  it('is of texts of a bounded length', () => {
    for (const value of ['9'.repeat(20), `2026-03-01T09:30:00.${'9'.repeat(500)}Z`, 1.5]) {
      expect(changeOrder(value)?.length).toBeLessThanOrEqual(40)
    }
  })
})
