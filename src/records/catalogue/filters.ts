import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { byName } from '../../engine/json/by-name.ts'
import { type Filters, pageParams } from '../../engine/json/pagination.ts'
import type { RecordDefinition } from '../../engine/model/record.ts'

/** Which records a list shows: those whose `is_active` is this. Undefined is `true`, which is no filter. */
const ActiveFilter = z
  .enum(['true', 'false', 'all'])
  .default('true')
  .transform((asked) => (asked === 'true' ? undefined : asked))
type ActiveFilter = z.output<typeof ActiveFilter>

/** Whether a list shows only products without stock. Undefined is `false`, which is no filter. */
const WithoutStock = z
  .enum(['true', 'false'])
  .default('false')
  .transform((asked) => (asked === 'true' ? asked : undefined))

/** Of a list: exact values of fields, whether records are active, and of products whether they have no stock. */
export type CatalogueFilters = Filters & {
  is_active?: ActiveFilter
  without_stock?: string | undefined
}

/** The query of a list. */
export function pageQuery({ many, filters }: Pick<RecordDefinition, 'many' | 'filters'>) {
  const exact = byName(filters, () => z.string().min(1).optional())
  return z.object({ ...pageParams(many), ...exact, is_active: ActiveFilter })
}

/** The query of the list of products. */
export function productsQuery(record: Pick<RecordDefinition, 'many' | 'filters'>) {
  return pageQuery(record).extend({ without_stock: WithoutStock })
}

/** The statement of each filter. Each condition has an index by seq, or none is needed. */
export function byActivity<T>(pageOf: (condition?: SQL) => T): (is_active: ActiveFilter) => T {
  const pages = {
    true: pageOf(sql`is_active = 1`),
    false: pageOf(sql`is_active = 0`),
    all: pageOf(),
  }
  return (is_active) => pages[is_active ?? 'true']
}
