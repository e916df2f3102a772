import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import { sign, verify } from 'hono/jwt'
import * as z from 'zod'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError } from '../../engine/errors.ts'
import { identify, identifyByKey } from '../../engine/exchange/identify.ts'
import { amongRefused } from '../../engine/exchange/memory.ts'
import { findCallerById } from '../../engine/identity/look-up.ts'
import { mayReadDocuments } from '../../middleware/document-access.ts'
import { areasOf, OPENING } from '../access.ts'

export const COOKIE = 'crossdock_session'
const SECONDS_MAX = 8 * 60 * 60
const SECRET_LENGTH_MIN = 32
const ALGORITHM = 'HS256'

/** The claims of the cookie, a JSON Web Token (RFC 7519). It never holds the key's value. */
const Session = z.object({ tenant: z.string(), key_id: z.string(), exp: z.number() })

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
  c.get('db').countsWaiting = mayReadDocuments(c)
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
  if (areasOf(c).length > 0) return
  const message = `This API key opens no page of the dashboard: it needs one of the scopes ${OPENING.join(', ')}.`
  throw new ApiError('SCOPE_MISSING', message, { reason: 'KEY_LACKS_SCOPE' })
}

async function readSession(c: Context<AppEnv>): Promise<z.output<typeof Session> | null> {
  const token = getCookie(c, COOKIE)
  if (!token) return null
  const payload = await verify(token, secretOf(c), ALGORITHM).catch(() => null)
  return Session.safeParse(payload).data ?? null
}

function secretOf(c: Context<AppEnv>): string {
  const { SESSION_SECRET: secret = '' } = c.env
  if (secret.length >= SECRET_LENGTH_MIN) return secret
  const message = `The dashboard is not set up: it needs the secret SESSION_SECRET, of at least ${SECRET_LENGTH_MIN} characters.`
  throw new ApiError('UNAVAILABLE', message, { retryAfter: 60, reason: 'NOT_SET_UP' })
}

/** `Secure` only over HTTPS: a browser drops a `Secure` cookie from a local HTTP server. */
function cookieOptions(c: Context<AppEnv>) {
  const secure = c.get('exchange').url.protocol === 'https:'
  return { path: '/dashboard/', httpOnly: true, sameSite: 'Strict', secure } as const
}
