import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

// A page shows names to choose from in one response (engine/exchange/memory.ts), and escapes them. For a thousand names
// of usual length this is enough.
const NAMES_BYTES_MAX = 40_000

/**
 * SQL for FROM: the rows of `newest`, which has the columns `seq` and `name`, newest first until their names have
 * 40,000 bytes. D1 counts each row of `newest` three times.
 */
export function thatFit(newest: SQLWrapper): SQL {
  return sql`(select * from (
      select *, sum(octet_length(name)) over (order by seq desc) as names_bytes from ${newest})
    where names_bytes <= ${NAMES_BYTES_MAX} order by seq desc)`
}
