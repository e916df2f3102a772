import type { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { methodNotAllowed } from 'hono/method-not-allowed'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'

/** A path without its trailing slash: 308 to the path with it, so that a body is sent again. */
export const trailingSlash = createMiddleware<AppEnv>(async (c, next) => {
  const { url } = c.get('exchange')
  if (url.pathname.endsWith('/')) return next()
  return c.redirect(`${url.pathname}/${url.search}`, 308)
})

/** 404 for a path that no route answers. */
export const unknownPath = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  if (c.res.status === 404 && !c.error) {
    throw new ApiError('NOT_FOUND', 'There is nothing at this path.')
  }
})

/** 405, with `Allow`, for a path that answers other methods. */
export function wrongMethod(app: Hono<AppEnv>) {
  return methodNotAllowed({
    app,
    onMethodNotAllowed: (_, allow) => {
      const message = `This path answers ${allow.join(', ')}.`
      throw new ApiError('METHOD_NOT_ALLOWED', message, { allow })
    },
  })
}
