import { gunzipSync, inflateSync } from 'node:zlib'
import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'
import { UNKNOWN_BODY_BYTES } from '../exchange/memory.ts'
import { malformed } from '../formats/malformed.ts'
import { BODY_BYTES_MAX } from '../json/fields.ts'
import { shortened } from '../json/messages.ts'
import { inTime, TimedOut } from '../limits/deadline.ts'
import { Arrival, tooLong } from './arrival.ts'

type Reader = ReadableStreamDefaultReader<Uint8Array>

const STALL_MS_MAX = 60_000
// What a client that sends all of its body before it reads the answer may send in vain.
const DISCARDED_BYTES_MAX = 4 * BODY_BYTES_MAX
const DISCARD_STALL_MS_MAX = 2000

/** Refuses a body of which so many bytes have been read. */
type Refuse = (reader: Reader, read: number) => Promise<never>

/**
 * The body as sent. 413 PAYLOAD_TOO_LARGE beyond `bytesMax`, with or without Content-Length (spec 8), once the client has
 * sent it or has paused for two seconds, or at once if it is announced as longer than 40 MiB;
 * 400 if the body is incomplete; 408 REQUEST_TIMEOUT if no byte arrives for a minute, if the body takes more
 * than five, or if it takes longer than the request's share of memory is leased while others wait for it.
 * 503 UNAVAILABLE if it gets no place, or no memory, when it has arrived or turns out to be large. With `unpacks` its
 * Content-Encoding is undone, and 413 is for what comes out.
 */
export async function readBody(
  c: Context<AppEnv>,
  bytesMax: number,
  { unpacks = false } = {},
): Promise<Uint8Array> {
  const { body } = c.req.raw
  if (!body) return new Uint8Array()
  const length = announcedLength(c)
  const arrival = new Arrival(c, length > bytesMax ? 0 : length)
  try {
    const refuse = async (reader: Reader, read = 0) => {
      arrival.discards()
      await discard(arrival, reader, DISCARDED_BYTES_MAX - read).catch(() => {})
      throw tooLarge(bytesMax)
    }
    if (length > DISCARDED_BYTES_MAX) throw tooLarge(bytesMax)
    if (length > bytesMax) return await read(body.getReader(), refuse)
    const sent = await (Number.isNaN(length)
      ? read(body.getReader(), (reader) => readToEnd(arrival, reader, { bytesMax, refuse }))
      : read(body.getReader({ mode: 'byob' }), (reader) => readAll(arrival, reader, length)))
    const coding = unpacks ? codingOf(c.req.header('Content-Encoding')) : null
    const bytes = coding ? await unpackWithin(arrival, sent, { coding, bytesMax }) : sent
    await arrival.end(bytes.length)
    return bytes
  } catch (error) {
    throw refusalOf(error)
  } finally {
    arrival.stop()
  }
}

/** Its size is known only afterwards. A small body is unpacked at once; a larger one waits for the memory of the largest. */
async function unpackWithin(
  arrival: Arrival,
  packed: Uint8Array,
  { coding, bytesMax }: { coding: Coding; bytesMax: number },
): Promise<Uint8Array> {
  const small = unpack(packed, coding, UNKNOWN_BODY_BYTES)
  if (small) return small
  await arrival.enlarge(bytesMax)
  const bytes = unpack(packed, coding, bytesMax)
  if (bytes) return bytes
  throw tooLarge(bytesMax, 'The unpacked body')
}

/** NaN without Content-Length. */
function announcedLength(c: Context<AppEnv>): number {
  return Number.parseInt(c.req.header('Content-Length') ?? '', 10)
}

/**
 * Reads what is left of a body that is too long, up to so many bytes: a client that is still sending may get a connection
 * reset instead of the response.
 */
async function discard(arrival: Arrival, reader: Reader, bytesMax: number): Promise<void> {
  let left = bytesMax
  while (left > 0) {
    const { done, value } = await nextOf(arrival, reader, reader.read(), DISCARD_STALL_MS_MAX)
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
  arrival: Arrival,
  reader: ReadableStreamBYOBReader,
  length: number,
): Promise<Uint8Array> {
  let bytes = new Uint8Array(length)
  let at = 0
  while (at < length) {
    const { done, value } = await nextOf(arrival, reader, reader.read(bytes.subarray(at)))
    if (done) throw new Error('fewer bytes than announced')
    at += value.length
    bytes = new Uint8Array(value.buffer)
  }
  return bytes
}

async function readToEnd(
  arrival: Arrival,
  reader: Reader,
  { bytesMax, refuse }: { bytesMax: number; refuse: Refuse },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await nextOf(arrival, reader, reader.read())
    if (done) return Buffer.concat(chunks, length)
    length += value.length
    if (length > bytesMax) {
      chunks.length = 0
      return await refuse(reader, length)
    }
    chunks.push(value)
    if (arrival.needsMore(length)) await arrival.enlarge(bytesMax)
  }
}

/** The result of the next read; cancels the body if nothing arrives in time, or if the share is lost. */
async function nextOf<Read>(
  arrival: Arrival,
  reader: { cancel: () => Promise<void> },
  reading: Promise<Read>,
  stallMs = STALL_MS_MAX,
): Promise<Read> {
  const left = arrival.ends_at - Date.now()
  try {
    if (left <= 0) throw tooLong()
    return await inTime(arrival.unlessLost(reading), Math.min(stallMs, left))
  } catch (error) {
    reader.cancel().catch(() => {})
    throw error instanceof TimedOut && Date.now() >= arrival.ends_at ? tooLong() : error
  }
}

function tooLarge(bytesMax: number, what = 'The body'): ApiError {
  return new ApiError(
    'PAYLOAD_TOO_LARGE',
    `${what} is larger than ${bytesMax} bytes: send a smaller one.`,
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

/** By the codings of a body (RFC 9110, 8.4.1). */
const UNPACKED = { gzip: gunzipSync, 'x-gzip': gunzipSync, deflate: inflateSync }
type Coding = keyof typeof UNPACKED

const GZIP_BEGINS = [0x1f, 0x8b]

/** The coding that a Content-Encoding names; null for none. 415 for one that is not read, or for several. */
function codingOf(contentEncoding: string | undefined): Coding | null {
  const name = contentEncoding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return null
  if (Object.hasOwn(UNPACKED, name)) return name as Coding
  const message = `Send the body with Content-Encoding: gzip or deflate, or without it, not with ${shortened(name)}.`
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', message, { reason: 'COMPRESSED_BODY' })
}

/** The bytes unpacked; null if there are more than `bytesMax`, of which it makes no more. 400 if they cannot be unpacked. */
function unpack(packed: Uint8Array, coding: Coding, bytesMax: number): Uint8Array | null {
  try {
    const bytes = UNPACKED[coding](packed, { maxOutputLength: bytesMax })
    if (!GZIP_BEGINS.every((byte, at) => bytes[at] === byte)) return bytes
  } catch (error) {
    if (error instanceof RangeError) return null
    throw malformed(
      `The body is not ${coding}, as its Content-Encoding says, or is not complete. Send the request again.`,
    )
  }
  throw malformed('The body is packed twice. Pack it once.')
}
