import { describe, expect, it } from 'vitest'
import { textParts } from '../../src/answers/streaming.ts'
import { Pace, STEPS_MAX } from '../../src/limits/pace.ts'
import { pairsOf } from '../../src/resources/inventory/pairs.ts'
import { checkRows } from '../../src/resources/inventory/rows.ts'

const paceOf = (key: string) => new Pace({ tenant: 'demo', key })

/** How often others were served before the work was done. */
async function servedBefore(work: Promise<unknown>): Promise<number> {
  let served = 0
  const timer = setInterval(() => {
    served += 1
  }, 1)
  try {
    await work
    return served
  } finally {
    clearInterval(timer)
  }
}

async function* once<Row>(rows: Row[]) {
  yield rows
}

async function readAll(parts: AsyncGenerator<string, void>): Promise<void> {
  for await (const _ of parts);
}

const row = (sku: number) => ({ location_code: 'L', sku_code: `S${sku}`, quantity: 1 })
const rows = Array.from({ length: 60_000 }, (_, index) => row(index))
const bad = Array.from({ length: 10_000 }, (_, index) => ({ ...row(index), quantity: -1 }))
const lines = Array.from({ length: 300 }, () => 'x'.repeat(10_000))

describe('long work', () => {
  it.each<[string, (pace: Pace) => Promise<unknown>]>([
    ['that checks rows', (pace) => checkRows(rows, pace)],
    ['that finds the faults of rows', (pace) => checkRows(bad, pace)],
    ['that writes what rows ask for', (pace) => pairsOf(rows, pace, true)],
    ['that writes lines', (pace) => readAll(textParts(pace, '', once(lines), (line) => line))],
  ])('%s lets others in', async (_, work) => {
    expect(await servedBefore(work(paceOf('long')))).toBeGreaterThan(0)
  })

  it('does not pause if it is short', async () => {
    const pace = paceOf('short')
    expect(await servedBefore(pace.spent(STEPS_MAX - 1))).toBe(0)
    expect(await servedBefore(pace.spent(1))).toBeGreaterThan(0)
  })

  it('of several requests pauses in turn, and others are served after each part of it', async () => {
    const events: string[] = []
    const long = async (key: string) => {
      const pace = paceOf(key)
      for (let part = 0; part < 2; part++) {
        await pace.spent(STEPS_MAX)
        events.push('long')
      }
    }
    const timer = setInterval(() => events.push('other'), 1)
    await Promise.all(['a', 'b', 'c'].map(long))
    clearInterval(timer)
    const neighbours = events.filter((event, at) => event === 'long' && events[at + 1] === 'long')
    expect(events.filter((event) => event === 'long')).toHaveLength(6)
    expect(neighbours).toEqual([])
  })
})
