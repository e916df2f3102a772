import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultsOf } from './cases.ts'
import { speedUpTime } from './clock.ts'
import { type Subject, tryOut } from './trial.ts'
import { untruths } from './truth.ts'

/** Tests every subject with every fault of every call that it makes; prints how many that were. */
export function testEveryFault(of: string, subjects: Subject[]): void {
  let cases = 0
  let slowDown: () => void

  beforeAll(() => {
    slowDown = speedUpTime()
  })

  afterAll(() => slowDown())

  describe.each(subjects)('$name', (subject) => {
    it('tells the truth whichever of its calls fails, is late or never answered', async ({
      task,
    }) => {
      const sound = await tryOut(subject, [])
      expect([sound.answer.status, sound.answer.text]).toEqual([
        expect.toBeOneOf([200, 201, 303]),
        expect.anything(),
      ])
      const wrong: object[] = []
      for (const fault of faultsOf(sound.calls)) {
        const found = untruths(await tryOut(subject, [fault]), sound, fault)
        if (found.length > 0) wrong.push({ fault, found })
        cases += 1
      }
      expect(wrong).toEqual([])
      if (subject === subjects.at(-1)) {
        task.meta.notice = `every fault: ${cases} cases of ${subjects.length} ${of}`
      }
    }, 120_000)
  })
}
