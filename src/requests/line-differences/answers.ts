import * as z from 'zod'

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
