import { beforeAll, describe, expect, it } from 'vitest'
import { speedUpTime } from '../fixtures/clock.ts'
import { sample } from '../fixtures/depth.ts'
import type { Fault } from '../fixtures/fault.ts'
import { faultsOf } from './cases.ts'
import { type Subject, tryOut } from './trial.ts'
import { untruths } from './truth.ts'

// In `npm test` this subject stands for all others: it writes, and makes every call that a request can make.
const WHOLE = 'POST /api/integrations/v1/orders/'
const SUBJECTS_IN_QUICK = 8
const DRAWN = [1, 12] as const

/** What reads the row before it writes: its second call to D1 is a read, which is not tried again. */
const READS_FIRST =
  /\/webhooks\/:id\/secret\/$|\/connect\/:preset\/:id\/(?:secret|test|undo)\/$|\/import\/inventory\/run\/$/
/**
 * Its page tells what a test delivery was answered, which is another answer under a fault. Or it lists the sessions, of which
 * each try has begun one more. Neither changes anything.
 */
const TELLS_OTHERS = /\/connect\/:preset\/:id\/test\/$|^GET .*\/sessions\/$/

interface Options {
  /** How fast time passes; see `speedUpTime`. */
  speed?: number
  /** Faults after which these subjects may be 503, though an endpoint of the API would be answered. */
  mayRefuse?: (fault: Fault) => boolean
}

/**
 * P8 and P9 (docs/ARCHITECTURE.md): tests every subject with every fault of every call that it makes. The quick
 * pass draws some subjects and one fault for each, the deep one twelve for each subject. Prints how many cases that were.
 */
export function testEveryFault(
  of: string,
  all: Subject[],
  { speed, mayRefuse = () => false }: Options = {},
): void {
  const drawn = new Set(sample(all, SUBJECTS_IN_QUICK))
  const subjects = all.filter((subject) => subject.name === WHOLE || drawn.has(subject))
  let cases = 0

  beforeAll(() => speedUpTime(speed))

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
      const faults = faultsOf(sound.calls)
      for (const fault of subject.name === WHOLE ? faults : sample(faults, ...DRAWN)) {
        const isRead = READS_FIRST.test(subject.name) && fault.on === 'd1' && fault.nth === 1
        const trial = await tryOut(subject, [fault])
        const found = untruths(trial, sound, fault, isRead || mayRefuse(fault)).filter(
          (one) => !(TELLS_OTHERS.test(subject.name) && one.startsWith('is answered otherwise')),
        )
        if (found.length > 0) wrong.push({ fault, found })
        cases += 1
      }
      expect(wrong).toEqual([])
      if (subject === subjects.at(-1)) {
        task.meta.notice = `${cases} cases of ${subjects.length} ${of}`
      }
    }, 300_000)
  })
}
