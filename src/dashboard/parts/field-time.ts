import { DateTime } from '../../engine/json/date-time.ts'

/** A time as a `datetime-local` field takes it, in UTC. Text that is not a time is returned unchanged. */
export function fieldTime(value: string): string {
  return DateTime.safeParse(value).data?.replace(/(:00)?\.000Z$|Z$/, '') ?? value
}
