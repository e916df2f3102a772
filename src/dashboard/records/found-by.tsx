import type { Match } from '../../engine/db/walks.ts'
import { Location } from '../../engine/model/location.ts'

/** What other columns show anyway. */
const SHOWN: readonly string[] = ['order_number', 'customer_name', ...Location.lists]
/** Of fields that are searched by their later words. */
const INSIDE: Record<string, string> = {
  order_number: 'a part of the ',
  customer_name: 'a word of the ',
}
const LENGTH_MAX = 80

/** The column of FoundBy, for rows of a search. */
export function foundColumns([first]: Partial<Match>[]): string[] {
  return first?.field === undefined ? [] : ['Found by']
}

/** The field that matches, and its text if no other column has it. Nothing for a row of no search. */
export function FoundBy({ match }: { match: Partial<Match> }) {
  const { field, found = '', isInside = false } = match
  if (field === undefined) return null
  return (
    <td data-label="Found by" class="free">
      {isInside && INSIDE[field]}
      {field.includes('.') ? field : field.replaceAll('_', ' ')}{' '}
      {!SHOWN.includes(field) && <small>{short(found)}</small>}
    </td>
  )
}

function short(text: string): string {
  const characters = [...text]
  return characters.length > LENGTH_MAX ? `${characters.slice(0, LENGTH_MAX).join('')}…` : text
}
