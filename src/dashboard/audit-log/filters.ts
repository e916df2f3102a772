import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'

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

function trimmed([name, value]: [string, string]): [string, string] {
  return [name, value.trim()]
}
