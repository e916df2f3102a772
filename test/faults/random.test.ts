import { env } from 'cloudflare:workers'
import { beforeAll, describe, it } from 'vitest'
import { open, runSequences } from './model/run.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Is printed even if the test passes (vitest.config.ts). */
    notice?: string
  }
}

const SEQUENCE_MS_MAX = 1000

beforeAll(open)

describe('random sequences of all endpoints, by several clients, with random faults', () => {
  it('end as their answers said, by a plain model of the service', {
    timeout: 60_000 + env.RANDOM.runs * SEQUENCE_MS_MAX,
  }, async ({ task }) => {
    task.meta.notice = `random sequences: seed ${env.RANDOM.seed}`
    task.meta.notice = `random sequences: ${await runSequences()}`
  })
})
