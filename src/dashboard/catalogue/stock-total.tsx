import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { Product } from '../../engine/model/product.ts'
import { type Kind, recordName } from '../../records/catalogue/kind.ts'
import { findStockTotals, type StockTotal } from '../../records/inventory/stock-totals.ts'
import { may } from '../access.ts'
import { count } from '../parts/numbers.ts'
import { headingOf } from './values.ts'

export const STOCK_HEADING = 'Stock at locations'

/** By SKU; null where a list has no stock, or the session's key may not read it. */
export type StockTotals = Map<string, StockTotal> | null

/** The stock of the products that a page shows. */
export async function stockTotalsOf(
  c: Context<AppEnv>,
  kind: Kind,
  rows: object[],
): Promise<StockTotals> {
  if (kind.resource !== 'products' || !may(c, 'integrations.inventory.read')) return null
  return await findStockTotals(
    c.get('db'),
    rows.map((row) => recordName(kind, row)),
  )
}

export function StockTotalCell({ total }: { total: StockTotal | undefined }) {
  return (
    <td data-label={STOCK_HEADING}>
      {total === undefined ? (
        'none'
      ) : (
        <>
          {count(total.quantity)}
          {total.isLeast && ' or more'}
          <small class="line">{placesOf(total)}</small>
        </>
      )}
    </td>
  )
}

function placesOf({ locations, isLeast }: StockTotal): string {
  if (isLeast) return `at ${count(locations)}+ locations`
  return locations === 1 ? 'at 1 location' : `at ${count(locations)} locations`
}

/** What the two quantities of a product are. */
export function StockExplained() {
  return (
    <p>
      <strong>{STOCK_HEADING}</strong> is what the inventory has of a product, added up.{' '}
      <strong>{headingOf(Product, 'quantity')}</strong> is the field <code>quantity</code> of the
      product, which partners write. Neither changes the other.
    </p>
  )
}
