import * as z from 'zod'
import { NEEDS } from '../../engine/db/delivery-tables.ts'
import { DateTime, QueryDateTime } from '../../engine/json/date-time.ts'
import { pageParams } from '../../engine/json/pagination.ts'

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
