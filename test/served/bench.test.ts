import { describe, expect, it } from 'vitest'
import { type Figure, isMet } from '../../bench/figure.ts'
import { jsonOf, tableOf } from '../../bench/report.ts'
import { median, ratios, summary } from '../../bench/rounds.ts'
import { bench } from './benching.ts'

const FIGURES: Figure[] = [
  { name: 'ratio', value: 0.81234, spread: [0.7, 1.23456], unit: 'x', bound: { atLeast: 0.8 } },
  { name: 'rows', of: 'orders', value: 60, unit: 'rows', bound: { atMost: 55 } },
  { name: 'rows', of: 'inventory', value: 52, unit: 'rows', bound: { atMost: 55 } },
  { name: 'per_minute', value: [1000.4, 999.6], unit: '' },
]

describe('npm run bench', () => {
  it('tells with --help what there is', async () => {
    const { code, stdout } = await bench('--help')
    expect(code).toBe(0)
    for (const word of ['--quick', '--only', '--json', 'get_one_vs_bare', 'sustained']) {
      expect(stdout).toContain(word)
    }
  })
})

describe('figures', () => {
  it('are numbers by name in JSON, or by name and what they are of', () => {
    const { ratio, rows, per_minute, spread } = JSON.parse(jsonOf(FIGURES, true))
    expect({ ratio, rows, per_minute, spread }).toEqual({
      ratio: 0.812,
      rows: { orders: 60, inventory: 52 },
      per_minute: [1000, 1000],
      spread: { ratio: [0.7, 1.23] },
    })
  })

  it('say in the table which of them are out of bounds', () => {
    const [, ratio, orders, inventory] = tableOf(FIGURES, false).split('\n')
    expect(ratio).toMatch(/^ratio +0.812 x +0.7 to 1.23 +at least 0.8 +yes$/)
    expect(orders).toMatch(/^rows +orders +60 rows +at most 55 +NO$/)
    expect(inventory).toMatch(/^rows +inventory +52 rows +at most 55 +yes$/)
  })

  it.each([
    [0.8, { atLeast: 0.8 }, true],
    [0.79, { atLeast: 0.8 }, false],
    [1.2, { atMost: 1.2 }, true],
    [1.21, { atMost: 1.2 }, false],
    [1.5, { below: 1.5 }, false],
    [7, { equal: 7 }, true],
    [8, { equal: 7 }, false],
  ])('of %d are held to %j: %s', (value, bound, met) => {
    expect(isMet(value, bound)).toBe(met)
  })
})

describe('rounds', () => {
  it('let each contender be first in turn, and give the ratio of each round', async () => {
    const order: string[] = []
    const contender = (name: string, value: number) => () => {
      order.push(name)
      return value
    }
    expect(await ratios(3, contender('a', 6), contender('b', 2))).toEqual([3, 3, 3])
    expect(order.join('')).toBe('abbaab')
  })

  it('have a median and a spread', () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5])
    expect(summary([5, 1, 3])).toEqual({ value: 3, spread: [1, 5] })
    expect(() => median([])).toThrow()
  })
})
