import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { PageFilters } from '../paths.ts'

/** The request's filters, without the empty fields that a form sends too. */
export function filtersOf(c: Context<AppEnv>): PageFilters {
  const { searchParams } = c.get('exchange').url
  return Object.fromEntries(
    [...searchParams].filter(([, value]) => value.trim() !== '').map(trimmed),
  )
}

function trimmed([name, value]: [string, string]): [string, string] {
  return [name, value.trim()]
}
