import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { type PageFilters, TRAIL } from '../paths.ts'

/** The request's filters, without the empty fields that a form sends too, and without the way to the page. */
export function filtersOf(c: Context<AppEnv>): PageFilters {
  const { searchParams } = c.get('exchange').url
  return Object.fromEntries(
    [...searchParams].filter(([name, value]) => name !== TRAIL && value.trim() !== '').map(trimmed),
  )
}

function trimmed([name, value]: [string, string]): [string, string] {
  return [name, value.trim()]
}
