import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { findPairs } from '../../records/inventory/pair.ts'
import { receiveUpload } from '../../records/inventory/receive.ts'
import { count } from '../parts/numbers.ts'
import type { CarriedStock } from './carried.ts'
import type { RowText } from './plan.ts'

/** What has become of an imported table of stock. */
export interface StockResult {
  /** The request to undo; null if there was nothing to do. */
  request_id: string | null
  created: number
  changed: number
  same: number
  failed: number
  /** The first of those that failed. */
  failures: RowText[]
  warnings: string[]
}

/**
 * Imports all rows as one upload, each on the condition that the stock is still what the check has found. Stock that is
 * by now as the table says is left out, so a form that is sent twice changes nothing the second time.
 */
export async function importStock(c: Context<AppEnv>, rows: CarriedStock[]): Promise<StockResult> {
  const found = await findPairs(c.get('db'), rows.map(pairOf))
  const due = rows.filter(([, , , quantity], at) => found[at]?.quantity !== quantity)
  const same = rows.length - due.length
  if (due.length === 0) {
    return { request_id: null, created: 0, changed: 0, same, failed: 0, failures: [], warnings: [] }
  }
  const inventory = due.map((row) => {
    return { ...pairOf(row), quantity: row[3], if_quantity: row[4] }
  })
  const notes = `Imported by hand, a table of ${count(rows.length)} rows.`
  const { result, warnings } = await receiveUpload(c, { inventory, source: 'bulk_import', notes })
  const { created, updated, failed } = result
  const { failures, same: sameByNow } = await failuresOf(c, due, result.errors)
  return {
    request_id: c.get('exchange').request_id,
    created: created ?? 0,
    changed: updated ?? 0,
    same: same + sameByNow,
    failed: (failed ?? 0) - sameByNow,
    failures,
    warnings: warnings.map(({ message }) => message),
  }
}

function pairOf([, location_code, sku_code]: CarriedStock) {
  return { location_code, sku_code }
}

type Errors = Awaited<ReturnType<typeof receiveUpload>>['result']['errors']

/** The other of two forms that were sent at once finds the stock as it was to be: such rows have not failed. */
async function failuresOf(c: Context<AppEnv>, due: CarriedStock[], errors: Errors) {
  const failed = errors.flatMap(({ row, errors: why }) => {
    const sent = due[row]
    return sent ? [{ sent, reason: Object.values(why).flat().join(' ') }] : []
  })
  const now = await pairsNow(
    c,
    failed.map(({ sent }) => sent),
  )
  const failures = failed.flatMap(({ sent, reason }, at) => {
    const [row, location_code, sku_code, quantity] = sent
    if (now[at]?.quantity === quantity) return []
    return [{ row, name: `${sku_code} at ${location_code}`, text: reason }]
  })
  return { failures, same: failed.length - failures.length }
}

/** The upload is made: its result is told even if this cannot be read. */
async function pairsNow(c: Context<AppEnv>, rows: CarriedStock[]) {
  if (rows.length === 0) return []
  return await findPairs(c.get('db'), rows.map(pairOf)).catch(() => [])
}
