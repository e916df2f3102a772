import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { served } from './serving.ts'
import { spaces, upload } from './upload.ts'

// In test/middleware/memory.test.ts all requests share one context. Here each has its own, as at Cloudflare, where
// one request cannot cancel another's body.

const MB = 1_000_000

let headers: Record<string, string>

beforeAll(async () => {
  const key = await served.createKey(['integrations.*'])
  headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
})

const url = () => `${served.origin}/api/integrations/v1/inventory/`

/**
 * The answer to a body of unknown length, of which so many bytes come at first, and then one each second until the answer
 * or until `ended`.
 */
async function trickle(
  first: number,
  ended: AbortSignal,
): Promise<{ status: number; seconds: number }> {
  const started = Date.now()
  const sending = request(url(), { method: 'POST', headers, agent: false, signal: ended })
  sending.write(' '.repeat(first))
  const timer = setInterval(() => sending.write(' '), 1000)
  try {
    const [answer] = (await once(sending, 'response')) as [IncomingMessage]
    return { status: answer.statusCode ?? 0, seconds: (Date.now() - started) / 1000 }
  } finally {
    clearInterval(timer)
    sending.destroy()
  }
}

describe('POST /inventory/ of bodies that arrive slowly', () => {
  it('is given up after a minute, when another one waits for memory', async () => {
    const ending = new AbortController()
    // Large ones, which stay in memory.
    const slow = [trickle(MB, ending.signal), trickle(MB, ending.signal)]
    // It waits for 30 seconds at most.
    await pause(35_000)
    const waiting = upload(url(), headers, { blocks: spaces(MB) })
    // The memory of one is enough for the one that waits.
    const { status, seconds } = await Promise.race(slow)
    expect(status).toBe(408)
    expect(seconds).toBeGreaterThan(55)
    // Spaces are no JSON.
    expect((await waiting).status).toBe(400)
    ending.abort()
    await Promise.allSettled(slow)
  }, 120_000)

  it('leave the 50 places of their key to others after 10 seconds', async () => {
    const ending = new AbortController()
    const slow = Array.from({ length: 50 }, () => trickle(1, ending.signal))
    await pause(1000)
    const started = Date.now()
    const { status } = await fetch(url(), { headers })
    const seconds = (Date.now() - started) / 1000
    expect(status).toBe(200)
    // It waits for them, as it should while they may be quick.
    expect(seconds).toBeGreaterThan(5)
    expect(seconds).toBeLessThan(12)
    ending.abort()
    await Promise.allSettled(slow)
  }, 60_000)
})
