import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import { sign, verify } from 'hono/jwt'
import * as z from 'zod'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError, type ErrorCode } from '../../engine/errors.ts'
import { identify, identifyByKey } from '../../engine/exchange/identify.ts'
import { findSession } from '../../engine/exchange/look-up-limit.ts'
import { amongRefused } from '../../engine/exchange/memory.ts'
import { hashKey } from '../../engine/identity/key.ts'
import { findPersonCaller } from '../../engine/identity/look-up.ts'
import { mayReadDocuments } from '../../middleware/document-access.ts'
import { beginSession, endSession } from '../../settings/sessions/queries.ts'
import { areasOf, OPENING } from '../access.ts'
import type { Visitor } from './cloudflare-access.ts'

export const COOKIE = 'crossdock_session'
const SECONDS_MAX = 8 * 60 * 60
const SECRET_LENGTH_MIN = 32
const DEVICE_LENGTH_MAX = 300
const PLACE_LENGTH_MAX = 100
const ALGORITHM = 'HS256'

/**
 * The claims of the cookie, a JSON Web Token (RFC 7519). Its signature refuses forged ones without a look-up; `token` is
 * the random text whose hash the session's row has. It never holds the key's value.
 */
const Cookie = z.object({ tenant: z.string(), token: z.string(), exp: z.number() })

/**
 * Sets `caller` and `db` from the session cookie, as `authenticate` does from a key. When the session is ended, or the key
 * is revoked or expires, the session's next request is refused.
 */
export const requireSession = createMiddleware<AppEnv>(async function requireSession(c, next) {
  const session = await readSession(c)
  if (!session) throw new ApiError('KEY_MISSING', 'Sign in first.')
  await identifySession(c, session)
  requireAnyPage(c)
  c.get('db').countsWaiting = mayReadDocuments(c)
  await next()
  // A page without a database call has not confirmed yet that the key is still valid.
  const { db, caller } = c.var
  if (!c.error && !db.confirmed) await amongRefused(c, caller, () => db.confirm())
})

/** Begins a session of 8 hours. Throws 401 for a key that is not valid, 403 for one that opens no page. */
export async function signIn(c: Context<AppEnv>, value: string): Promise<void> {
  const secret = secretOf(c)
  await identifyByKey(c, value)
  await begin(c, secret)
}

/** The same for whom Access has let through. 403 SCOPE_MISSING if nobody of the tenant has the address. */
export async function signInVisitor(c: Context<AppEnv>, visitor: Visitor): Promise<void> {
  const secret = secretOf(c)
  const { tenant, email } = visitor
  await identify(c, tenant, async (sources) => {
    const found = await findPersonCaller(sources, tenant, email)
    if (!found.caller) throw unknownVisitor(visitor)
    return found
  })
  await begin(c, secret)
}

function unknownVisitor({ email, tenant }: Visitor): ApiError {
  const message = `Nobody with the e-mail address ${email} is among the people of ${tenant}. An owner can add you, under Settings, People.`
  return new ApiError('SCOPE_MISSING', message, { reason: 'KEY_LACKS_SCOPE' })
}

async function begin(c: Context<AppEnv>, secret: string): Promise<void> {
  requireAnyPage(c)
  const { db, caller } = c.var
  const exp = Math.floor(Date.now() / 1000) + SECONDS_MAX
  const token = crypto.randomUUID() + crypto.randomUUID()
  const session = {
    hash: await hashOf(caller.tenant, token),
    ends_at: new Date(exp * 1000).toISOString(),
    device: c.req.header('User-Agent')?.slice(0, DEVICE_LENGTH_MAX) ?? null,
    place: placeOf(c.req.raw),
  }
  await amongRefused(c, caller, () => beginSession(db, session))
  const cookie = await sign({ tenant: caller.tenant, token, exp }, secret, ALGORITHM)
  setCookie(c, COOKIE, cookie, { ...cookieOptions(c), maxAge: SECONDS_MAX })
  c.get('exchange').record_id = caller.key.id
}

/** Ends the session on the server first: a copy of its cookie opens nothing any more. The cookie stays where that fails. */
export async function signOut(c: Context<AppEnv>): Promise<void> {
  const cookie = await readSession(c)
  if (cookie) await endOwn(c, cookie)
  deleteCookie(c, COOKIE, cookieOptions(c))
}

async function endOwn(c: Context<AppEnv>, cookie: z.output<typeof Cookie>): Promise<void> {
  try {
    await identifySession(c, cookie)
    const { db, caller } = c.var
    if (caller.session) await endSession(db, caller.session.id)
  } catch (error) {
    // It has ended already, or its key has.
    const isOver = error instanceof ApiError && OVER.includes(error.code)
    if (!isOver) throw error
  }
}

const OVER: readonly ErrorCode[] = ['KEY_INVALID', 'KEY_EXPIRED', 'NOT_FOUND']

/** That of another tenant is another one, as with keys: callers are remembered by it. */
function hashOf(tenant: string, token: string): Promise<string> {
  return hashKey(`${tenant} ${token}`)
}

async function identifySession(c: Context<AppEnv>, { tenant, token }: z.output<typeof Cookie>) {
  const hash = await hashOf(tenant, token)
  await identify(c, tenant, (sources) => findSession(sources, { tenant, hash }))
}

/** Such as `Oslo, NO`, as Cloudflare tells it. */
function placeOf(request: Request): string | null {
  const { city, country } = (request.cf ?? {}) as { city?: unknown; country?: unknown }
  const known = [city, country].filter((part) => typeof part === 'string')
  return known.length > 0 ? known.join(', ').slice(0, PLACE_LENGTH_MAX) : null
}

function requireAnyPage(c: Context<AppEnv>): void {
  if (areasOf(c).length > 0) return
  const message = `This API key opens no page of the dashboard: it needs one of the scopes ${OPENING.join(', ')}.`
  throw new ApiError('SCOPE_MISSING', message, { reason: 'KEY_LACKS_SCOPE' })
}

async function readSession(c: Context<AppEnv>): Promise<z.output<typeof Cookie> | null> {
  const token = getCookie(c, COOKIE)
  if (!token) return null
  const payload = await verify(token, secretOf(c), ALGORITHM).catch(() => null)
  return Cookie.safeParse(payload).data ?? null
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
