import * as z from 'zod'
import { NEEDS } from '../../engine/db/delivery-tables.ts'
import { DateTime, QueryDateTime } from '../../engine/json/date-time.ts'
import { pageParams } from '../../engine/json/pagination.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'

/** The name of the list in its cursors. */
export const DELIVERIES = 'deliveries'

const FILTERS = {
  webhook_id: z.uuid({ error: 'Must be the id of a webhook, a UUID.' }).optional(),
  partner_id: z.uuid({ error: 'Must be the id of a partner, a UUID.' }).optional(),
  needs: z.enum(NEEDS).optional(),
  needs_code: z.string().min(1).optional(),
  record: z.string().min(1).optional(),
}

/** When they came. */
const TIMES = { from: QueryDateTime.optional(), to: QueryDateTime.optional() }

export const DeliveriesQuery = z.object({ ...pageParams(DELIVERIES), ...FILTERS, ...TIMES })
export type DeliveryFilters = Omit<z.output<typeof DeliveriesQuery>, 'limit' | 'cursor'>

/** At most so many are tried in one request. Each takes at most some 40 statements, but in trouble, and D1 takes 1,000 of an invocation. */
export const APPLIED_MAX = 20

const ASKED = { ...FILTERS, from: DateTime.optional(), to: DateTime.optional() }

/** Which waiting deliveries to try; at least one filter. */
export const ApplyDeliveries = z
  .object(ASKED)
  .refine((filters) => Object.values(filters).some((value) => value !== undefined), {
    error: `Name at least one of these: ${Object.keys(ASKED).join(', ')}.`,
  })

/** A waiting delivery as lists show it. */
export const ListedDelivery = z.object({
  delivery_id: z.string(),
  request_id: z.string(),
  webhook_id: z.string(),
  partner_id: z.string(),
  resource: z.enum(RESOURCES),
  record: z.string().nullable(),
  event: z.string().nullable(),
  sender_id: z.string().nullable(),
  needs: z.enum(NEEDS),
  needs_code: z.string().nullable(),
  error_code: z.string(),
  message: z.string(),
  tries: z.int(),
  is_due: z.boolean(),
  due_at: z.string().nullable(),
  created_at: z.string(),
  ends_at: z.string(),
  bytes: z.int(),
})

const Texts = z.record(z.string(), z.string())

export const WaitingDelivery = ListedDelivery.extend({
  headers: Texts,
  query: Texts,
  content_type: z.string().nullable(),
  body: z.string(),
})

/** What a try has come to, or the end of the waiting. */
export const DeliveryAnswer = z.object({
  delivery_id: z.string(),
  /** The id of the request that tried it. */
  request_id: z.string().nullable(),
  status: z.int(),
  outcome: z.string().nullable(),
  record: z.string().nullable(),
  reason: z.string().nullable(),
  error: z.unknown(),
})
export interface DeliveryAnswer extends z.output<typeof DeliveryAnswer> {
  error: { code: string; message?: string } | null
}
