import * as z from 'zod'
import { NEEDS } from '../../engine/db/delivery-tables.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'

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
