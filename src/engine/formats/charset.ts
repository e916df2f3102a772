import { ApiError } from '../errors.ts'
import { shortened } from '../json/messages.ts'
import { malformed } from './malformed.ts'

const UTF_8 = 'utf-8'

/** By the names that senders use (WHATWG Encoding, 4.2), which are in lower case here. */
const CHARSETS = {
  'utf-8': UTF_8,
  utf8: UTF_8,
  'us-ascii': UTF_8,
  ascii: UTF_8,
  'windows-1252': 'windows-1252',
  'cp-1252': 'windows-1252',
  cp1252: 'windows-1252',
  'iso-8859-1': 'windows-1252',
  latin1: 'windows-1252',
  'iso-8859-15': 'iso-8859-15',
  'windows-1250': 'windows-1250',
  'iso-8859-2': 'iso-8859-2',
  'utf-16': 'utf-16le',
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
} as const
export type CharsetName = keyof typeof CHARSETS
export const CHARSET_NAMES = Object.keys(CHARSETS) as CharsetName[]

/** The `charset` of a Content-Type, or else `usual`. 415 for one that nobody can read here. */
export function charsetOf(contentType: string, usual = UTF_8): string {
  const [, quoted, plain = ''] =
    /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(contentType) ?? []
  const name = (quoted ?? plain).trim() || usual
  const known = CHARSET_NAMES.find((one) => one === name.toLowerCase())
  if (known) return CHARSETS[known]
  const message = `Send the body in UTF-8, not in ${shortened(name)}. Also read are windows-1250, windows-1252, iso-8859-1, iso-8859-2, iso-8859-15 and utf-16.`
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', message, { reason: 'OTHER_MEDIA_TYPE' })
}

/** The text of the bytes, without a byte order mark. 400 if they are not of the charset. */
export function decoded(bytes: Uint8Array, charset: string): string {
  return decoderOf(charset)(bytes)
}

/** As `decoded`, for many texts. */
export function decoderOf(charset: string): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder(charset, { fatal: true, ignoreBOM: false })
  return (bytes) => {
    try {
      return decoder.decode(bytes)
    } catch {
      throw malformed(
        `The body is not in ${charset}. Name its charset in the Content-Type, such as "charset=windows-1252".`,
      )
    }
  }
}
