import type { Context } from 'hono'
import type { AppEnv, Payload } from '../env.ts'
import { ApiError } from '../errors.ts'
import { holdBody, planDocument } from '../exchange/documents.ts'
import { isLarge, takeLargeWork } from '../exchange/memory.ts'
import { type DocumentOptions, isOtherFormat, OTHER_TYPES } from '../formats/format.ts'
import { BODY_BYTES_MAX } from '../json/fields.ts'
import { isObject } from '../json/json-object.ts'
import { readBody } from './body.ts'
import { parseInTurn } from './parse-in-turn.ts'

const UTF_8 = ['utf-8', 'utf8', 'us-ascii', 'ascii']
const CHARSET_LENGTH_MAX = 40

const JSON_TYPE = /^(?:application\/(?:(?:[\w.+-]+\+)?json|json-rpc)|text\/json)$/
const WHITE_SPACE = [0x20, 0x09, 0x0a, 0x0d]
const [OPEN_BRACE, OPEN_BRACKET] = [0x7b, 0x5b]

interface PayloadOptions extends DocumentOptions {
  /** A mapping reads the document: it may enlarge it, and the document need not be JSON. */
  isMapped?: boolean
}

/** The request's JSON object, as `readPayload` reads it. 400 for any other value. */
export async function readJsonObject(c: Context<AppEnv>, options: PayloadOptions = {}) {
  const { value, ...rest } = await readPayload(c, options)
  if (isObject(value)) return { value, ...rest }
  throw new ApiError('VALIDATION_ERROR', 'The body must be a JSON object.', {
    reason: 'NOT_AN_OBJECT',
  })
}

/**
 * The request's body as JSON, and its size in bytes; `{}` without a body. A large body waits for a share of large
 * work. With `isMapped`, that share is the largest, and the body may be XML, CSV or a form.
 */
export async function readPayload(
  c: Context<AppEnv>,
  options: PayloadOptions = {},
): Promise<Payload> {
  const { kept } = c.get('exchange')
  kept.payload ??= parseBody(c, options)
  const payload = await kept.payload
  planDocument(c)
  return payload
}

/** The body as sent, which is parsed afterwards. */
export async function readBytes(c: Context<AppEnv>): Promise<Uint8Array> {
  const { kept } = c.get('exchange')
  kept.bytes ??= readBody(c, BODY_BYTES_MAX)
  return await kept.bytes
}

/** As `readBytes`, unpacked: a signature is that of these bytes. */
export async function readUnpacked(c: Context<AppEnv>): Promise<Uint8Array> {
  const { kept } = c.get('exchange')
  kept.bytes ??= readBody(c, BODY_BYTES_MAX, { unpacks: true })
  return await kept.bytes
}

async function parseBody(
  c: Context<AppEnv>,
  { isMapped = false, ...options }: PayloadOptions,
): Promise<Payload> {
  const { kept } = c.get('exchange')
  const isUnpacked = isMapped || kept.bytes !== null
  const bytes = await (kept.bytes ?? readBody(c, BODY_BYTES_MAX, { unpacks: isMapped }))
  const { length } = bytes
  holdBody(c, bytes)
  const isOther = isMapped && isOtherFormat(c.req.header('Content-Type') ?? null)
  if (length === 0 && !isOther) return { value: {}, bytes: length, hasExactNumbers: false }
  if (!isUnpacked) refuseEncoding(c)
  const contentType = oneContentType(c)
  if (!isOther) refuseMediaType(contentType, bytes, isMapped ? TYPES_MAPPED : TYPE_PLAIN)
  if (isLarge(length)) await takeLargeWork(c, isMapped ? BODY_BYTES_MAX : length)
  const parsed = await parseInTurn(c.get('db').pace, bytes, contentType, options)
  return { ...parsed, bytes: length }
}

/** 415 for a body with a Content-Encoding. */
export function refuseEncoding(c: Context<AppEnv>): void {
  const encoding = c.req.header('Content-Encoding')?.trim().toLowerCase()
  if (encoding && encoding !== 'identity') {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without Content-Encoding.', {
      reason: 'COMPRESSED_BODY',
    })
  }
}

/** A comma outside quotes means that the header was sent twice. */
function oneContentType(c: Context<AppEnv>): string {
  const header = c.req.header('Content-Type')?.trim() ?? ''
  if (!header.replace(/"[^"]*"/g, '').includes(',')) return header
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send one Content-Type, not two.', {
    reason: 'OTHER_MEDIA_TYPE',
  })
}

const TYPE_PLAIN = 'Send JSON: Content-Type: application/json.'
const TYPES_MAPPED = `Send JSON, XML, CSV or a form: Content-Type: application/json, ${OTHER_TYPES.join(', ')}.`

/** Text may be JSON: webhooks and browsers send it so. */
function refuseMediaType(header: string, bytes: Uint8Array, advice: string): void {
  const [type = '', ...parameters] = header.toLowerCase().split(';')
  const isJson = !header || JSON_TYPE.test(type.trim())
  if (!isJson && !(type.trim() === 'text/plain' && isStructure(bytes))) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', advice, { reason: 'OTHER_MEDIA_TYPE' })
  }
  for (const parameter of parameters) refuseCharset(parameter.trim())
}

/** Whether an object or an array begins. */
function isStructure(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => !WHITE_SPACE.includes(byte))
  return first === OPEN_BRACE || first === OPEN_BRACKET
}

/** JSON is UTF-8 (RFC 8259, 8.1). US-ASCII is a subset of it. */
function refuseCharset(parameter: string): void {
  const [, charset] = /^charset\s*=\s*"?([^"]*)"?$/.exec(parameter) ?? []
  if (!charset || UTF_8.includes(charset.trim())) return
  const message = `Send JSON in UTF-8, not in ${charset.slice(0, CHARSET_LENGTH_MAX)}.`
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', message, { reason: 'OTHER_MEDIA_TYPE' })
}
