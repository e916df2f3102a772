import * as z from 'zod'

/** So many take a few seconds. */
export const SENT_MAX = 50

export const SEND_AS = ['sent', 'change'] as const

export const SendAgain = z.object({
  force: z.boolean().default(false),
  as: z.enum(SEND_AS).default('sent'),
})
export type SendAgain = z.output<typeof SendAgain>

export const SendAllAgain = z.object({
  request_ids: z
    .array(z.uuid({ error: 'Must be the id of a request, a UUID.' }))
    .min(1)
    .max(SENT_MAX),
})
export type SendAllAgain = z.output<typeof SendAllAgain>
