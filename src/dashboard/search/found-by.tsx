import type { Match } from '../../db/walks.ts'

const SHOWN_MAX = 80

/** The column of FoundBy, for rows of a search. */
export function foundColumns([first]: Partial<Match>[]): string[] {
  return first?.field === undefined ? [] : ['Found by']
}

/** The field that matches. Its text is not always in another column. Nothing for a row of no search. */
export function FoundBy({ match: { field, found = '' } }: { match: Partial<Match> }) {
  if (field === undefined) return null
  const text = [...found]
  return (
    <td data-label="Found by" class="free">
      {field}{' '}
      <small>{text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX).join('')}…` : found}</small>
    </td>
  )
}
