import type { Context } from 'hono'
import { BODY_BYTES_MAX } from '../document/fields.ts'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'
import type { Share } from '../limits/budget.ts'
import { inTime, TimedOut } from '../limits/deadline.ts'
import { settleMemory } from './memory.ts'

type Reader = ReadableStreamDefaultReader<Uint8Array>

const STALL_MS_MAX = 60_000
// What a client that sends all of its body before it reads the answer may send in vain.
const DISCARDED_BYTES_MAX = 4 * BODY_BYTES_MAX
const DISCARD_STALL_MS_MAX = 2000
// The audit log relies on it (db/log-position.ts).
const BODY_MS_MAX = 5 * 60_000

/** Refuses a body of which so many bytes have been read. */
type Refuse = (reader: Reader, read: number) => Promise<never>

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
 * The body as sent. 413 PAYLOAD_TOO_LARGE beyond `bytesMax`, with or without Content-Length (spec 8), once the client has
 * sent it or has paused for two seconds, or at once if it is announced as longer than 40 MiB;
 * 400 if the body is incomplete; 408 REQUEST_TIMEOUT if no byte arrives for a minute, if the body takes more
 * than five, or if it takes longer than the request's share of memory is leased while others wait for memory.
 */
export async function readBody(c: Context<AppEnv>, bytesMax: number): Promise<Uint8Array> {
  const { body } = c.req.raw
  if (!body) return new Uint8Array()
  const length = announcedLength(c)
  const hold = new Hold(c.get('exchange').kept.memory)
  try {
    const refuse = async (reader: Reader, read = 0) => {
      settleMemory(c, 0)
      await discard(hold, reader, DISCARDED_BYTES_MAX - read).catch(() => {})
      throw tooLarge(bytesMax)
    }
    if (length > DISCARDED_BYTES_MAX) throw tooLarge(bytesMax)
    if (length > bytesMax) return await read(body.getReader(), refuse)
    const bytes = await (Number.isNaN(length)
      ? read(body.getReader(), (reader) => readToEnd(hold, reader, { bytesMax, refuse }))
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
 * Reads what is left of a body that is too long, up to so many bytes: a client that is still sending may get a connection
 * reset instead of the response.
 */
async function discard(hold: Hold, reader: Reader, bytesMax: number): Promise<void> {
  let left = bytesMax
  while (left > 0) {
    const { done, value } = await nextOf(hold, reader, reader.read(), DISCARD_STALL_MS_MAX)
    if (done) return
    left -= value.length
  }
}

/** Without the lock somebody else may drain what is left of the body: `wrangler dev` does. */
async function read<Locked extends { releaseLock: () => void }, Result>(
  reader: Locked,
  work: (reader: Locked) => Promise<Result>,
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
  reader: Reader,
  { bytesMax, refuse }: { bytesMax: number; refuse: Refuse },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await nextOf(hold, reader, reader.read())
    if (done) return Buffer.concat(chunks, length)
    length += value.length
    if (length > bytesMax) {
      chunks.length = 0
      return await refuse(reader, length)
    }
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
  stallMs = STALL_MS_MAX,
): Promise<Read> {
  const { promise: lost, reject } = Promise.withResolvers<never>()
  hold.onLost = () => reject(tooSlow())
  if (hold.isLost) hold.onLost()
  const left = hold.ends_at - Date.now()
  try {
    if (left <= 0) throw tooLong()
    return await inTime(Promise.race([reading, lost]), Math.min(stallMs, left))
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
  return new ApiError('REQUEST_TIMEOUT', message, { reason: 'BODY_TOO_SLOW' })
}

function tooSlow(): ApiError {
  const message =
    'The body was still arriving after a minute, and other requests waited for its memory. Send the request again.'
  return new ApiError('REQUEST_TIMEOUT', message, { reason: 'BODY_TOO_SLOW' })
}

function tooLarge(bytesMax: number): ApiError {
  return new ApiError(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than ${bytesMax} bytes: send a smaller one.`,
    { reason: 'BODY_TOO_LARGE' },
  )
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof TimedOut) {
    const message = `No byte of the body arrived for ${STALL_MS_MAX / 1000} seconds. Send the request again.`
    return new ApiError('REQUEST_TIMEOUT', message, { reason: 'BODY_STALLED' })
  }
  return new ApiError(
    'VALIDATION_ERROR',
    'The body ended before all of it had arrived. Send the request again.',
    { reason: 'INCOMPLETE_BODY' },
  )
}
