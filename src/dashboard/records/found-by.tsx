import type { Match } from '../../engine/db/walks.ts'
import { Location } from '../../engine/model/location.ts'

/** What other columns show anyway. */
const SHOWN: readonly string[] = ['order_number', 'customer_name', ...Location.lists]
const LENGTH_MAX = 80

/** The column of FoundBy, for rows of a search. */
export function foundColumns([first]: Partial<Match>[]): string[] {
  return first?.field === undefined ? [] : ['Found by']
}

/** The field that matches, and its text if no other column has it. Nothing for a row of no search. */
export function FoundBy({ match: { field, found = '' } }: { match: Partial<Match> }) {
  if (field === undefined) return null
  return (
    <td data-label="Found by" class="free">
      {field.includes('.') ? field : field.replaceAll('_', ' ')}{' '}
      {!SHOWN.includes(field) && <small>{short(found)}</small>}
    </td>
  )
}

function short(text: string): string {
  const characters = [...text]
  return characters.length > LENGTH_MAX ? `${characters.slice(0, LENGTH_MAX).join('')}…` : text
}
