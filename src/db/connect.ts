import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1'

export type Drizzle = DrizzleD1Database

/** What one request has cost so far, for `Server-Timing`. */
export interface Meter {
  round_trips: number
  rows_read: number
  duration_ms: number
}

/** Drizzle over the binding; every batch is added to the meter. */
export function connect(binding: D1Database, meter: Meter): Drizzle {
  async function batch<T>(statements: D1PreparedStatement[]): Promise<D1Result<T>[]> {
    const started = Date.now()
    meter.round_trips += 1
    try {
      const results = await binding.batch<T>(statements)
      for (const { meta } of results) meter.rows_read += meta.rows_read ?? 0
      return results
    } finally {
      meter.duration_ms += Date.now() - started
    }
  }
  return drizzle(
    new Proxy(binding, {
      get(target, name) {
        if (name === 'batch') return batch
        const member: unknown = Reflect.get(target, name)
        return typeof member === 'function' ? member.bind(target) : member
      },
    }),
  )
}
