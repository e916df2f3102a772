import * as z from 'zod'
import { pageParams } from '../../engine/json/pagination.ts'

/** The name of the list in its cursors. */
export const SESSIONS = 'sessions'

export const SessionsQuery = z.object({
  ...pageParams(SESSIONS),
  api_key_id: z.uuid({ error: 'Must be the id of a key, a UUID.' }).optional(),
})
export type SessionFilters = Pick<z.output<typeof SessionsQuery>, 'api_key_id'>

/** A session of the dashboard that has not ended. */
export const Session = z.object({
  id: z.string(),
  api_key: z.object({ id: z.string(), name: z.string() }),
  device: z.string().nullable(),
  place: z.string().nullable(),
  created_at: z.string(),
  ends_at: z.string(),
})

export const EndedSession = z.object({ id: z.string(), ended_at: z.string() })
