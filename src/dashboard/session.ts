import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import { sign, verify } from 'hono/jwt'
import * as z from 'zod'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'
import { findCaller, findCallerById } from '../identity/caller.ts'
import { parseKey } from '../identity/key.ts'
import { identify } from '../middleware/authenticate.ts'
import { covers } from '../scopes.ts'

const COOKIE = 'crossdock_session'
const SECONDS_MAX = 8 * 60 * 60
const SECRET_LENGTH_MIN = 32
const ALGORITHM = 'HS256'

/** What the cookie says: who, never the key itself. A JSON Web Token (RFC 7519). */
const Session = z.object({ tenant: z.string(), key_id: z.string(), exp: z.number() })

/**
 * From the cookie to `caller` and `db`, as `authenticate` does it from a key: a session ends with
 * its key, at the very next request.
 */
export const requireSession = createMiddleware<AppEnv>(async (c, next) => {
  const session = await readSession(c)
  if (!session) throw new ApiError('KEY_MISSING', 'Sign in first.')
  const { tenant, key_id } = session
  await identify(c, tenant, (sources) => findCallerById(sources, tenant, key_id))
  requireRead(c)
  await next()
  // A page that needs nothing of the tenant's has not asked whether the key is still good.
  if (!c.error && !c.get('db').confirmed) await c.get('db').confirm()
})

/** Opens a session of 8 hours for the key. 401 for a key that opens nothing, 403 without its scope. */
export async function signIn(c: Context<AppEnv>, value: string): Promise<void> {
  const secret = secretOf(c)
  const key = await parseKey(value)
  if (!key) throw new ApiError('KEY_INVALID', 'Invalid API key.')
  await identify(c, key.tenant, (sources) => findCaller(sources, key))
  requireRead(c)
  await c.get('db').confirm()
  const { tenant, key: apiKey } = c.get('caller')
  const exp = Math.floor(Date.now() / 1000) + SECONDS_MAX
  const token = await sign({ tenant, key_id: apiKey.id, exp }, secret, ALGORITHM)
  setCookie(c, COOKIE, token, { ...cookieOptions(c), maxAge: SECONDS_MAX })
  c.get('exchange').record_id = apiKey.id
}

export function signOut(c: Context<AppEnv>): void {
  deleteCookie(c, COOKIE, cookieOptions(c))
}

async function readSession(c: Context<AppEnv>): Promise<z.output<typeof Session> | null> {
  const token = getCookie(c, COOKIE)
  if (!token) return null
  const payload = await verify(token, secretOf(c), ALGORITHM).catch(() => null)
  return Session.safeParse(payload).data ?? null
}

function requireRead(c: Context<AppEnv>): void {
  if (covers(c.get('caller').key.scopes, 'settings.read')) return
  throw new ApiError('SCOPE_MISSING', 'This API key lacks the scope settings.read.')
}

function secretOf(c: Context<AppEnv>): string {
  const { SESSION_SECRET: secret = '' } = c.env
  if (secret.length >= SECRET_LENGTH_MIN) return secret
  const message = `The dashboard is not set up here: it wants the secret SESSION_SECRET, of at least ${SECRET_LENGTH_MIN} characters.`
  throw new ApiError('UNAVAILABLE', message, { retryAfter: 60 })
}

/** `Secure` wherever there is TLS: a browser drops such a cookie of a local plain server. */
function cookieOptions(c: Context<AppEnv>) {
  const secure = c.get('exchange').url.protocol === 'https:'
  return { path: '/dashboard/', httpOnly: true, sameSite: 'Strict', secure } as const
}
