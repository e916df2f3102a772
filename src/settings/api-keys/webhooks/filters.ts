import { and, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { pageParams } from '../../../engine/json/pagination.ts'
import { RESOURCES } from '../../../engine/mapping/identifier.ts'
import { IS_PAUSED } from '../../pause.ts'
import { isLive } from '../bound.ts'

/** The name of the list in its cursors. */
export const WEBHOOKS = 'webhooks'

export const WEBHOOK_STATES = ['active', 'paused', 'expired', 'revoked'] as const
type State = (typeof WEBHOOK_STATES)[number]

export const WebhooksQuery = z.object({
  ...pageParams(WEBHOOKS),
  partner_id: z.string().min(1).optional(),
  resource: z.enum(RESOURCES).optional(),
  state: z.enum(WEBHOOK_STATES).optional(),
})
type WebhookFilters = Omit<z.output<typeof WebhooksQuery>, 'limit' | 'cursor'>

/** SQL for listKeys. It is compared with the rows of webhooks one by one. */
export function webhooksWith({ partner_id, resource, state }: WebhookFilters): SQL | undefined {
  return and(
    partner_id === undefined ? undefined : sql`partner_id = ${partner_id}`,
    resource === undefined ? undefined : sql`webhook ->> 'resource' = ${resource}`,
    state === undefined ? undefined : isIn(state),
  )
}

function isIn(state: State): SQL {
  const live = isLive(new Date().toISOString())
  if (state === 'revoked') return sql`revoked_at is not null`
  if (state === 'expired') return sql`(revoked_at is null and not ${live})`
  return state === 'paused' ? sql`(${live} and ${IS_PAUSED})` : sql`(${live} and not ${IS_PAUSED})`
}
