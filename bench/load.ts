import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Options, Result } from 'autocannon'

export interface Loaded {
  result: Result
  /** Answers in each minute, the last of which is no whole one. */
  per_minute: number[]
}

/** A load generator in a process of its own: what it costs is not taken from the server's core. */
export function startLoad() {
  const child = fork(join(import.meta.dirname, 'load-process.ts'))
  return {
    /** Throws where an answer was no 2xx, or none came. */
    async send(job: Options): Promise<Loaded> {
      child.send(job)
      const [told] = (await once(child, 'message')) as [Loaded | { failure: string }]
      if ('failure' in told) throw new Error(`The load generator failed: ${told.failure}`)
      refuseErrors(job, told.result)
      return told
    },
    end: () => child.disconnect(),
  }
}

export type Load = ReturnType<typeof startLoad>

function refuseErrors({ url }: Options, { errors, timeouts, non2xx }: Result): void {
  if (errors + timeouts + non2xx === 0) return
  throw new Error(`${url}: ${non2xx} answers were no 2xx, ${errors} requests failed.`)
}
