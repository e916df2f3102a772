import type { Context } from 'hono'
import { deleteCookie, setCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import { sign } from 'hono/jwt'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError } from '../../engine/errors.ts'
import { identify, identifyByKey } from '../../engine/exchange/identify.ts'
import { amongRefused } from '../../engine/exchange/memory.ts'
import { findCallerById } from '../../engine/identity/look-up.ts'
import { may, OPENING } from '../access.ts'
import { ALGORITHM, COOKIE, cookieOptions, readSession, SECONDS_MAX, secretOf } from './cookie.ts'

/**
 * Sets `caller` and `db` from the session cookie, as `authenticate` does from a key. When the key is revoked
 * or expires, the session's next request is refused.
 */
export const requireSession = createMiddleware<AppEnv>(async function requireSession(c, next) {
  const session = await readSession(c)
  if (!session) throw new ApiError('KEY_MISSING', 'Sign in first.')
  const { tenant, key_id } = session
  await identify(c, tenant, (sources) => findCallerById(sources, tenant, key_id))
  requireAnyPage(c)
  await next()
  // A page without a database call has not confirmed yet that the key is still valid.
  const { db, caller } = c.var
  if (!c.error && !db.confirmed) await amongRefused(c, caller, () => db.confirm())
})

/** Starts a session of 8 hours. Throws 401 for a key that is not valid, 403 for one that opens no page. */
export async function signIn(c: Context<AppEnv>, value: string): Promise<void> {
  const secret = secretOf(c)
  await identifyByKey(c, value)
  requireAnyPage(c)
  const { db, caller } = c.var
  await amongRefused(c, caller, () => db.confirm())
  const { tenant, key: apiKey } = caller
  const exp = Math.floor(Date.now() / 1000) + SECONDS_MAX
  const token = await sign({ tenant, key_id: apiKey.id, exp }, secret, ALGORITHM)
  setCookie(c, COOKIE, token, { ...cookieOptions(c), maxAge: SECONDS_MAX })
  c.get('exchange').record_id = apiKey.id
}

export function signOut(c: Context<AppEnv>): void {
  deleteCookie(c, COOKIE, cookieOptions(c))
}

function requireAnyPage(c: Context<AppEnv>): void {
  if (OPENING.some((scope) => may(c, scope))) return
  const message = `This API key opens no page of the dashboard: it needs one of the scopes ${OPENING.join(', ')}.`
  throw new ApiError('SCOPE_MISSING', message, { reason: 'KEY_LACKS_SCOPE' })
}
