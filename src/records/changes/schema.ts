import * as z from 'zod'
import { LIMIT_DEFAULT, LIMIT_MAX, limitParam } from '../../engine/json/pagination.ts'
import { decodeFeedCursor, FEED } from './cursor.ts'

export const WAIT_SECONDS_MAX = 30

export const NO_CURSOR = "Not a cursor of this feed. Send the last answer's next_cursor."
const NOT_RESOURCES = `Must be 1 to ${FEED.length} of these, each once, with commas between them: ${FEED.join(', ')}.`
const NOT_SECONDS = `Must be an integer from 0 to ${WAIT_SECONDS_MAX}.`

/** Names with commas between them; parses to those of FEED, in its order. */
const Resources = z.string().transform((text, context) => {
  const names = text.split(',')
  const resources = FEED.filter((name) => names.includes(name))
  if (resources.length === names.length) return resources
  context.addIssue({ code: 'custom', message: NOT_RESOURCES })
  return z.NEVER
})

/** Either `from` or `cursor`: `walkAsked` says so. */
export const ChangesQuery = z.object({
  from: z.enum(['start', 'now']).optional(),
  limit: limitParam(LIMIT_MAX).default(LIMIT_DEFAULT),
  cursor: z
    .string()
    .transform((text, context) => {
      const cursor = decodeFeedCursor(text)
      if (cursor !== null) return cursor
      context.addIssue({ code: 'custom', message: NO_CURSOR })
      return z.NEVER
    })
    .optional(),
  resource: Resources.optional(),
  wait: z
    .string()
    .regex(/^\d{1,2}$/, { error: NOT_SECONDS })
    .transform(Number)
    .refine((seconds) => seconds <= WAIT_SECONDS_MAX, { error: NOT_SECONDS })
    .default(0),
})
export type ChangesQuery = z.output<typeof ChangesQuery>
