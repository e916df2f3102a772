import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'
import { BODY_BYTES_MAX, isObject } from '../fields.ts'
import { parseJson } from './json.ts'
import { makeRoom } from './large-bodies.ts'

const SIGN_IN_BYTES_MAX = 16 * 1024
const UTF_8 = ['utf-8', 'utf8', 'us-ascii', 'ascii']
const CHARSET_LENGTH_MAX = 40

/** 10 MiB to the byte, with or without Content-Length (spec 8). */
export const payloadLimit = upTo(BODY_BYTES_MAX)

/** Of a form that anybody may send, key or no key. */
export const signInLimit = upTo(SIGN_IN_BYTES_MAX)

function upTo(maxSize: number) {
  const limit = bodyLimit({
    maxSize,
    onError: async (c) => {
      await discard(c, 2 * maxSize)
      throw new ApiError('PAYLOAD_TOO_LARGE', `The body is larger than ${maxSize} bytes.`)
    },
  })
  return createMiddleware<AppEnv>(async function limitBody(c, next) {
    // Theirs is read by nobody, and cannot be handed on.
    if (['GET', 'HEAD'].includes(c.req.method)) return next()
    const exchange = c.get('exchange')
    exchange.measured ??= Promise.resolve(limit(c, async () => undefined)).catch(brokenOff)
    await exchange.measured
    await next()
  })
}

/**
 * Takes in a body that is a little too long, unread: a client that is still sending when it is
 * answered may find its connection reset, and no answer.
 */
async function discard(c: Context, bytesMax: number): Promise<void> {
  const { body } = c.req.raw
  if (!body || body.locked || Number(c.req.header('Content-Length')) > bytesMax) return
  await body.pipeTo(new WritableStream())
}

/** The request's JSON object; `{}` when there is no body. */
export async function readPayload(c: Context<AppEnv>): Promise<Record<string, unknown>> {
  const exchange = c.get('exchange')
  exchange.payload ??= parseBody(c)
  const value = await exchange.payload
  if (isObject(value)) return value
  throw new ApiError('VALIDATION_ERROR', 'The body must be a JSON object.')
}

async function parseBody(c: Context<AppEnv>): Promise<unknown> {
  const bytes = new Uint8Array(await c.req.raw.arrayBuffer().catch(brokenOff))
  if (bytes.length === 0) return {}
  refuseEncoding(c)
  refuseMediaType(c)
  await makeRoom(c, bytes.length)
  return parseJson(bytes)
}

/** The client went away, or sent less than it had said: its fault, and it may never read this. */
function brokenOff(error: unknown): never {
  if (error instanceof ApiError) throw error
  throw new ApiError('VALIDATION_ERROR', 'The body broke off before its end.')
}

function refuseEncoding(c: Context<AppEnv>): void {
  const encoding = c.req.header('Content-Encoding')?.trim().toLowerCase()
  if (encoding && encoding !== 'identity') {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without Content-Encoding.')
  }
}

/** A comma outside of quotes: the header was sent twice. */
function refuseMediaType(c: Context<AppEnv>): void {
  const header = c.req.header('Content-Type')?.trim() ?? ''
  const [type = '', ...parameters] = header.toLowerCase().split(';')
  const isTwice = header.replace(/"[^"]*"/g, '').includes(',')
  if (isTwice) throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send one Content-Type, not two.')
  if (header && !/^application\/([\w.+-]+\+)?json$/.test(type.trim())) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send JSON: Content-Type: application/json.')
  }
  for (const parameter of parameters) refuseCharset(parameter.trim())
}

/** RFC 8259, 8.1: JSON is in UTF-8, of which US-ASCII is a part. */
function refuseCharset(parameter: string): void {
  const [, charset] = /^charset\s*=\s*"?([^"]*)"?$/.exec(parameter) ?? []
  if (!charset || UTF_8.includes(charset.trim())) return
  const message = `Send JSON in UTF-8, not in ${charset.slice(0, CHARSET_LENGTH_MAX)}.`
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', message)
}
