import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Options, Result } from 'autocannon'

type Told = [{ result: Result } | { failure: string }]

/** A load generator in a process of its own: what it costs is not taken from the server's core. */
export function startLoad() {
  const child = fork(join(import.meta.dirname, 'load-process.ts'))
  const dead = once(child, 'exit').then(([code]) => [{ failure: `exit code ${code}` }])
  async function send(job: Options): Promise<Result> {
    child.send(job)
    const [told] = (await Promise.race([once(child, 'message'), dead])) as Told
    if ('failure' in told) throw new Error(`The load generator failed: ${told.failure}`)
    return told.result
  }
  return {
    send,
    /** Requests per second. Throws where an answer was no 2xx, or none came. */
    async rate(job: Options): Promise<number> {
      const { errors, non2xx, requests } = await send(job)
      if (errors + non2xx === 0) return requests.average
      throw new Error(`${job.url}: ${non2xx} answers were no 2xx, ${errors} requests failed.`)
    },
    end: () => child.disconnect(),
  }
}

export type Load = ReturnType<typeof startLoad>
