import * as z from 'zod'
import { pageParams } from '../../engine/json/pagination.ts'

/** The name of the list in its cursors. */
export const SESSIONS = 'sessions'

export const SessionsQuery = z.object({
  ...pageParams(SESSIONS),
  api_key_id: z.uuid({ error: 'Must be the id of a key, a UUID.' }).optional(),
})
export type SessionFilters = Pick<z.output<typeof SessionsQuery>, 'api_key_id'>
