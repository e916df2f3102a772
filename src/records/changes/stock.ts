import { type SQL, sql } from 'drizzle-orm'
import { literal } from '../../engine/db/prepared.ts'
import { FOUND_POSITION } from '../replaced-stock.ts'

// Stock has no index of changes. What a request changed is named by its slices in replaced_values (replaced-stock.ts).
// The feed merges the slices with the records of other resources, and then looks up what each slice names: a pair that
// a later request has changed again is passed over, since a later slice names it too.

/** One in so many of the pairs that the feed passes over takes up a row, so that a page ends. */
const PASSED_MAX = 100

/** In place of a slice's position: the row comes from the rest of the stock. */
export const OF_REST = -1

const [atPlace, atSeq, atSlice] = ['at_place', 'at_seq', 'at_slice'].map((name) =>
  sql.placeholder(name),
)

export const SLICES: SQL = sql`replaced_values where resource = 'inventory'
  and position <> ${literal(FOUND_POSITION)}`

/** In the rest of the request in which the last page ended. */
export const IN_LAST_REQUEST: SQL = sql`changed_place = ${atPlace} and position >= ${atSlice}`

const IS_OF_CREATED = sql`substr(replaced, 1, 10) = '{"created"'`

/** Columns of a slice beside its place and position: its JSON, and the seqs of the records that it has created. */
export const SLICE_VALUES: SQL = sql`replaced as list,
  case when ${IS_OF_CREATED} then replaced ->> '$.created.first' end as first,
  case when ${IS_OF_CREATED} then replaced ->> '$.created.last' end as last`
export const NO_SLICE: SQL = sql`null as list, null as first, null as last`

const IS_LAST_SLICE = sql`(place = ${atPlace} and page.seq = ${atSlice} and ${atSeq} > 0)`

/** From the entry of the last record on. Only an entry begins with a bracket and a seq. */
const FROM_LAST = sql`substr(list, instr(list, '[' || cast(${atSeq} as integer) || ','))`
/** The entries behind it, as an array of their own: nothing is read twice. */
const AFTER_LAST = sql`'[' || rtrim(ltrim(substr(${FROM_LAST}, instr(${FROM_LAST}, ']') + 1), ','), '}')`

/**
 * For FROM after `page`: what its slices name, in their order. `stock` are records that were changed, `made` those that
 * were created. `isWithin`: the page may begin within a slice.
 */
export function eachNamed(isWithin: boolean): SQL {
  const [list, path, first] = isWithin
    ? [
        sql`iif(${IS_LAST_SLICE}, ${AFTER_LAST}, list)`,
        sql`iif(${IS_LAST_SLICE}, '$', '$.changed')`,
        sql`iif(${IS_LAST_SLICE}, max(first, ${atSeq} + 1), first)`,
      ]
    : [sql`list`, sql`'$.changed'`, sql`first`]
  return sql`left join json_each(iif(first is null, ${list}, null), ${path}) as pair
    left join inventory as stock on stock.seq = pair.value ->> 0
    left join inventory as made on made.seq >= ${first} and made.seq <= last`
}

const NAMED_PLACE = sql`coalesce(stock.changed_place, made.changed_place)`

/**
 * A slice gives a row for each record that no later slice names, and for some of the others. Each slice that is not
 * exhausted gives at least one row: a page of slices without rows would be empty, and the walk would end there.
 */
export const IS_ROW: SQL = sql`(list is null or ${NAMED_PLACE} = place
  or pair.key % ${literal(PASSED_MAX)} = 0 or made.seq % ${literal(PASSED_MAX)} = 0 or made.seq = last)`

/** The row only says how far the page has come. */
export const IS_PASSED: SQL = sql`(list is not null and ${NAMED_PLACE} is not place)`

export const NAMED_SEQ: SQL = sql`iif(list is null, page.seq, coalesce(made.seq, pair.value ->> 0))`

/** A column of the row, whether it comes from the page itself or from what a slice names. */
export function namedOr(column: string, own: SQL): SQL {
  const name = sql.identifier(column)
  return sql`coalesce(stock.${name}, made.${name}, ${own})`
}

const IS_LEFT = sql`changed_in > ${sql.placeholder('after')} and changed_in <= ${sql.placeholder('until')}`

/** The condition of the rest of the stock; some rows only say how far the page has come. */
export const REST: SQL = sql`seq > ${sql.placeholder('at')} and ((${IS_LEFT}) or seq % ${literal(PASSED_MAX)} = 0)`
export const IS_PASSED_OF_REST: SQL = sql`not (${IS_LEFT})`
