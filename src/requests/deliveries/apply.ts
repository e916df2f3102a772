import type { Context } from 'hono'
import { newMeter } from '../../engine/db/connect.ts'
import type { AppEnv } from '../../engine/env.ts'
import { isTroubled, retryOf, TROUBLES_MAX, type TryAnswer } from '../../engine/exchange/retried.ts'
import { hasRoomForRecord } from '../../engine/exchange/several.ts'
import type { DeliveryAnswer } from './answers.ts'
import { deliveryToTry, idsToTry } from './queries.ts'
import { APPLIED_MAX, type DeliveryFilters } from './schema.ts'

/**
 * Tries a waiting delivery now, as its webhook: a request of its own in the audit log. 404 NOT_FOUND if none waits. `tries`
 * counts the statements of all tries of the request.
 */
export async function applyDelivery(
  c: Context<AppEnv>,
  id: string,
  tries = newMeter(),
): Promise<DeliveryAnswer> {
  const { body, content_type, ...waiting } = await deliveryToTry(c.get('db'), id)
  const { tenant } = c.get('caller')
  const { dry_run, meter: own } = c.get('exchange')
  const meter = newMeter()
  const invocation = { meter, statements_before: own.statements + tries.statements }
  const request = retryOf({ ...waiting, ...invocation, tenant, dry_run }, body, content_type)
  const response = await c.get('dispatch')(request)
  tries.statements += meter.statements
  const { data, error } = (await response.json()) as TryAnswer
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

/** Tries those that match, at most 20, the oldest first. Fewer if the database is in trouble, or if one has many records. */
export async function applyDeliveries(
  c: Context<AppEnv>,
  filters: DeliveryFilters,
): Promise<DeliveryAnswer[]> {
  const answers: DeliveryAnswer[] = []
  const tries = newMeter()
  const { meter: own } = c.get('exchange')
  let troubles = 0
  for (const id of await idsToTry(c.get('db'), filters, APPLIED_MAX)) {
    if (!hasRoomForRecord(own.statements + tries.statements)) break
    const answer = await applyDelivery(c, id, tries)
    answers.push(answer)
    if (isTroubled(answer)) troubles += 1
    if (troubles === TROUBLES_MAX) break
  }
  return answers
}
