import { describe, expect, it } from 'vitest'
import { mapRecord } from '../../src/engine/mapping/outbound.ts'
import { inDeepPass } from '../fixtures/depth.ts'

describe('a record that is too large and has many problems besides', () => {
  it('names the field that it leaves out', () => {
    const wrong = Array.from({ length: 25 }, (_, n) => [`w${n}`, `name.w${n}`])
    const deep = Array.from({ length: 170 }, (_, n) => [`lines[].f${n}.a.b.c.d`, 'items[].n'])
    const fields = Object.fromEntries([...wrong, ...deep])
    const items = Array.from({ length: 1000 }, () => ({ n: 1 }))
    const { value, leftOut } = mapRecord({ unmapped: 'drop', fields }, { name: 'x', items })
    expect([value, leftOut]).toEqual([{}, ['lines']])
  })
})

inDeepPass(() => {
  describe('the records of one answer', () => {
    it('have the steps of one document together, and each a few more', () => {
      const filtered = Array.from({ length: 100 }, (_, n) => [`f${n}`, `items[?@.a == 'x${n}'].b`])
      const saved = {
        unmapped: 'drop' as const,
        fields: Object.fromEntries([...filtered, ['name', 'name']]),
      }
      const recordOf = (length: number) => {
        return { name: 'n', items: Array.from({ length }, () => ({ a: 'y' })) }
      }
      const spent = { work: 0 }
      // Each takes less than it adds.
      for (let n = 0; n < 100; n++) mapRecord(saved, recordOf(10), spent)
      expect(spent.work).toBeLessThan(10_000)
      const results = Array.from({ length: 25 }, () => mapRecord(saved, recordOf(3000), spent))
      const whole = results.filter(({ leftOut }) => leftOut.length === 0)
      expect(whole.length).toBeGreaterThan(1)
      expect(whole.length).toBeLessThan(20)
      expect(results.at(-1)?.leftOut).toContain('f99')
      expect(results.at(-1)?.value).toEqual({ name: 'n' })
      // One with little to do is still mapped.
      expect(mapRecord(saved, recordOf(10), spent).leftOut).toEqual([])
    })
  })
})
