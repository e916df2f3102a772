import { describe, expect, it } from 'vitest'
import { textParts } from '../../src/engine/answers/streaming.ts'
import { jsonParts } from '../../src/engine/db/json-parts.ts'
import { Pace, SHORT_STEPS_MAX, STEPS_MAX } from '../../src/engine/limits/pace.ts'
import { pairsOf } from '../../src/records/inventory/pairs.ts'
import { checkRows } from '../../src/records/inventory/rows.ts'

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

/** Adds an event whenever others are served before the work is done. */
async function othersBetween(events: string[], work: Promise<unknown>): Promise<void> {
  const timer = setInterval(() => events.push('other'), 1)
  await work
  clearInterval(timer)
}

/** Where the event follows itself. */
const neighboursIn = (events: string[], name: string) =>
  events.filter((event, at) => event === name && events[at + 1] === name)

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
    ['that writes JSON', (pace) => jsonParts(lines, pace)],
    ['that writes lines', (pace) => readAll(textParts(pace, '', once(lines), (line) => [line]))],
  ])('%s lets others in', async (_, work) => {
    expect(await servedBefore(work(paceOf('long')))).toBeGreaterThan(0)
  })

  it('does not pause if it is short', async () => {
    const pace = paceOf('short')
    expect(await servedBefore(pace.spent(STEPS_MAX - 1))).toBe(0)
    expect(await servedBefore(pace.spent(1))).toBeGreaterThan(0)
  })

  it('that cannot pause within waits for its turn, unless it is short', async () => {
    const events: string[] = []
    const pieces = (steps: number) =>
      Promise.all(
        ['a', 'b', 'c'].map((key) => paceOf(key).inTurn(steps, () => events.push('piece'))),
      )
    await othersBetween(events, pieces(SHORT_STEPS_MAX))
    expect(events).toEqual(['piece', 'piece', 'piece'])
    events.length = 0
    await othersBetween(events, pieces(SHORT_STEPS_MAX + 1))
    expect(events.filter((event) => event === 'piece')).toHaveLength(3)
    expect(events[0]).toBe('other')
    expect(neighboursIn(events, 'piece')).toEqual([])
  })

  it('that cannot pause within counts', async () => {
    const pace = paceOf('counted')
    await pace.inTurn(SHORT_STEPS_MAX, () => {})
    expect(pace.spend(STEPS_MAX - SHORT_STEPS_MAX - 1)).toBe(false)
    expect(pace.spend(1)).toBe(true)
    expect(await servedBefore(pace.inTurn(1, () => {}))).toBeGreaterThan(0)
    await pace.inTurn(STEPS_MAX, () => {})
    expect(pace.spend(0)).toBe(true)
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
    await othersBetween(events, Promise.all(['a', 'b', 'c'].map(long)))
    expect(events.filter((event) => event === 'long')).toHaveLength(6)
    expect(neighboursIn(events, 'long')).toEqual([])
  })
})
