import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { inDeepPass, itInDeep } from '../fixtures/depth.ts'
import { served } from './serving.ts'
import { blocksOf, spaces, upload } from './upload.ts'

const BODY_BYTES_MAX = 10_485_760
const MANY = 100 * 1024 * 1024
const MB = 1_000_000

let key: string
let url: string

beforeAll(async () => {
  key = await served.createKey(['integrations.*'])
  url = `${served.origin}/api/integrations/v1/inventory/`
})

const json = () => ({ 'X-API-Key': key, 'Content-Type': 'application/json' })
const sized = (bytes: number) => ({ ...json(), 'Content-Length': String(bytes) })

/** An upload of one row that names nothing, with white space up to that many bytes. */
function stockOf(bytes: number): Uint8Array {
  const row = { location_code: 'L', sku_code: 'S', quantity: 1 }
  return new TextEncoder().encode(JSON.stringify({ inventory: [row] }).padEnd(bytes))
}

function codeOf(text: string): string {
  const { success, error, detail } = JSON.parse(text)
  expect([success, error.message]).toEqual([false, detail])
  return error.code
}

describe('a body of 10,485,760 bytes', () => {
  it.each([
    ['with Content-Length', sized],
    ['chunked', json],
  ])('is taken, and one byte more is 413: %s', async (_, headersOf) => {
    const most = stockOf(BODY_BYTES_MAX)
    const taken = await upload(url, headersOf(most.length), { blocks: blocksOf(most) })
    expect(taken.status).toBe(200)
    expect(JSON.parse(taken.text).data).toMatchObject({ total: 1, failed: 1 })

    const over = stockOf(BODY_BYTES_MAX + 1)
    const refused = await upload(url, headersOf(over.length), { blocks: blocksOf(over) })
    expect([refused.status, codeOf(refused.text)]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })
})

describe('a body of 100 MB', () => {
  const TOO_LARGE = [413, 'PAYLOAD_TOO_LARGE']

  it('is refused before any of it has come, where it is announced', async () => {
    const beginning = { blocks: spaces(1), isOpen: true }
    const { status, text } = await upload(url, sized(MANY), beginning)
    expect([status, codeOf(text)]).toEqual(TOO_LARGE)
  })

  itInDeep(
    'is refused, chunked, when nothing follows the first byte too many: its end is not waited for',
    async () => {
      const beginning = { blocks: spaces(BODY_BYTES_MAX + 1), isOpen: true }
      const { status, text } = await upload(url, json(), beginning)
      expect([status, codeOf(text)]).toEqual(TOO_LARGE)
    },
  )
})

describe('a body of 1 GB', () => {
  it('is not taken to its end, however fast it comes', async () => {
    let sent = 0
    const counted = spaces(1000 * MB).map((block) => {
      sent += block.length
      return block
    })
    // In front of the Worker, the local runtime may reset the connection instead.
    const { status } = await upload(url, json(), { blocks: counted }).catch(() => ({ status: 0 }))
    expect(status).not.toBe(200)
    expect(sent).toBeGreaterThan(BODY_BYTES_MAX)
    // 40 MiB, and what lies in buffers on the way: on a busy machine, some 30 MB.
    expect(sent).toBeLessThan(200 * MB)
  })
})

inDeepPass(() => {
  describe('a body of 30 MB', () => {
    // So do most clients: they read the answer when they have sent everything.
    const sendAll = async (headers: Record<string, string>) => {
      const sending = request(url, { method: 'POST', headers, agent: false })
      for (const block of spaces(30 * MB)) sending.write(block)
      const [answer] = (await once(sending.end(), 'response')) as [IncomingMessage]
      answer.resume()
      await once(answer, 'end')
      return [answer.statusCode, sending.writableFinished]
    }

    it.each([
      ['chunked', {}],
      ['announced', { 'Content-Length': String(30 * MB) }],
    ])('is taken to its end before it is refused: %s', async (_, framing) => {
      expect(await sendAll({ ...json(), ...framing })).toEqual([413, true])
    })
  })
})

describe('a GET with a body', () => {
  it.each([
    ['sized', { 'Content-Length': '2' }],
    ['chunked', { 'Transfer-Encoding': 'chunked' }],
  ])('is answered as one without: %s', async (_, framing) => {
    const headers = { ...json(), ...framing }
    const sending = request(url, { method: 'GET', headers, agent: false }).end('{}')
    const [answer] = (await once(sending, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(200)
  })
})

describe('a body of somebody without a key', () => {
  it.each([
    ['no key', {}, 403, 'KEY_MISSING'],
    ['a key that is none', { 'X-API-Key': 'xd_demo_x' }, 401, 'KEY_INVALID'],
  ])('is not waited for: %s', async (_, headers, status, code) => {
    for (const sizedOrNot of [{}, { 'Content-Length': String(BODY_BYTES_MAX) }]) {
      const beginning = { blocks: spaces(1), isOpen: true }
      const answer = await upload(url, { ...headers, ...sizedOrNot }, beginning)
      expect([answer.status, codeOf(answer.text)]).toEqual([status, code])
    }
  })

  it('is not waited for where it is a form of the dashboard', async () => {
    const form = { Origin: served.origin, 'Content-Type': 'application/x-www-form-urlencoded' }
    const beginning = { blocks: spaces(1), isOpen: true }
    const answer = await upload(`${served.origin}/dashboard/workspace/`, form, beginning)
    expect(answer.status).toBe(303)
  })

  it('is read no further than a key can be long, where it is a form to sign in', async () => {
    const origin = served.origin
    const form = { Origin: origin, 'Content-Type': 'application/x-www-form-urlencoded' }
    const beginning = { blocks: spaces(16_385), isOpen: true }
    const { status, text } = await upload(`${origin}/dashboard/sign-in/`, form, beginning)
    expect(status).toBe(413)
    expect(text).toContain('The body is larger than 16384 bytes: send a smaller one.')
  })
})
