import { type SQL, sql } from 'drizzle-orm'
import { literal } from '../../engine/db/prepared.ts'
import { FOUND_POSITION, ZEROED_POSITION } from '../replaced-stock.ts'

// SQL that reads what uploads replaced (replaced-stock.ts).

/** True of a row of `replaced_values` that has replaced something. */
export const HAS_REPLACED: SQL = sql`position not between ${literal(FOUND_POSITION)} and ${literal(ZEROED_POSITION - 1)}`

/**
 * Columns of a common table expression `slice`, from `replaced_values`. It has to be materialized: its JSON has up to
 * 1 MB, and comes last, so that the others are read without it. `first` is null unless the slice has created pairs.
 */
export const SLICE_COLUMNS: SQL = sql`changed_in, position, replaced ->> '$.created.first' as first, replaced`

/** For FROM after `slice`: its pairs, each of which PAIR describes. */
export const EACH_PAIR: SQL = sql`json_each(
  slice.replaced, iif(slice.first is null, '$.changed', '$.created.quantities')) as pair`

/** The seq of the pair's record, and its quantity before (null if it was created) and after. */
export const PAIR = {
  seq: sql`iif(slice.first is null, pair.value ->> 0, slice.first + pair.key)`,
  from: sql`iif(slice.first is null, pair.value ->> 1, null)`,
  to: sql`iif(slice.first is null, pair.value ->> 2, pair.value)`,
}

/** Where an undo keeps what it replaces of a slice: below ZEROED_POSITION what it restores. */
export const UNDO_POSITION: SQL = sql`iif(slice.first is null, slice.position % ${literal(FOUND_POSITION)},
  slice.position + ${literal(FOUND_POSITION)})`

/** True of a slice of an undo whose pairs were set to 0 because the upload created them. */
export const IS_ZEROED: SQL = sql`position >= ${literal(ZEROED_POSITION)}`
