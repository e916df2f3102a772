import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import { verify } from 'hono/jwt'
import * as z from 'zod'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError } from '../../engine/errors.ts'

export const COOKIE = 'crossdock_session'
export const SECONDS_MAX = 8 * 60 * 60
const SECRET_LENGTH_MIN = 32
export const ALGORITHM = 'HS256'

/** The claims of the cookie, a JSON Web Token (RFC 7519). It never holds the key's value. */
const Session = z.object({ tenant: z.string(), key_id: z.string(), exp: z.number() })

export async function readSession(c: Context<AppEnv>): Promise<z.output<typeof Session> | null> {
  const token = getCookie(c, COOKIE)
  if (!token) return null
  const payload = await verify(token, secretOf(c), ALGORITHM).catch(() => null)
  return Session.safeParse(payload).data ?? null
}

export function secretOf(c: Context<AppEnv>): string {
  const { SESSION_SECRET: secret = '' } = c.env
  if (secret.length >= SECRET_LENGTH_MIN) return secret
  const message = `The dashboard is not set up: it needs the secret SESSION_SECRET, of at least ${SECRET_LENGTH_MIN} characters.`
  throw new ApiError('UNAVAILABLE', message, { retryAfter: 60, reason: 'NOT_SET_UP' })
}

/** `Secure` only over HTTPS: a browser drops a `Secure` cookie from a local HTTP server. */
export function cookieOptions(c: Context<AppEnv>) {
  const secure = c.get('exchange').url.protocol === 'https:'
  return { path: '/dashboard/', httpOnly: true, sameSite: 'Strict', secure } as const
}
