import { sql } from 'drizzle-orm'
import { NEEDS, type Need } from '../../engine/db/delivery-tables.ts'
import { literal, placeholders, prepared, qb } from '../../engine/db/prepared.ts'
import { COUNTED_MAX, countedTo, eachOf, exactly } from './counted.ts'

// What a person has to do about deliveries: those that wait, and orders of which a shop has other lines.

const { sees_deliveries, soon } = placeholders('sees_deliveries', 'soon')

const ENTRIES = literal(COUNTED_MAX)
const EACH_NEED = eachOf(NEEDS, 'need')
const OF_NEED = sql`waiting_deliveries where needs = need.value`

/**
 * A row for each reason. All reasons together read 50 entries of the index and a few: if more wait, each reason that there
 * is gets its share.
 */
export const selectReasons = prepared(() =>
  qb
    .select({
      needs: sql<Need>`needs`,
      share: sql<number>`share`,
      total: sql<number>`total`,
      next_end: sql<string>`next_end`,
      found: sql<string>`found`,
    })
    .from(sql`(
      with all_waiting (total, share, next_end) as materialized (
        select records,
          iif(records <= ${ENTRIES}, ${ENTRIES}, ${ENTRIES} / (
            select count(*) from ${EACH_NEED} where exists (select 1 from ${OF_NEED}))),
          (select min(ends_at) from waiting_deliveries)
        from waiting_totals where subject = 'all' and records > 0 and ${sees_deliveries}
      )
      select need.value as needs, share, total, next_end, (
          select json_array(count(*), min(created_at), count(*) filter (where ends_at <= ${soon}))
          from (select created_at, ends_at from ${OF_NEED} limit (select share from all_waiting))
        ) as found
      from all_waiting cross join ${EACH_NEED}
    )`),
)

export type WaitingByReason = NonNullable<ReturnType<typeof waitingIn>>

type WaitingRow = (typeof selectReasons)['_']['result'][number]
type Found = [records: number, oldest_at: string | null, ending: number]

/** Null if nothing waits. `soon` is that of the statement. */
export function waitingIn(rows: WaitingRow[], until: string) {
  const found = rows.map((row) => {
    const [records, oldest_at, ending]: Found = JSON.parse(row.found)
    return { ...row, records, oldest_at, ending, isFull: records >= row.share }
  })
  const [first] = found
  if (!first) return null
  const full = found.filter(({ isFull }) => isFull)
  const sum = (of: 'records' | 'ending') => found.reduce((all, row) => all + row[of], 0)
  const reasons = found.flatMap(({ needs, records, oldest_at, share, isFull }) => {
    // All others are counted, so this one is what is left.
    const isLeft = isFull && full.length === 1
    const counted = isLeft
      ? exactly(records + first.total - sum('records'))
      : countedTo(records, share)
    // The oldest; if there are more than were counted, one of them.
    return oldest_at === null ? [] : [{ needs, records: counted, oldest_at }]
  })
  const isEnding = first.next_end <= until
  return {
    reasons,
    /** How many are given up soon, and when the first is. */
    ending: {
      number: isEnding ? Math.max(1, sum('ending')) : 0,
      isMore: isEnding && full.length > 0,
    },
    next_end: first.next_end,
  }
}

/** The index leads to those that nobody has seen, the oldest first. */
export const selectDiffering = prepared(() =>
  qb
    .select({
      orders: sql<number>`count(*)`.as('orders'),
      oldest_at: sql<string | null>`min(noted_at)`.as('oldest_at'),
    })
    .from(
      sql`(select noted_at from line_differences where seen_at is null and log_seq > 0 and ${sees_deliveries}
        order by log_seq limit ${ENTRIES})`,
    ),
)
