import { type SQL, sql } from 'drizzle-orm'

/**
 * What an upload replaced, as JSON in `replaced_values.replaced` with the resource `inventory`: as many slices as it
 * needs, each of at most 1 MB. A record is named by its `seq` in `inventory`, which is never deleted. Each slice has
 * one of these members:
 *
 * `changed`  `{seq: quantities}` of records that had another quantity. `quantities` is one integer: the quantity before
 *            times 2^31, plus the one after. JavaScript cannot read it; `replacedRecords` takes it apart.
 * `created`  `{first, quantities}` of records that the upload created. Their numbers are contiguous from `first`.
 * `found`    nothing that was replaced: for the first 1,000 pairs of which a row failed for its `if_quantity`, what was
 *            stored, `[number of the pair in the upload, quantity]`. The answer is made from it, also after D1's answer
 *            was lost. It is stored even if `undo_days` is 0, and stays until replaced values are deleted.
 */
export type ReplacedStock =
  | { changed: Record<string, number> }
  | { created: { first: number; quantities: number[] } }
  | { found: [pair: number, quantity: number | null][] }

/** Two quantities, or a pair's number and a quantity, share an integer. */
export const QUANTITY_BITS = 31
export const QUANTITY_MASK = 2 ** QUANTITY_BITS - 1

// The positions of the slices in `replaced_values`. An upload has at most 1,000,000 rows: less than 1,000 slices of each
// kind.
export const CREATED_POSITION = 1000
export const FOUND_POSITION = 2000
/**
 * An undo has slices of `changed` alone: what it restored below FOUND_POSITION, and from here on what it set to 0 because
 * the upload had created it.
 */
export const ZEROED_POSITION = 3000

/** The records of a slice of `created`. */
export const CREATED_MAX = 50_000

const bits = sql.raw(String(QUANTITY_BITS))
const mask = sql.raw(String(QUANTITY_MASK))

/**
 * The records that uploads have replaced, as a select of the columns `changed_in`, `seq`, `before` (null if the upload
 * created the record) and `after`. `where` chooses rows of `replaced_values`.
 */
export function replacedRecords(where: SQL): SQL {
  return sql`
    select changed_in, cast(record.key as integer) as seq, record.value >> ${bits} as before,
      record.value & ${mask} as after
    from replaced_values cross join json_each(replaced_values.replaced, '$.changed') as record
    where resource = 'inventory' and ${where}
    union all
    select changed_in, (replaced ->> '$.created.first') + record.key, null, record.value
    from replaced_values cross join json_each(replaced_values.replaced, '$.created.quantities') as record
    where resource = 'inventory' and ${where}`
}
