import type { BatchResponse } from 'drizzle-orm/batch'
import { bound, type Queries, type Values } from './prepared.ts'

/** What one request has cost so far, for `Server-Timing`. */
export interface Meter {
  round_trips: number
  rows_read: number
  duration_ms: number
}

export interface Connection {
  /** One transaction and one round trip; the values are those of placeholders in any of the queries. */
  batch: <T extends Queries>(queries: T, values?: Values) => Promise<BatchResponse<T>>
}

/** The database behind the binding; every batch is added to the meter. */
export function connect(binding: D1Database, meter: Meter): Connection {
  return {
    async batch<T extends Queries>(queries: T, values: Values = {}) {
      const statements = queries.map((query) => bound(query, values))
      const results = await metered(meter, () =>
        binding.batch(statements.map(({ sql, params }) => binding.prepare(sql).bind(...params))),
      )
      return statements.map(({ rowsOf }, index) =>
        rowsOf.mapResult(results[index], true),
      ) as BatchResponse<T>
    },
  }
}

async function metered(meter: Meter, run: () => Promise<D1Result[]>): Promise<D1Result[]> {
  const started = Date.now()
  meter.round_trips += 1
  try {
    const results = await run()
    for (const { meta } of results) meter.rows_read += meta.rows_read ?? 0
    return results
  } finally {
    meter.duration_ms += Date.now() - started
  }
}
