import { describe, expect, it } from 'vitest'
import { retrying } from '../../src/engine/db/retry.ts'
import { inTime, TimedOut } from '../../src/engine/limits/deadline.ts'

const always = () => true

/** Fails so many times, each after so many milliseconds; `lefts` is what each call was told. */
function failing(times: number, ms = 0) {
  const lefts: number[] = []
  const call = async (msLeft: number) => {
    lefts.push(msLeft)
    await scheduler.wait(ms)
    if (lefts.length <= times) throw new Error(`failure ${lefts.length}`)
    return 'done'
  }
  return { call, lefts }
}

describe('retrying', () => {
  it('gives what the first call gives that succeeds', async () => {
    const { call, lefts } = failing(2)
    expect(await retrying(60_000, always, call)).toBe('done')
    expect(lefts).toHaveLength(3)
  })

  it('calls four times, and throws what the last call threw', async () => {
    const { call, lefts } = failing(10)
    await expect(retrying(60_000, always, call)).rejects.toThrow('failure 4')
    expect(lefts).toHaveLength(4)
  })

  it('does not call again for an error that is not worth it', async () => {
    const { call, lefts } = failing(10)
    const isFirst = (error: unknown) => error instanceof Error && error.message === 'failure 1'
    await expect(retrying(60_000, isFirst, call)).rejects.toThrow('failure 2')
    expect(lefts).toHaveLength(2)
  })

  it('tells each call how much of the time is left, and begins none after it', async () => {
    const { call, lefts } = failing(10, 60)
    await expect(retrying(50, always, call)).rejects.toThrow('failure 1')
    expect(lefts).toEqual([50])
    const { call: slow, lefts: told } = failing(1, 60)
    await retrying(60_000, always, slow)
    expect(told).toHaveLength(2)
    expect(told[1]).toBeLessThanOrEqual(60_000 - 60 + 1)
  })
})

describe('inTime', () => {
  it('throws TimedOut, and nobody hears of what the call does then', async () => {
    const { call } = failing(1, 50)
    await expect(inTime(call(0), 10)).rejects.toThrow(TimedOut)
    await scheduler.wait(60)
  })

  it('gives and throws what the call does in time', async () => {
    const { call } = failing(1)
    await expect(inTime(call(0), 10_000)).rejects.toThrow('failure 1')
    expect(await inTime(call(0), 10_000)).toBe('done')
  })
})
