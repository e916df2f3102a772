import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../engine/env.ts'
import { ApiError } from '../engine/errors.ts'
import { actingIn } from '../engine/exchange/acting.ts'
import { identify, identifyActing, identifyByKey } from '../engine/exchange/identify.ts'
import { retriedIn } from '../engine/exchange/retried.ts'
import { trialIn } from '../engine/exchange/trial.ts'
import { beginsAs } from '../engine/identity/key.ts'
import { findCallerById } from '../engine/identity/look-up.ts'
import { tokenIn } from '../engine/identity/webhook-address.ts'

/**
 * Turns the key in the address into `caller` and `db`; of a delivery that the Worker makes itself, the webhook that it
 * means. The signature is checked with the body (deliveries/signature.ts). 404 NOT_FOUND for an address that is none, or
 * no longer.
 */
export const authenticateWebhook = createMiddleware<AppEnv>(
  async function authenticateWebhook(c, next) {
    const acting = actingIn(c)
    if (acting) {
      await identifyActing(c, acting)
      return await next()
    }
    const retried = retriedIn(c)
    const own = retried ?? trialIn(c)
    if (own) {
      const { tenant, webhook_id } = own
      await identify(c, tenant, (sources) => findCallerById(sources, tenant, webhook_id))
      c.get('db').retried = retried?.delivery_id ?? null
      return await next()
    }
    const token = tokenIn(c.get('exchange').url)
    if (token === undefined) throw unknownWebhook()
    await identifyByKey(c, token, 'xh').catch((error: unknown) => {
      const isUnknown = error instanceof ApiError && error.code === 'KEY_INVALID'
      throw isUnknown ? unknownWebhook(token) : error
    })
    await next()
  },
)

/** The same for every text of one form. */
function unknownWebhook(token = ''): ApiError {
  const advice = beginsAs('xd', token) ? KEY_IN_ADDRESS : 'copy it again, or rotate it.'
  return new ApiError('NOT_FOUND', `No webhook has this address: ${advice}`, {
    reason: 'UNKNOWN_WEBHOOK',
  })
}

const KEY_IN_ADDRESS =
  'an API key stands in it. Copy the address of the webhook, and rotate that key if it is in use, since addresses are written into logs.'
