import { csrf } from 'hono/csrf'
import { createMiddleware } from 'hono/factory'
import { secureHeaders } from 'hono/secure-headers'
import type { AppEnv } from '../engine/env.ts'
import { ApiError } from '../engine/errors.ts'

const SELF = ["'self'"]
const NONE = ["'none'"]

/** Pages load only our own files, run nothing inline, and cannot be framed. */
export const pageHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: NONE,
    scriptSrc: SELF,
    styleSrc: SELF,
    // The style sheet has icons as data URLs.
    imgSrc: ["'self'", 'data:'],
    connectSrc: SELF,
    formAction: SELF,
    frameAncestors: NONE,
    baseUri: NONE,
  },
  // The exchange sets it, for the API as well.
  strictTransportSecurity: false,
  referrerPolicy: 'same-origin',
  xFrameOptions: 'DENY',
})

const sentFromHere = csrf()

/** Answers 403 to a form that another site sends. */
export const sameOrigin = createMiddleware<AppEnv>(async function sameOrigin(c, next) {
  await sentFromHere(c, async () => {}).catch(() => {
    throw new ApiError('CROSS_ORIGIN', 'This form was sent from another site.')
  })
  await next()
})
