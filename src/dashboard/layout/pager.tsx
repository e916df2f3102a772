import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'

/** Links to the next and the first page of a list. They keep the other query parameters. */
export function Pager({ c, next }: { c: Context<AppEnv>; next: string | null }) {
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
      {!isFirst && <a href={at(null)}>Newest</a>}
      {next !== null && (
        <a href={at(next)} rel="next">
          Older
        </a>
      )}
    </nav>
  )
}
