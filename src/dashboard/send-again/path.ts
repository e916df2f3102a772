import { type Filters, pathWith } from '../form/chosen.ts'

/** The page that sends the failed requests with these filters of the audit log again. */
export function sendAgainPath({ cursor, limit, format, done, ...filters }: Filters): string {
  return pathWith('/dashboard/send-again/', filters)
}
