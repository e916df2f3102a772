import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AppEnv } from '../env.ts'
import { holdAnswer } from '../exchange/documents.ts'
import { answerInTurn, ownerOf } from '../exchange/memory.ts'
import type { Pace } from '../limits/pace.ts'

/** A longer response is sent in parts, as its client reads them. In UTF-16 units. */
export const PART_LENGTH = 256 * 1024

const STALL_MS_MAX = 60_000
// Less than others wait (30 s).
const CONTESTED_STALL_MS_MAX = 20_000
const IN_PLACE_MS_MAX = 10_000
const HEADERS = { 'Content-Type': 'application/json' }

type Part = string | Uint8Array

/** A response whose text is complete. */
export function sendText(c: Context<AppEnv>, status: ContentfulStatusCode, text: string): Response {
  holdAnswer(c, text)
  if (text.length <= PART_LENGTH) return c.body(text, status, HEADERS)
  const bytes = new TextEncoder().encode(text)
  const { memory, largeWork } = c.get('exchange').kept
  // The request's share covers the bytes until the client has read them; if it has no room for them, the
  // share for large documents is kept instead.
  if (memory?.resize(memory.bytes + bytes.length)) largeWork?.leave()
  let at = 0
  return sendParts(c, status, async () => {
    const part = bytes.subarray(at, at + PART_LENGTH)
    at += part.length
    return part.length > 0 ? part : null
  })
}

/**
 * A response that is made while it is sent. Calls `next` whenever the client has read a part, and again after an empty
 * one; null ends the response. Holds the request's memory until then, and its place for 10 s at most: its key's other
 * requests do not wait for a slow client. A failure, or a client that reads nothing for a minute, or for 20 s while others
 * wait for the memory, breaks the connection off: half a response never looks complete.
 */
export function sendParts(
  c: Context<AppEnv>,
  status: ContentfulStatusCode,
  next: () => Promise<Part | null>,
  headers: Record<string, string> = HEADERS,
): Response {
  // Nobody reads the body of a HEAD response.
  if (c.req.method === 'HEAD') return c.body('', status, headers)
  return c.body(partsOf(c, next), status, headers)
}

/**
 * 200 with a text that is made in parts, in turn with the parts of others. Makes the first part before the answer
 * begins: until then an error can still be told. An empty part gives the turn to others.
 */
export async function sendWhileMade(
  c: Context<AppEnv>,
  parts: AsyncGenerator<string, void>,
  headers: Record<string, string>,
): Promise<Response> {
  const owner = ownerOf(c)
  const make = async () => {
    const part = await answerInTurn(owner, () => parts.next())
    return part.done ? null : part.value
  }
  let first: { part: Part | null } | null = { part: await make() }
  const next = async () => {
    const { part } = first ?? { part: await make() }
    first = null
    return part
  }
  return sendParts(c, 200, next, headers)
}

/**
 * The lines of all rows, in parts of about PART_LENGTH. A part ends with its batch, since the next one may have to wait
 * for its turn; it is empty if the batch is.
 */
export async function* textParts<Row>(
  pace: Pace,
  head: string,
  batches: AsyncIterable<Row[]>,
  linesOf: (row: Row) => readonly string[] | Generator<string>,
): AsyncGenerator<string, void> {
  let text = head
  for await (const rows of batches) {
    for (const row of rows) {
      for (const line of linesOf(row)) {
        text += line
        if (pace.spend(line.length)) await pace.rest()
        if (text.length < PART_LENGTH) continue
        yield text
        text = ''
      }
    }
    yield text
    text = ''
  }
  if (text !== '') yield text
}

function partsOf(c: Context<AppEnv>, next: () => Promise<Part | null>): ReadableStream<Uint8Array> {
  const { kept, request_id } = c.get('exchange')
  const { memory } = kept
  const shares = [memory, kept.largeWork, kept.exporting]
  kept.memory = kept.largeWork = kept.exporting = null
  const encoder = new TextEncoder()
  let stalled: ReturnType<typeof setTimeout> | undefined
  const slow = setTimeout(() => memory?.leavePlace(), IN_PLACE_MS_MAX)
  // The client may leave, and the budget may take a share back, while a part is being made.
  let ended = false
  const end = () => {
    ended = true
    clearTimeout(stalled)
    clearTimeout(slow)
    for (const share of shares) share?.leave()
  }
  const renew = () => {
    for (const share of shares) share?.renew()
  }
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const breakOff = () => fail(controller, 'The response was not read in time.')
      for (const share of shares) share?.onTakenBack(breakOff)
    },
    async pull(controller) {
      clearTimeout(stalled)
      renew()
      try {
        let part = await next()
        while (part?.length === 0 && !ended) {
          renew()
          part = await next()
        }
        if (ended) return
        if (part === null) {
          end()
          controller.close()
        } else {
          controller.enqueue(typeof part === 'string' ? encoder.encode(part) : part)
          memory?.renew(CONTESTED_STALL_MS_MAX)
          stalled = setTimeout(() => fail(controller, 'The response was not read.'), STALL_MS_MAX)
        }
      } catch {
        fail(controller, 'The response broke off.')
      }
    },
    cancel: end,
  })

  function fail(controller: ReadableStreamDefaultController, message: string): void {
    if (ended) return
    console.error(JSON.stringify({ event: 'stream_broken', request_id }))
    end()
    controller.error(new Error(message))
  }
}
