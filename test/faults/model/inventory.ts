import { clearable, hasFields, isInteger, isName, isObject, isText, oneOf } from './fields.ts'
import { isByQuantity, matchesStock, stockFilters } from './filters.ts'
import { historyOf } from './history.ts'
import { ANYTHING } from './matching.ts'
import {
  type Context,
  type Done,
  filteredPage,
  INVALID,
  type Operation,
  operation,
  shown,
} from './operation.ts'
import {
  type Json,
  type Replaced,
  type ReplacedPair,
  type State,
  type Stock,
  withRecord,
} from './state.ts'

const SOURCES = ['bulk_import', 'manual_adjustment', 'erp_sync', 'initial_load']
const isRow = hasFields({
  ...{ location_code: isName, sku_code: isName, quantity: isInteger(0) },
  if_quantity: clearable(isInteger(0)),
})

export const inventory: Record<string, Operation> = {
  'inventory.upload': operation('POST', '/inventory/', 'integrations.inventory.write', {
    maps: 'inventory',
    accepts: hasFields({
      inventory: (rows) => Array.isArray(rows) && rows.length > 0,
      source: clearable(oneOf(...SOURCES)),
      notes: clearable(isText),
    }),
    act: upload,
  }),
  'inventory.list': operation('GET', '/inventory/', 'integrations.inventory.read', {
    maps: 'inventory',
    act: list,
  }),
  'inventory.get': operation('GET', '/inventory/:at/', 'integrations.inventory.read', {
    maps: 'inventory',
    act: stockAt,
  }),
  'inventory.history': operation('GET', '/inventory/:at/history/', 'integrations.inventory.read', {
    act: historyOf,
  }),
}

function list(context: Context) {
  const { state, query } = context
  return filteredPage(
    stockFilters(query),
    context,
    isByQuantity(query) ? lastToFirst(context) : state.stock,
    'inventory',
    (row) => row,
    (row) => row !== PLACE && matchesStock(query, row),
  )
}

/** The row at which the last page ended, which may have another quantity by now. */
const PLACE: Stock = { location_code: '', sku_code: '', quantity: 0 }

/** By quantity and then by age, the last one first. Of rows of one place, the one of the cursor comes after the stored one. */
function lastToFirst({ state, query: { after } }: Context): [string, Stock][] {
  const names = [...state.stock.keys()]
  const rows = [...state.stock].map(([name, row], age) => {
    return { name: `${row.quantity} ${name}`, row, quantity: row.quantity, age }
  })
  const [, quantity, name] = /^(\d+) (.*)$/.exec(after ?? '') ?? []
  if (after !== undefined && name !== undefined) {
    rows.push({ name: after, row: PLACE, quantity: Number(quantity), age: names.indexOf(name) })
  }
  const sorted = rows.toSorted((one, other) => one.quantity - other.quantity || one.age - other.age)
  return sorted.map(({ name, row }): [string, Stock] => [name, row]).reverse()
}

function stockAt({ state, at, query: { by = 'location' } }: Context) {
  if (!['location', 'sku'].includes(by)) return INVALID
  const rows = [...state.stock.values()].reverse()
  const field = by === 'sku' ? 'sku_code' : 'location_code'
  return shown(
    state,
    rows.filter((row) => row[field] === at),
  )
}

/** Row by row, as if each came alone. */
function upload({ state, body }: Context): Done {
  const rows = body.inventory as unknown[]
  let next = state
  let [created, updated] = [0, 0]
  const unmet = new Set<unknown>()
  for (const row of rows) {
    if (!isStock(row) || !isKnown(state, row)) continue
    const { location_code, sku_code, quantity, if_quantity } = row
    const name = `${location_code} ${sku_code}`
    const stored = next.stock.get(name)?.quantity ?? null
    if (if_quantity !== undefined && if_quantity !== stored) {
      unmet.add(row)
      continue
    }
    if (next.stock.has(name)) updated += 1
    else created += 1
    next = withRecord(next, 'stock', name, { location_code, sku_code, quantity })
  }
  next = { ...next, stock: inOrder(next.stock, state.stock, rows) }
  const counts = { total: rows.length, created, updated, failed: rows.length - created - updated }
  const { source, notes } = body
  return {
    status: 200,
    state: next,
    told: (later) => ({ data: { ...counts, errors: errorsOf(rows, unmet, later) } }),
    changes: changesBetween(state, next, rows),
    replaced: replacedStock(state, next, rows),
    upload: {
      source: (source ?? 'bulk_import') as string,
      notes: (notes ?? null) as string | null,
      total: rows.length,
      created,
      failed: counts.failed,
    },
  }
}

function changesBetween(before: State, after: State, rows: unknown[]): Json[] {
  return pairsBetween(before, after, rows).map((pair) => ({ ...pair, source: ANYTHING }))
}

/** Net, in order of first appearance. */
function pairsBetween(before: State, after: State, rows: unknown[]): ReplacedPair[] {
  const names = rows
    .filter(isStock)
    .map(({ location_code, sku_code }) => `${location_code} ${sku_code}`)
  return [...new Set(names)].flatMap((name) => {
    const [from, to] = [before.stock.get(name), after.stock.get(name)]
    if (!to || from?.quantity === to.quantity) return []
    const { location_code, sku_code, quantity } = to
    return [{ location_code, sku_code, from: from?.quantity ?? null, to: quantity }]
  })
}

/** New pairs in the order in which well-formed rows name them first, with or without an effect. */
function inOrder(stock: State['stock'], before: State['stock'], rows: unknown[]): State['stock'] {
  const named = rows.filter(isStock).map((row) => `${row.location_code} ${row.sku_code}`)
  const known = [...before.keys(), ...named].filter((name) => stock.has(name))
  return new Map(known.map((name) => [name, stock.get(name) as Stock]))
}

/** Of what had a record, the pairs of a location stand together. */
function replacedStock(before: State, after: State, rows: unknown[]): Replaced {
  const pairs = pairsBetween(before, after, rows)
  const locations = [...new Set(rows.filter(isStock).map(({ location_code }) => location_code))]
  const placeOf = ({ location_code }: ReplacedPair) => locations.indexOf(location_code)
  const changed = pairs.filter(({ from }) => from !== null)
  const created = pairs.filter(({ from }) => from === null)
  const slices = [changed.sort((one, other) => placeOf(one) - placeOf(other)), created] as const
  return { resource: 'inventory', slices }
}

const isStock = (row: unknown): row is Stock & { if_quantity?: number | null } => isRow(row)

function isKnown({ locations, products }: State, { location_code, sku_code }: Stock): boolean {
  return locations.has(location_code) && products.has(sku_code)
}

/**
 * The codes are looked up with the answer: where that was lost, and asked for again, later. What conditions found is
 * known from the write itself.
 */
function errorsOf(rows: unknown[], unmet: Set<unknown>, later: State) {
  return rows.flatMap((sent, row) => {
    if (isStock(sent) && isKnown(later, sent) && !unmet.has(sent)) return []
    const { location_code, sku_code } = isObject(sent) ? sent : {}
    const codes = { location_id: asText(location_code), product_id: asText(sku_code) }
    return [{ row, ...codes, errors: ANYTHING, source: ANYTHING }]
  })
}

function asText(code: unknown): string {
  return typeof code === 'object' || code === undefined ? '' : String(code)
}
