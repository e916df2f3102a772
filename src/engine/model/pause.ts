/** While it is in force, the integrations API answers 503. */
export interface Pause {
  /** A moment in UTC; null: until somebody resumes it. */
  until: string | null
  /** For the people of the warehouse. No partner sees it. */
  note: string | null
}

/** The pause, as long as its end has not passed; then null. It ends by itself: nothing is written then. */
export function inForce(pause: Partial<Pause> | null): Pause | null {
  if (pause === null) return null
  // A pause that an operator's SQL has written may lack a member.
  const { until = null, note = null } = pause
  return until !== null && Date.parse(until) <= Date.now() ? null : { until, note }
}
