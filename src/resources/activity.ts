import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'

/** Which records a list shows: those whose `is_active` is this. Undefined is `true`, which is no filter. */
export const ActiveFilter = z
  .enum(['true', 'false', 'all'])
  .default('true')
  .transform((asked) => (asked === 'true' ? undefined : asked))
export type ActiveFilter = z.output<typeof ActiveFilter>

/** The statement of each filter. Each condition has an index by seq, or none is needed. */
export function byActivity<T>(pageOf: (condition?: SQL) => T): (is_active: ActiveFilter) => T {
  const pages = {
    true: pageOf(sql`is_active = 1`),
    false: pageOf(sql`is_active = 0`),
    all: pageOf(),
  }
  return (is_active) => pages[is_active ?? 'true']
}
