import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../engine/env.ts'
import { ApiError } from '../engine/errors.ts'

// Cloudflare takes addresses of 16 KB, and headers of 128 KB in all.
const ADDRESS_LENGTH_MAX = 16 * 1024
const PARAMETERS_MAX = 100
const HEADER_LENGTH_MAX = 8 * 1024
/** Those that are taken apart. */
const HEADERS = ['Accept', 'Content-Type', 'Cookie', 'If-Match', 'If-None-Match', 'X-Read-After']

/**
 * Answers 400 VALIDATION_ERROR to a longer address or header before anything takes it apart: parsed, a parameter takes
 * up to a hundred times the bytes that send it.
 */
export const bounds = createMiddleware<AppEnv>(async function bounds(c, next) {
  const { url } = c.get('exchange')
  if (url.href.length > ADDRESS_LENGTH_MAX) {
    throw refused(`The address is longer than ${ADDRESS_LENGTH_MAX} characters`)
  }
  if (!hasFewParameters(url)) {
    throw refused(`The address has more than ${PARAMETERS_MAX} parameters`)
  }
  const long = HEADERS.find((name) => (c.req.header(name)?.length ?? 0) > HEADER_LENGTH_MAX)
  if (long) throw refused(`The header ${long} is longer than ${HEADER_LENGTH_MAX} characters`)
  await next()
})

/** Whether the address has so few parameters that it may be taken apart. */
export function hasFewParameters({ search }: URL): boolean {
  let at = 0
  for (let left = PARAMETERS_MAX; left > 0; left--) {
    at = search.indexOf('&', at + 1)
    if (at === -1) return true
  }
  return false
}

function refused(why: string): ApiError {
  return new ApiError('VALIDATION_ERROR', `${why}. Send a shorter request.`, {
    reason: 'REQUEST_TOO_LONG',
  })
}
