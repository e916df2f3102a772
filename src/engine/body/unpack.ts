import { gunzipSync, inflateSync } from 'node:zlib'
import { ApiError } from '../errors.ts'
import { malformed } from '../formats/malformed.ts'
import { shortened } from '../json/messages.ts'

/** By the codings of a body (RFC 9110, 8.4.1). */
const UNPACKED = { gzip: gunzipSync, 'x-gzip': gunzipSync, deflate: inflateSync }
export type Coding = keyof typeof UNPACKED

const GZIP_BEGINS = [0x1f, 0x8b]

/** The coding that a Content-Encoding names; null for none. 415 for one that is not read, or for several. */
export function codingOf(contentEncoding: string | undefined): Coding | null {
  const name = contentEncoding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return null
  if (Object.hasOwn(UNPACKED, name)) return name as Coding
  const message = `Send the body with Content-Encoding: gzip or deflate, or without it, not with ${shortened(name)}.`
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', message, { reason: 'COMPRESSED_BODY' })
}

/** The bytes unpacked; null if there are more than `bytesMax`, of which it makes no more. 400 if they cannot be unpacked. */
export function unpack(packed: Uint8Array, coding: Coding, bytesMax: number): Uint8Array | null {
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
