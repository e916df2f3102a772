import type { Json, Replaced, ReplacedPair } from './state.ts'

// What the database remembers of what requests replaced, in the words of the model.

export interface Remembered {
  request_id: string
  resource: Replaced['resource']
  pairs?: ReplacedPair[]
  id?: string
  version?: number
}

export interface RememberedRow {
  request_id: string
  resource: Replaced['resource']
  replaced: string
}

/** Without what uploads have found and not replaced, and what they only name for the feed of changes. */
export const REMEMBERED = `select request_id, resource, replaced
  from replaced_values left join audit_log on audit_log.seq = changed_in
  where position not between 2000 and 2999 order by changed_in, position`

/** Records that do not say when their last request changed them, or which place that has in the log. */
export const MISPLACED = ['orders', 'products', 'locations', 'inventory']
  .map((table) => {
    const isLate = table === 'inventory' ? 'or changed_at is not log.created_at' : ''
    return `select '${table}' as resource, changed_by, changed_in from ${table}
      left join audit_log as log on log.request_id = changed_by
      where changed_in is not coalesce(log.seq, 0) ${isLate}`
  })
  .join(' union all ')

/** A row for each request. `stock` has the pairs with their numbers. */
export function rememberedIn(rows: RememberedRow[], stock: Json[]): Remembered[] {
  const pairs = new Map(stock.map((row) => [Number(row.seq), row]))
  const all = new Map<string, Remembered>()
  for (const { request_id, resource, replaced } of rows) {
    const { changed = [], created, id, version } = JSON.parse(replaced)
    const isNew = created?.quantities.map((to: number, at: number) => [
      created.first + at,
      null,
      to,
    ])
    const found = [...changed, ...(isNew ?? [])].map(([seq, from, to]): ReplacedPair => {
      const { location_code, sku_code } = pairs.get(seq) ?? {}
      return { location_code: String(location_code), sku_code: String(sku_code), from, to }
    })
    const known = all.get(request_id)?.pairs ?? []
    const told = resource === 'inventory' ? { pairs: [...known, ...found] } : { id, version }
    all.set(request_id, { request_id, resource, ...told })
  }
  return [...all.values()]
}
