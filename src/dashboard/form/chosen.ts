import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'

/** A page's query parameters. One that is not set is missing. */
export type Filters = Record<string, string | undefined>

/** The request's filters, without the empty fields that a form sends too. */
export function filtersOf(c: Context<AppEnv>): Filters {
  const { searchParams } = c.get('exchange').url
  return Object.fromEntries(
    [...searchParams].filter(([, value]) => value.trim() !== '').map(trimmed),
  )
}

/** The path with these filters. */
export function pathWith(path: string, filters: Filters): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value) parameters.set(name, value)
  return parameters.size > 0 ? `${path}?${parameters}` : path
}

function trimmed([name, value]: [string, string]): [string, string] {
  return [name, value.trim()]
}
