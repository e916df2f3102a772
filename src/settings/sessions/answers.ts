import * as z from 'zod'

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
