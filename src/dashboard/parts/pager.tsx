import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { TRAIL } from '../paths.ts'
import { count } from './numbers.ts'

interface PagerProps {
  c: Context<AppEnv>
  next: string | null
  /** A list that is not in order of time has other names for them. */
  names?: { first: string; previous: string; next: string }
}

const BY_TIME = { first: 'Newest', previous: 'Newer', next: 'Older' }
export const BY_TEXT = { first: 'First', previous: 'Previous', next: 'Next' }

/** In place of the cursor that the first page does not have. */
const FIRST = '0'
/** An address has room for this many steps back. Further back, a link leads to the first page. */
const STEPS_MAX = 20
const STEP = /^[\w-]{1,200}$/

/** Query parameters that filter nothing. */
const PAGING: readonly string[] = [TRAIL, 'cursor', 'limit', 'done', 'format']

/** Links to the page before, the next and the first page of a list. They keep the other query parameters. */
export function Pager({ c, next, names = BY_TIME }: PagerProps) {
  const { searchParams } = c.get('exchange').url
  const cursor = searchParams.get('cursor')
  const trail = trailOf(searchParams.get(TRAIL))
  if (cursor === null && next === null) return null
  const earlier = trail.slice(0, -1)
  const previous = trail.at(-1)
  return (
    <nav class="pager" aria-label="Pages">
      {cursor !== null && <a href={pageAt(c, null, [])}>{names.first}</a>}
      {cursor !== null && previous !== undefined && (
        <a href={pageAt(c, previous === FIRST ? null : previous, earlier)} rel="prev">
          {names.previous}
        </a>
      )}
      {next !== null && (
        <a href={pageAt(c, next, cursor === null ? [FIRST] : [...trail, cursor])} rel="next">
          {names.next}
        </a>
      )}
    </nav>
  )
}

function pageAt(c: Context<AppEnv>, cursor: string | null, trail: string[]): string {
  const { url } = c.get('exchange')
  const parameters = new URLSearchParams(url.search)
  for (const name of ['done', 'cursor', TRAIL]) parameters.delete(name)
  if (cursor !== null) parameters.set('cursor', cursor)
  const steps = trail.slice(-STEPS_MAX)
  if (cursor !== null && steps.length > 0) parameters.set(TRAIL, steps.join('.'))
  return `${url.pathname}?${parameters}`
}

function trailOf(text: string | null): string[] {
  const steps = text?.split('.', STEPS_MAX + 1) ?? []
  return steps.length <= STEPS_MAX && steps.every((step) => STEP.test(step)) ? steps : []
}

interface ListCountProps {
  c: Context<AppEnv>
  /** How many the page shows, and where the next page begins. */
  rows: number
  next: string | null
  /** What they are: one, and several. */
  of: readonly [one: string, several: string]
}

/** How many match the filters, as far as the first page tells: at least so many if there is another page. */
export function ListCount({ c, rows, next, of: [one, several] }: ListCountProps) {
  const { searchParams } = c.get('exchange').url
  const isFiltered = [...searchParams].some(
    ([name, value]) => !PAGING.includes(name) && value.trim() !== '',
  )
  if (!isFiltered || searchParams.has('cursor') || rows === 0) return null
  const isMore = next !== null
  return (
    <p class="list-count">
      {count(rows)}
      {isMore && '+'} {rows === 1 && !isMore ? one : several}
    </p>
  )
}
