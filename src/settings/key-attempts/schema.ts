import * as z from 'zod'
import { ATTEMPT_REASONS } from '../../db/tables.ts'

export const KeyAttemptsQuery = z.object({ reason: z.enum(ATTEMPT_REASONS).optional() })
export type KeyAttemptsQuery = z.output<typeof KeyAttemptsQuery>
