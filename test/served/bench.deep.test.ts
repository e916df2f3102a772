import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../fixtures/endpoints.ts'
import { bench } from './benching.ts'

describe('npm run bench', () => {
  it.each([
    ['--only', 'nothing'],
    ['--fast', ''],
  ])('refuses %s %s, and says what there is', async (...args) => {
    const { code, stdout, stderr } = await bench(...args.filter(Boolean))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Usage: npm run bench')
  })

  it('gives one JSON object on stdout, and its progress on stderr', async () => {
    const name = 'map_order_vs_hand_written'
    const { code, stdout, stderr } = await bench('--only', name, '--quick', '--json')
    expect(code).toBe(0)
    const { spread, machine, quick, at, ...figures } = JSON.parse(stdout)
    expect(figures).toEqual({ [name]: expect.any(Number) })
    expect(figures[name]).toBeGreaterThan(0)
    expect(spread[name]).toHaveLength(2)
    expect(machine.cores).toBeGreaterThan(0)
    expect(quick).toBe(true)
    expect(Date.parse(at)).toBeGreaterThan(0)
    expect(stderr).toContain('mapping an order')
  }, 60_000)

  it('counts the round trips of each endpoint', async () => {
    const { code, stdout } = await bench('--only', 'round_trips', '--quick')
    expect(code).toBe(0)
    for (const { method, path } of ENDPOINTS) {
      const [name = ''] = path.replace(/^\/api\/\w+\/v1/, '').split('{')
      expect(stdout).toContain(`${method} ${name}`)
    }
    expect(stdout).not.toMatch(/ NO$/m)
  }, 60_000)
})
