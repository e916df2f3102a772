import * as z from 'zod'
import { ATTEMPT_REASONS } from '../../engine/db/tables.ts'
import { pageParams } from '../../engine/json/pagination.ts'

/** The name of the list in its cursors. */
export const KEY_ATTEMPTS = 'key-attempts'

export const KeyAttemptsQuery = z.object({
  ...pageParams(KEY_ATTEMPTS),
  reason: z.enum(ATTEMPT_REASONS).optional(),
})
export type KeyAttemptsQuery = z.output<typeof KeyAttemptsQuery>
