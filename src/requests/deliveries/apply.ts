import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { retryOf } from '../../engine/exchange/retried.ts'
import { deliveryToTry, idsToTry } from './queries.ts'
import { APPLIED_MAX, type DeliveryAnswer, type DeliveryFilters } from './schema.ts'

/** Tries a waiting delivery now, as its webhook: a request of its own in the audit log. 404 NOT_FOUND if none waits. */
export async function applyDelivery(c: Context<AppEnv>, id: string): Promise<DeliveryAnswer> {
  const { body, content_type, ...waiting } = await deliveryToTry(c.get('db'), id)
  const { tenant } = c.get('caller')
  const { dry_run } = c.get('exchange')
  const request = retryOf({ ...waiting, tenant, dry_run }, body, content_type)
  const response = await c.get('dispatch')(request)
  const { data, error } = (await response.json()) as Answered
  return {
    delivery_id: id,
    request_id: response.headers.get('X-Request-Id'),
    status: response.status,
    outcome: data?.outcome ?? null,
    record: data?.record ?? null,
    reason: data?.reason ?? null,
    error: error ?? data?.error ?? null,
  }
}

type DeliveryError = DeliveryAnswer['error']

interface Answered {
  data?: { outcome: string; record?: string | null; reason?: string; error?: DeliveryError }
  error?: DeliveryError
}

/** Tries those that match, at most 20, the oldest first. */
export async function applyDeliveries(
  c: Context<AppEnv>,
  filters: DeliveryFilters,
): Promise<DeliveryAnswer[]> {
  const answers: DeliveryAnswer[] = []
  for (const id of await idsToTry(c.get('db'), filters, APPLIED_MAX)) {
    answers.push(await applyDelivery(c, id))
  }
  return answers
}
