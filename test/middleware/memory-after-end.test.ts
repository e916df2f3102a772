import type { Context } from 'hono'
import { describe, expect, it } from 'vitest'
import type { AppEnv } from '../../src/engine/env.ts'
import {
  holdingMemory,
  leaveLargeWork,
  outOfPlace,
  takeLargeWork,
  takePlace,
} from '../../src/engine/exchange/memory.ts'
import { BODY_BYTES_MAX } from '../../src/engine/json/fields.ts'
import { inTime } from '../../src/engine/limits/deadline.ts'

// A delivery is answered after 4 s, and its work goes on. What the work takes then, the end of the request has not given
// back. Here a request ends while its work waits, without 4 s in between.

const PLACES_OF_KEY = 50

/** As far as memory needs a request: its key, what it holds, and that it has no body. */
function requestOf(key: string): Context<AppEnv> {
  const kept = { memory: null, hasEnded: false, largeWork: null, exporting: null }
  const values: Record<string, unknown> = {
    exchange: { kept, queued_ms: 0, url: new URL('https://demo.example/') },
    caller: { tenant: 'demo', key: { id: key } },
  }
  const request = {
    get: (name: string) => values[name],
    req: { raw: new Request('https://demo.example/'), header: () => undefined },
    executionCtx: { waitUntil: () => undefined },
  }
  return request as unknown as Context<AppEnv>
}

/** What becomes of work that begins when its request has ended. */
async function afterEnd(
  c: Context<AppEnv>,
  work: (c: Context<AppEnv>) => Promise<void>,
): Promise<unknown> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let rest: Promise<unknown> = Promise.resolve()
  await holdingMemory(c, async () => {
    rest = ended.then(() => work(c)).catch((error: unknown) => error)
  })
  end()
  return await rest
}

const REFUSED = { code: 'UNAVAILABLE', details: { reason: 'SERVER_BUSY' } }

describe('work that goes on after its request has ended', () => {
  it('gives back its turn among large documents', async () => {
    const answer = await afterEnd(requestOf('large'), (c) => takeLargeWork(c, BODY_BYTES_MAX))
    expect(answer).toMatchObject(REFUSED)
    const other = requestOf('other')
    await inTime(takeLargeWork(other, BODY_BYTES_MAX), 2000)
    leaveLargeWork(other)
  })

  it.each([
    ['the place that it takes for a body', (c: Context<AppEnv>) => takePlace(c, 1024)],
    [
      'the place that it takes after a pause',
      (c: Context<AppEnv>) => outOfPlace(c, async () => {}),
    ],
  ])('gives back %s', async (name, work) => {
    for (let request = 0; request < PLACES_OF_KEY; request++) {
      expect(await afterEnd(requestOf(name), work)).toMatchObject(REFUSED)
    }
    await inTime(
      holdingMemory(requestOf(name), async () => {}),
      2000,
    )
  })

  it('takes nothing back from a request that goes on', async () => {
    const c = requestOf('running')
    await holdingMemory(c, async () => {
      await takePlace(c, 1024)
      await takeLargeWork(c, 1024)
      expect(c.get('exchange').kept).toMatchObject({
        memory: { bytes: expect.any(Number) },
        largeWork: { bytes: 1024 },
      })
    })
    expect(c.get('exchange').kept).toMatchObject({ memory: null, largeWork: null })
  })
})
