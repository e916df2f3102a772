import type { BatchResponse } from 'drizzle-orm/batch'
import { inTime } from '../limits/deadline.ts'
import { mapRows } from './map-rows.ts'
import { bound, type Queries, type Values } from './prepared.ts'

// D1 ends a batch after 30 s. Within that time a request also finds out whether a write without an answer has
// committed, which takes up to twice 5 s (transact.ts).
export const ANSWER_MS_MAX = 15_000

/** What one request has cost so far, for `Server-Timing` and metrics. */
export interface Meter {
  round_trips: number
  /** Cloudflare allows 1,000 in an invocation of the Worker. */
  statements: number
  rows_read: number
  rows_written: number
  duration_ms: number
  /** The size of the database in bytes, as of the last answer. Null before the first. */
  database_bytes: number | null
}

export function newMeter(): Meter {
  return {
    round_trips: 0,
    statements: 0,
    rows_read: 0,
    rows_written: 0,
    duration_ms: 0,
    database_bytes: null,
  }
}

export interface Connection {
  /**
   * Runs the queries in one transaction and one round trip, with `values` for their placeholders. Throws D1's
   * errors, or TimedOut after `msMax` milliseconds: the transaction may still commit then.
   */
  batch: <T extends Queries>(
    queries: T,
    values?: Values,
    msMax?: number,
  ) => Promise<BatchResponse<T>>
}

/** What statements are sent to: a binding, or a session of it (bookmarks.ts). */
export type StatementTarget = Pick<D1Database, 'prepare' | 'batch'>

/** Connects to a database. Adds the cost of each batch to the meter. */
export function connect(source: StatementTarget, meter: Meter): Connection {
  return {
    async batch<T extends Queries>(queries: T, values: Values = {}, msMax = ANSWER_MS_MAX) {
      const statements = queries.map((query) => bound(query, values))
      const batch = statements.map(({ sql, params }) => source.prepare(sql).bind(...params))
      meter.statements += batch.length
      const results = await metered(meter, () => inTime(source.batch(batch), msMax))
      return statements.map(({ written }, index) =>
        mapRows(written, results[index]),
      ) as BatchResponse<T>
    },
  }
}

async function metered(meter: Meter, run: () => Promise<D1Result[]>): Promise<D1Result[]> {
  const started = Date.now()
  meter.round_trips += 1
  try {
    const results = await run()
    for (const { meta } of results) {
      meter.rows_read += meta.rows_read ?? 0
      meter.rows_written += meta.rows_written ?? 0
      meter.database_bytes = meta.size_after ?? meter.database_bytes
    }
    return results
  } finally {
    meter.duration_ms += Date.now() - started
  }
}
