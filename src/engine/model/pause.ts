/** While it is in force, the integrations API answers 503. */
export interface Pause {
  /** A moment in UTC; null: until somebody resumes it. */
  until: string | null
  /** For the people of the warehouse. No partner sees it. */
  note: string | null
}

/** The pause, as long as its end has not passed; then null. It ends by itself: nothing is written then. */
export function inForce<Held extends Pick<Pause, 'until'>>(pause: Held | null): Held | null {
  const isOver = pause !== null && pause.until !== null && Date.parse(pause.until) <= Date.now()
  return isOver ? null : pause
}
