import { Buffer } from 'node:buffer'

const ANY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TIMED = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** A UUID of version 7 (RFC 9562): the time in ms since 1970, then 74 random bits. */
export function newRequestId(time: number): string {
  const bytes = crypto.getRandomValues(Buffer.alloc(16))
  bytes.writeUIntBE(time, 0, 6)
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
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
  return `${newRequestId(time).slice(0, 13)}~`
}
