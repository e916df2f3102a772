import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Gate, Gates, type Place } from '../../src/gate.ts'

const LEASE_MS = 60_000

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Notes who is let in. */
function entrance(gate: Gate) {
  const inside: string[] = []
  const enter = async (name: string, weight?: number): Promise<Place> => {
    const place = await gate.enter(weight)
    inside.push(name)
    return place
  }
  return { inside, enter }
}

const settle = () => vi.advanceTimersByTimeAsync(0)

describe('a gate', () => {
  it('lets in what fits, and the rest in order of arrival, a light one not before a heavy one', async () => {
    const { inside, enter } = entrance(new Gate(10, 'full'))
    const first = await enter('first', 6)
    void enter('heavy', 8)
    void enter('light', 1)
    await vi.advanceTimersByTimeAsync(5000)
    expect(inside).toEqual(['first'])
    first.leave()
    await settle()
    expect(inside).toEqual(['first', 'heavy', 'light'])
  })

  it('lets others in when one inside becomes lighter', async () => {
    const { inside, enter } = entrance(new Gate(10, 'full'))
    const place = await enter('first', 10)
    void enter('second', 5)
    place.renew(6)
    await settle()
    expect(inside).toEqual(['first'])
    place.renew(5)
    await settle()
    expect(inside).toEqual(['first', 'second'])
  })

  it('gives a place back once, however often it is left', async () => {
    const { inside, enter } = entrance(new Gate(1, 'full'))
    const place = await enter('first')
    place.leave()
    place.leave()
    await enter('second')
    void enter('third')
    place.leave()
    await settle()
    expect(inside).toEqual(['first', 'second'])
  })

  it('refuses after 30 seconds, and those who come after are not held up by that one', async () => {
    const { inside, enter } = entrance(new Gate(10, 'full'))
    await enter('first', 5)
    const refused = enter('heavy', 10).catch((error) => error)
    await vi.advanceTimersByTimeAsync(1)
    void enter('light', 5)
    await vi.advanceTimersByTimeAsync(29_999)
    expect(await refused).toMatchObject({ code: 'UNAVAILABLE', message: 'full' })
    expect(inside).toEqual(['first', 'light'])
  })

  it('takes a place back when its lease has run out, unless it was renewed', async () => {
    const { inside, enter } = entrance(new Gate(2, 'full'))
    const [kept] = [await enter('kept'), await enter('lost')]
    await vi.advanceTimersByTimeAsync(LEASE_MS - 1500)
    kept.renew()
    void enter('next')
    void enter('last')
    await vi.advanceTimersByTimeAsync(1000)
    expect(inside).toEqual(['kept', 'lost'])
    await vi.advanceTimersByTimeAsync(1000)
    expect(inside).toEqual(['kept', 'lost', 'next'])
  })

  it('has nothing of a place that comes back after its lease', async () => {
    const { inside, enter } = entrance(new Gate(1, 'full'))
    const lost = await enter('lost')
    await vi.advanceTimersByTimeAsync(LEASE_MS)
    await enter('next')
    lost.leave()
    lost.renew()
    void enter('last')
    await settle()
    expect(inside).toEqual(['lost', 'next'])
  })

  it('is idle when all have left', async () => {
    const gate = new Gate(1, 'full')
    expect(gate.isIdle).toBe(true)
    const place = await gate.enter()
    expect(gate.isIdle).toBe(false)
    place.leave()
    expect(gate.isIdle).toBe(true)
  })
})

describe('gates by name', () => {
  it('do not hold each other up', async () => {
    const gates = new Gates(1, 'full')
    const [a] = [await gates.enter('a'), await gates.enter('b')]
    let entered = false
    void gates.enter('a').then(() => {
      entered = true
    })
    await settle()
    expect(entered).toBe(false)
    a.leave()
    await settle()
    expect(entered).toBe(true)
  })
})
