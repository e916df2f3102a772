import { type SQL, sql } from 'drizzle-orm'
import { literal } from './prepared.ts'
import { auditLog } from './tables.ts'

/**
 * How much later than its created_at a row may be stored, at most. A request may wait for its body for five
 * minutes (engine/body/body.ts), and for all else for less than another five.
 */
export const STORED_MS_MAX = 10 * 60 * 1000

// Instants beyond these do not sort as text.
const FIRST = Date.UTC(-1, 12)
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** No database holds 2^40 rows. */
const SEQ_BITS = 40

/** SQL for a seq: all rows with a lower one are older than the instant, in ISO 8601. */
export function firstSeqSince(instant: string): SQL {
  return seqAt(new Date(Math.max(Date.parse(instant) - STORED_MS_MAX, FIRST)))
}

/** SQL for a seq: no row from it on is older than the instant, in ISO 8601. */
export function firstSeqAfter(instant: string): SQL {
  return seqAt(new Date(Math.min(Date.parse(instant) + STORED_MS_MAX, LAST)))
}

/**
 * The lowest seq whose row, or the next one after a gap, is not older than the time: found bit by bit, which
 * reads a row for each doubling of the log. It relies on seq and created_at rising together.
 */
function seqAt(time: Date): SQL {
  return sql`(with recursive search (below, step) as (
      select 0, ${literal(2 ** SEQ_BITS)}
      union all
      select below + step * coalesce((
          select log.created_at < ${time.toISOString()} from ${auditLog} as log
          where log.seq >= below + step order by log.seq limit 1
        ), 0), step / 2
      from search where step > 0
    )
    select max(below) + 1 from search)`
}
