import { type Filters, pathWith } from '../form/chosen.ts'

const LIST = '/dashboard/audit-log/'

/** The path of the page with these filters. */
export function auditLogPath(filters: Filters = {}): string {
  return pathWith(LIST, filters)
}

/** The page of one request. */
export function requestPath(request_id: string): string {
  return `${LIST}${encodeURIComponent(request_id)}/`
}
