import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Options, Result } from 'autocannon'
import { installPeers } from './peers/install.ts'

type Told = [{ result: Result } | { failure: string }]

/** Starts the load generator in a process of its own, so that it does not use the server's core. */
export async function startLoad() {
  await installPeers()
  const child = fork(join(import.meta.dirname, 'peers/load-process.ts'))
  const dead = once(child, 'exit').then(([code]) => [{ failure: `exit code ${code}` }])
  async function send(job: Options): Promise<Result> {
    child.send(job)
    const [told] = (await Promise.race([once(child, 'message'), dead])) as Told
    if ('failure' in told) throw new Error(`The load generator failed: ${told.failure}`)
    return told.result
  }
  return {
    send,
    /** Requests per second. Throws if an answer was not 2xx or did not come. */
    async rate(job: Options): Promise<number> {
      const { errors, non2xx, requests } = await send(job)
      if (errors + non2xx === 0) return requests.average
      throw new Error(`${job.url}: ${non2xx} answers were not 2xx, ${errors} requests failed.`)
    },
    end: () => child.disconnect(),
  }
}

export type Load = Awaited<ReturnType<typeof startLoad>>
