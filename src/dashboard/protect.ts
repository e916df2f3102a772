import { csrf } from 'hono/csrf'
import { createMiddleware } from 'hono/factory'
import { secureHeaders } from 'hono/secure-headers'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'

const SELF = ["'self'"]
const NONE = ["'none'"]

/** Everything comes from here, nothing is inline; nobody frames the pages. */
export const pageHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: NONE,
    scriptSrc: SELF,
    styleSrc: SELF,
    // The style sheet's own icons.
    imgSrc: ["'self'", 'data:'],
    connectSrc: SELF,
    formAction: SELF,
    frameAncestors: NONE,
    baseUri: NONE,
  },
  referrerPolicy: 'same-origin',
  xFrameOptions: 'DENY',
})

const sentFromHere = csrf()

/** 403 for a form that another site has sent. */
export const sameOrigin = createMiddleware<AppEnv>(async (c, next) => {
  await sentFromHere(c, async () => {}).catch(() => {
    throw new ApiError('CROSS_ORIGIN', 'This form was sent from another site.')
  })
  await next()
})
