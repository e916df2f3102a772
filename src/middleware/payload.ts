import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'
import { BODY_BYTES_MAX, isObject, VALUES_MAX } from '../fields.ts'
import { makeRoom } from './large-bodies.ts'

const DEPTH_MAX = 64

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]

const limitBody = bodyLimit({
  maxSize: BODY_BYTES_MAX,
  onError: () => {
    throw new ApiError('PAYLOAD_TOO_LARGE', `The body is larger than ${BODY_BYTES_MAX} bytes.`)
  },
})

/** 10 MiB to the byte, with or without Content-Length (spec 8). */
export const payloadLimit = createMiddleware<AppEnv>(async (c, next) => {
  const exchange = c.get('exchange')
  exchange.measured ??= Promise.resolve(limitBody(c, async () => undefined)).catch(brokenOff)
  await exchange.measured
  await next()
})

/** The request's JSON object; `{}` when there is no body. */
export async function readPayload(c: Context<AppEnv>): Promise<Record<string, unknown>> {
  const exchange = c.get('exchange')
  exchange.payload ??= parseBody(c)
  const value = await exchange.payload
  if (isObject(value)) return value
  throw new ApiError('VALIDATION_ERROR', 'The body must be a JSON object.')
}

async function parseBody(c: Context<AppEnv>): Promise<unknown> {
  refuseEncoding(c)
  const bytes = new Uint8Array(await c.req.raw.arrayBuffer().catch(brokenOff))
  if (bytes.length === 0) return {}
  await makeRoom(c, bytes.length)
  refuseMediaType(c)
  refuseShape(bytes)
  return parseJson(decode(bytes))
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

function refuseMediaType(c: Context<AppEnv>): void {
  const type = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (type && !/^application\/([\w.+-]+\+)?json$/.test(type)) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send JSON: Content-Type: application/json.')
  }
}

/**
 * Bounds depth and number of values before anything is parsed: 10 MB of `[{},{},...]` take 300 MB
 * as objects. Every value but the first follows a comma or an opening bracket.
 */
export function refuseShape(bytes: Uint8Array): void {
  let depth = 0
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === COMMA) values += 1
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth -= 1
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      depth += 1
      values += 1
      if (depth > DEPTH_MAX) throw tooComplex(`nested deeper than ${DEPTH_MAX} levels`)
    }
  }
  if (values > VALUES_MAX) throw tooComplex(`of more than ${VALUES_MAX} values`)
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

function tooComplex(what: string): ApiError {
  return new ApiError('VALIDATION_ERROR', `The body is ${what}.`)
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The body is not valid UTF-8.')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const place = error instanceof SyntaxError ? /line \d+ column \d+/.exec(error.message) : null
    const where = place ? ` (at ${place[0]})` : ''
    throw new ApiError('VALIDATION_ERROR', `The body is not valid JSON${where}.`)
  }
}
