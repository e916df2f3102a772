import type { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { methodNotAllowed } from 'hono/method-not-allowed'
import type { AppEnv } from '../engine/env.ts'
import { ApiError } from '../engine/errors.ts'
import { RESOURCES } from '../engine/mapping/identifier.ts'

/** Redirects a path without its trailing slash with 308, so that the client sends the body again. */
export const trailingSlash = createMiddleware<AppEnv>(async function trailingSlash(c, next) {
  const { url } = c.get('exchange')
  if (url.pathname.endsWith('/')) return next()
  return c.redirect(`${url.pathname}/${url.search}`, 308)
})

/** 404 for a path without a route. */
export const unknownPath = createMiddleware<AppEnv>(async function unknownPath(c, next) {
  await next()
  if (c.res.status === 404 && !c.error) {
    const message = `This path does not exist: ${adviceOn(c.get('exchange').url.pathname)}.`
    throw new ApiError('NOT_FOUND', message, { reason: 'UNKNOWN_PATH' })
  }
})

const OF_MAPPING = /\/partners\/[^/]+\/mappings\/([^/]+)\//

function adviceOn(path: string): string {
  const [, resource] = OF_MAPPING.exec(path) ?? []
  const isUnknown = resource !== undefined && !RESOURCES.some((name) => name === resource)
  return isUnknown
    ? `the resource of a mapping is one of ${RESOURCES.join(', ')}`
    : 'check its spelling'
}

/** 405, with `Allow`, for a path whose routes have other methods. */
export function wrongMethod(app: Hono<AppEnv>) {
  return methodNotAllowed({
    app,
    onMethodNotAllowed: (_, allow) => {
      const message = `This path accepts only ${allow.join(', ')}.`
      throw new ApiError('METHOD_NOT_ALLOWED', message, { allow })
    },
  })
}
