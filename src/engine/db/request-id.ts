import { Buffer } from 'node:buffer'

const ANY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TIMED = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const COUNTER_MAX = 0xfff
/** The counter begins below this, so that a millisecond has room for 2,048 ids and more. */
const COUNTER_BEGIN = 0x800

let last = { time: -1, counter: 0 }

/**
 * A UUID of version 7 (RFC 9562): the time in ms since 1970, a counter of 12 bits, then 62 random bits. The counter begins
 * at random in each ms, so ids of one isolate are in the order in which it made them (RFC 9562, 6.2, method 1).
 */
export function newRequestId(time: number): string {
  const bytes = crypto.getRandomValues(Buffer.alloc(16))
  const counter =
    time === last.time
      ? Math.min(last.counter + 1, COUNTER_MAX)
      : bytes.readUInt16BE(6) % COUNTER_BEGIN
  last = { time, counter }
  bytes.writeUIntBE(time, 0, 6)
  bytes.writeUInt16BE(0x7000 | counter, 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return textOf(bytes)
}

function textOf(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-')
}

/** Whether a request may have this id: a UUID of any version, since some tell no time. */
export function isRequestId(text: string): boolean {
  return ANY.test(text)
}

/** The `created_at` of the request with this id; null if the id does not tell it. */
export function createdAtOf(id: string): string | null {
  const [, high, low] = TIMED.exec(id) ?? []
  return high && low ? new Date(Number.parseInt(high + low, 16)).toISOString() : null
}

/** Ids that tell a time after this one are greater, as text. */
export function lastIdAt(time: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(time, 0, 6)
  return `${textOf(bytes).slice(0, 13)}~`
}
