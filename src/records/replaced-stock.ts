/**
 * What an upload replaced, as JSON in `replaced_values.replaced`. An upload has as many slices as it needs, each of at
 * most 1 MB, and each is one of these. None of them names a pair: `seq` is that of the record in `inventory`, which is
 * never deleted.
 *
 * `changed`  records that had another quantity, [seq, from, to].
 * `created`  records that it created. Their numbers are contiguous: the first and the last one, and their quantities in
 *            order.
 *
 * If nothing is to be remembered (`undo_days` 0), the quantities are left out, with null in their place: the feed of
 * changes finds changed stock by these slices.
 *
 * `found`    nothing that was replaced. With `if_quantity`: for the first 1,000 pairs of which a row failed, what was
 *            stored, [number of the pair in the upload, quantity]. The answer is made from it, also when D1's answer to the
 *            write was lost. It is stored even if `undo_days` is 0.
 */
export type ReplacedStock =
  | { changed: [seq: number, from: number | null, to: number | null][] }
  | { created: { first: number; last: number; quantities?: number[] } }
  | { found: [pair: number, quantity: number | null][] }

// The positions of the slices in `replaced_values`. An upload has at most 1,000,000 rows, which are less than 1,000
// slices of each kind.
export const CREATED_POSITION = 1000
export const FOUND_POSITION = 2000
/** From here on those of an upload that is not remembered. It has at most 50 slices of `created`. */
export const UNREMEMBERED_POSITION = 2001
export const UNREMEMBERED_CREATED_POSITION = 2900
/**
 * An undo has slices of `changed` alone: what it restored below FOUND_POSITION, and from here on what it set to 0 because
 * the upload had created it.
 */
export const ZEROED_POSITION = 3000

/** The records of a slice of `created`. */
export const CREATED_MAX = 50_000
