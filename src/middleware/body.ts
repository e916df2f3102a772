import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'
import type { Share } from '../limits/budget.ts'
import { inTime, TimedOut } from '../limits/deadline.ts'
import { settleMemory } from './memory.ts'

const STALL_MS_MAX = 60_000
// The audit log relies on it (db/log-position.ts).
const BODY_MS_MAX = 5 * 60_000

/** Tells whether the request has lost its share of memory. Then nothing may be kept of the body. */
class Hold {
  readonly ends_at = Date.now() + BODY_MS_MAX
  isLost = false
  onLost = () => {}

  constructor(share: Share | null) {
    share?.onTakenBack(() => {
      this.isLost = true
      this.onLost()
    })
  }
}

/**
 * The body as sent. 413 PAYLOAD_TOO_LARGE beyond `bytesMax`, with or without Content-Length (spec 8);
 * 400 if the body is incomplete; 408 REQUEST_TIMEOUT if no byte arrives for a minute, if the body takes more
 * than five, or if it takes longer than the request's share of memory is leased while others wait for memory.
 */
export async function readBody(c: Context<AppEnv>, bytesMax: number): Promise<Uint8Array> {
  const { body } = c.req.raw
  if (!body) return new Uint8Array()
  const length = announcedLength(c)
  const hold = new Hold(c.get('exchange').kept.memory)
  try {
    if (length > bytesMax) return await refuseUnread(hold, body, length, bytesMax)
    const bytes = await (Number.isNaN(length)
      ? read(body.getReader(), (reader) => readToEnd(hold, reader, bytesMax))
      : read(body.getReader({ mode: 'byob' }), (reader) => readAll(hold, reader, length)))
    settleMemory(c, bytes.length)
    return bytes
  } catch (error) {
    throw refusalOf(error)
  }
}

/** NaN without Content-Length. */
function announcedLength(c: Context<AppEnv>): number {
  return Number.parseInt(c.req.header('Content-Length') ?? '', 10)
}

/**
 * Reads a body that is a little too long before refusing it: a client that is still sending may get a
 * connection reset instead of the response. Waits for it no longer than for any other body.
 */
async function refuseUnread(
  hold: Hold,
  body: ReadableStream,
  length: number,
  bytesMax: number,
): Promise<never> {
  const drained = (reader: ReadableStreamDefaultReader) => drain(hold, reader)
  if (length <= 2 * bytesMax) await read(body.getReader(), drained).catch(() => {})
  throw tooLarge(bytesMax)
}

async function drain(hold: Hold, reader: ReadableStreamDefaultReader): Promise<void> {
  let isDone = false
  while (!isDone) isDone = (await nextOf(hold, reader, reader.read())).done
}

/** Without the lock somebody else may drain what is left of the body: `wrangler dev` does. */
async function read<Reader extends { releaseLock: () => void }, Result>(
  reader: Reader,
  work: (reader: Reader) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(reader)
  } finally {
    reader.releaseLock()
  }
}

/** Reads into one buffer of ours: that gives a hundred times as much per read as the runtime's buffers. */
async function readAll(
  hold: Hold,
  reader: ReadableStreamBYOBReader,
  length: number,
): Promise<Uint8Array> {
  let bytes = new Uint8Array(length)
  let at = 0
  while (at < length) {
    const { done, value } = await nextOf(hold, reader, reader.read(bytes.subarray(at)))
    if (done) throw new Error('fewer bytes than announced')
    at += value.length
    bytes = new Uint8Array(value.buffer)
  }
  return bytes
}

async function readToEnd(
  hold: Hold,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  bytesMax: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await nextOf(hold, reader, reader.read())
    if (done) return Buffer.concat(chunks, length)
    length += value.length
    if (length > bytesMax) throw tooLarge(bytesMax)
    chunks.push(value)
  }
}

/**
 * The result of the next read; cancels the body if nothing arrives in time, or if the share is lost. The
 * request that takes the share only rejects a promise: it cannot cancel another request's body.
 */
async function nextOf<Read>(
  hold: Hold,
  reader: { cancel: () => Promise<void> },
  reading: Promise<Read>,
): Promise<Read> {
  const { promise: lost, reject } = Promise.withResolvers<never>()
  hold.onLost = () => reject(tooSlow())
  if (hold.isLost) hold.onLost()
  const left = hold.ends_at - Date.now()
  try {
    if (left <= 0) throw tooLong()
    return await inTime(Promise.race([reading, lost]), Math.min(STALL_MS_MAX, left))
  } catch (error) {
    reader.cancel().catch(() => {})
    throw error instanceof TimedOut && Date.now() >= hold.ends_at ? tooLong() : error
  } finally {
    // Otherwise the share would hold what was read.
    hold.onLost = () => {}
  }
}

function tooLong(): ApiError {
  const message = `The body was still arriving after ${BODY_MS_MAX / 60_000} minutes. Send a smaller one, or send it faster.`
  return new ApiError('REQUEST_TIMEOUT', message)
}

function tooSlow(): ApiError {
  const message =
    'The body was still arriving after a minute, and other requests waited for its memory. Send the request again.'
  return new ApiError('REQUEST_TIMEOUT', message)
}

function tooLarge(bytesMax: number): ApiError {
  return new ApiError(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than ${bytesMax} bytes: send a smaller one.`,
  )
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof TimedOut) {
    const message = `No byte of the body arrived for ${STALL_MS_MAX / 1000} seconds. Send the request again.`
    return new ApiError('REQUEST_TIMEOUT', message)
  }
  return new ApiError(
    'VALIDATION_ERROR',
    'The body ended before all of it had arrived. Send the request again.',
  )
}
