import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../engine/env.ts'
import { httpsRequired } from '../engine/errors.ts'
import { noteAttempt } from '../engine/exchange/identify.ts'
import { isPlainHttp, overHttps } from '../engine/identity/https.ts'
import { type KeyPrefix, parseKey } from '../engine/identity/key.ts'
import { tokenIn } from '../engine/identity/webhook-address.ts'

/**
 * Over plain HTTP pages lead to HTTPS. A request to the API or to the address of a webhook is 403, since a redirect would
 * hide that its key went over the wire: the key's tenant counts it.
 */
export const requireHttps = createMiddleware<AppEnv>(async function requireHttps(c, next) {
  const { url, path } = c.get('exchange')
  if (!isPlainHttp(url)) return next()
  const isDelivery = path.startsWith('/webhooks/')
  if (!isDelivery && !path.startsWith('/api/')) return c.redirect(overHttps(url), 308)
  const value = (isDelivery ? tokenIn(url) : c.req.header('X-API-Key')) ?? ''
  const prefix: KeyPrefix = isDelivery ? 'xh' : 'xd'
  const key = await parseKey(value, prefix)
  if (key) noteAttempt(c, value, key.tenant, 'plain_http')
  throw httpsRequired()
})
