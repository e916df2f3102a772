import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../engine/env.ts'
import { ApiError, keyInvalid, keyMissing } from '../engine/errors.ts'
import { actingIn } from '../engine/exchange/acting.ts'
import { identifyActing, identifyByKey } from '../engine/exchange/identify.ts'
import { beginsAs } from '../engine/identity/key.ts'

/**
 * Turns `X-API-Key` into `caller` and `db` (spec 5). Checks the key's form and checksum before any
 * I/O. Nothing but the tenant in the key chooses the database.
 */
export const authenticate = createMiddleware<AppEnv>(async function authenticate(c, next) {
  const acting = actingIn(c)
  if (acting) {
    await identifyActing(c, acting)
    return await next()
  }
  const value = c.req.header('X-API-Key')
  if (!value?.trim()) {
    throw keyMissing()
  }
  await identifyByKey(c, value).catch((error: unknown) => {
    const isInvalid = error instanceof ApiError && error.code === 'KEY_INVALID'
    throw isInvalid && beginsAs('xh', value.trim()) ? keyInvalid(ADDRESS_SENT) : error
  })
  await next()
})

const ADDRESS_SENT =
  ' What was sent is the address of a webhook: documents are posted to it, without this header. The API takes an API key.'
