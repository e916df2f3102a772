import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import { DateTime } from '../../fields.ts'

const LIST = '/dashboard/audit-log/'

/** Parameters of the audit log's page, as text; what is not chosen is missing. */
export type Filters = Record<string, string | undefined>

/** What was chosen. A form sends its empty fields too, which mean nothing. */
export function filtersOf(c: Context<AppEnv>): Filters {
  const { searchParams } = c.get('exchange').url
  return Object.fromEntries(
    [...searchParams].filter(([, value]) => value.trim() !== '').map(trimmed),
  )
}

/** The page with these filters. */
export function auditLogPath(filters: Filters = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value) parameters.set(name, value)
  return parameters.size > 0 ? `${LIST}?${parameters}` : LIST
}

/** An instant as a `datetime-local` field takes it, in UTC; anything else stays as it is. */
export function fieldTime(value: string | undefined): string {
  const instant = DateTime.safeParse(value).data
  return instant?.replace(/(:00)?\.000Z$|Z$/, '') ?? value ?? ''
}

function trimmed([name, value]: [string, string]): [string, string] {
  return [name, value.trim()]
}
