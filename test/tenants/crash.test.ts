import { execFile } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { planOf } from '../crash/plan.ts'
import { Random } from '../crash/random.ts'
import { SEED } from './crashing.ts'

describe('npm run test:crash', () => {
  it.each([
    { args: ['--help'], code: 0, stdout: '--kills <n>', stderr: '' },
    { args: ['--kills', '0'], code: 2, stdout: '', stderr: '--kills must be a number from 1' },
    { args: ['--seed', 'a b'], code: 2, stdout: '', stderr: '--seed must be up to 40' },
    { args: ['--fast'], code: 2, stdout: '', stderr: "Unknown option '--fast'" },
  ])('answers $args', async ({ args, ...expected }) => {
    const program = ['scripts/crossdock.ts', 'crash', ...args]
    const ended = await new Promise<object>((resolve) => {
      execFile(process.execPath, program, (error, stdout, stderr) => {
        resolve({ code: error ? error.code : 0, stdout, stderr })
      })
    })
    expect(ended).toEqual({
      code: expected.code,
      stdout: expect.stringContaining(expected.stdout),
      stderr: expect.stringContaining(expected.stderr),
    })
  })
})

describe('the plan of a crash', () => {
  it('follows from the seed', () => {
    const plan = (seed: string) => JSON.stringify(planOf(new Random(seed), 20))
    expect(plan('a')).toBe(plan('a'))
    expect(plan('a')).not.toBe(plan('b'))
  })

  it('kills the whole and a part even where it is short', () => {
    const plan = planOf(new Random(SEED), 2)
    expect(plan.map(({ target }) => target).sort()).toEqual(['all', 'worker'])
  })

  it('kills of twenty times some while it starts, and some in part', () => {
    const plan = planOf(new Random('a'), 20)
    expect(plan).toHaveLength(20)
    expect(plan.filter(({ during }) => during === 'start').length).toBeGreaterThan(1)
    const targets = new Set(plan.map(({ target }) => target))
    expect([...targets].sort()).toEqual(['all', 'parent', 'proxy', 'worker'])
    const moments = plan.map(({ afterMs }) => afterMs)
    expect(new Set(moments).size).toBeGreaterThan(15)
    expect(Math.max(...moments)).toBeLessThanOrEqual(4000)
  })
})
