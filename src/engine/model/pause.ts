import { ApiError } from '../errors.ts'

/** While it is in force, the integrations API answers 503. */
export interface Pause {
  /** A moment in UTC; null: until somebody resumes it. */
  until: string | null
  /** For the people of the warehouse. No partner sees it. */
  note: string | null
}

const RETRY_WITHOUT_END_SECONDS = 300
// Somebody may end the pause early, so no sender waits longer.
const RETRY_SECONDS_MAX = 3600

/** The pause, as long as its end has not passed; then null. It ends by itself: nothing is written then. */
export function inForce(pause: Partial<Pause> | null): Pause | null {
  if (pause === null) return null
  // A pause that an operator's SQL has written may lack a member.
  const { until = null, note = null } = pause
  return until !== null && Date.parse(until) <= Date.now() ? null : { until, note }
}

/** 503 UNAVAILABLE if one of them is in force. The one that ends last counts. */
export function refusePaused(pauses: (Pause | null)[]): void {
  const ends = pauses.flatMap((pause) => {
    const found = inForce(pause)
    return found ? [found.until === null ? Number.POSITIVE_INFINITY : Date.parse(found.until)] : []
  })
  if (ends.length > 0) throw paused(Math.max(...ends))
}

function paused(end: number): ApiError {
  const hasEnd = Number.isFinite(end)
  const until = hasEnd ? ` until ${new Date(end).toISOString()}` : ''
  const seconds = Math.ceil((end - Date.now()) / 1000)
  return new ApiError(
    'UNAVAILABLE',
    `The warehouse has paused this integration${until}. Nothing was changed: send the request again later.`,
    {
      reason: 'PAUSED',
      retryAfter: hasEnd
        ? Math.min(Math.max(seconds, 1), RETRY_SECONDS_MAX)
        : RETRY_WITHOUT_END_SECONDS,
    },
  )
}
