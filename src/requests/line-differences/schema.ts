import * as z from 'zod'
import { pageParams } from '../../engine/json/pagination.ts'

/** The name of the list in its cursors. */
export const LINE_DIFFERENCES = 'line-differences'

export const LineDifferencesQuery = z.object({
  ...pageParams(LINE_DIFFERENCES),
  partner_id: z.uuid({ error: 'Must be the id of a partner, a UUID.' }).optional(),
})
export type LineDifferencesFilters = Pick<z.output<typeof LineDifferencesQuery>, 'partner_id'>

/** What was shown to whoever has seen it. Without it: whatever there is by now. */
export const SeenDifferences = z.object({
  request_id: z.uuid({ error: 'Must be the request_id of the differences, a UUID.' }).optional(),
})

const SkuDifference = z.object({
  sku_code: z.string().nullable(),
  stored: z.int().nullable(),
  sent: z.union([z.int(), z.string()]).nullable(),
})

/** An order whose lines differ from those that its shop has delivered last. */
export const LineDifferences = z.object({
  order_id: z.string(),
  order_number: z.string(),
  partner_id: z.string(),
  request_id: z.string(),
  differences: z.array(SkuDifference),
  total: z.int(),
  noted_at: z.string(),
})

export const SeenAnswer = z.object({
  order_id: z.string(),
  request_id: z.string(),
  seen_at: z.string(),
})
