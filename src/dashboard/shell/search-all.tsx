import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { SearchInput } from '../parts/search-input.tsx'
import { groupsOf } from '../search-groups.ts'

const SEARCH = '/dashboard/search/'

/** The header's field. It finds any record that the session's key may see. */
export function SearchAll({ c }: { c: Context<AppEnv> }) {
  if (groupsOf(c).length === 0) return null
  const { url } = c.get('exchange')
  const value = url.pathname === SEARCH ? (url.searchParams.get('q') ?? '') : ''
  return (
    <search class="search-all" aria-label="Everything">
      <form method="get" action={SEARCH}>
        <SearchInput name="q" label="Find anything" value={value} />
        <button type="submit" class="outline secondary">
          Search
        </button>
      </form>
    </search>
  )
}
