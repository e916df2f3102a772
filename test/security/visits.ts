import { env } from 'cloudflare:workers'
import { sign } from 'hono/jwt'
import { beforeAll } from 'vitest'
import { pathAt } from '../fixtures/endpoints.ts'
import { newSession, withCookie } from '../fixtures/session.ts'
import { execute } from '../fixtures/sql.ts'
import { createKey, openTenant, unique } from '../fixtures/tenant.ts'

export const SHORT = 'x'.repeat(31)

export const PAST = '2026-01-01T00:00:00.000Z'

export const SECRET = (env as unknown as { SESSION_SECRET: string }).SESSION_SECRET

export const inAnHour = () => Math.floor(Date.now() / 1000) + 3600

export let session: { tenant: string; token: string; exp: number }

beforeAll(async () => {
  await openTenant('other')
  session = await newSession((await createKey(['settings.*'])).id)
})

export const at = (path: string) => pathAt(path, unique('id'))

export const cookie = async (payload: object, secret = SECRET) =>
  `crossdock_session=${await sign({ ...payload }, secret, 'HS256')}`

/** The cookie of a new session of this key. */
export const cookieFor = async (key_id: string) => cookie(await newSession(key_id))

/** As another isolate would: this one is not told. */
export const endKey = (id: string) =>
  execute('update api_keys set revoked_at = ? where id = ?', PAST, id)

export const visit = (method: string, path: string, sent: string | null) => {
  const dashboard = withCookie(sent)
  return method === 'GET' ? dashboard.get(path) : dashboard.post(path)
}
