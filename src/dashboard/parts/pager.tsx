import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'

interface PagerProps {
  c: Context<AppEnv>
  next: string | null
  /** A list that is not in order of time has other names for them. */
  names?: { first: string; next: string }
}

const BY_TIME = { first: 'Newest', next: 'Older' }
export const BY_TEXT = { first: 'First', next: 'Next' }

/** Links to the next and the first page of a list. They keep the other query parameters. */
export function Pager({ c, next, names = BY_TIME }: PagerProps) {
  const { url } = c.get('exchange')
  const at = (cursor: string | null) => {
    const parameters = new URLSearchParams(url.search)
    parameters.delete('done')
    parameters.delete('cursor')
    if (cursor !== null) parameters.set('cursor', cursor)
    return `${url.pathname}?${parameters}`
  }
  const isFirst = !url.searchParams.has('cursor')
  return isFirst && next === null ? null : (
    <nav class="pager" aria-label="Pages">
      {!isFirst && <a href={at(null)}>{names.first}</a>}
      {next !== null && (
        <a href={at(next)} rel="next">
          {names.next}
        </a>
      )}
    </nav>
  )
}
