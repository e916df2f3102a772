import type { Context } from 'hono'
import { allRows } from '../../engine/db/wide-rows.ts'
import type { AppEnv } from '../../engine/env.ts'
import { listInventory } from '../../records/inventory/queries.ts'
import type { StockRow } from '../../records/inventory/schema.ts'
import { may } from '../access.ts'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { adjustPath, historyPath, listPath } from '../paths.ts'
import { AdjustCell, mayAdjust } from './adjust-link.tsx'
import { linkedIds } from './linked.ts'
import { MissingScope } from './missing-scope.tsx'
import { RecordLink } from './record-link.tsx'

const SCOPE = 'integrations.inventory.read'
const SHOWN_MAX = 20

/** The stock of one SKU, or at one location. */
export type StockOf = { sku_code: string } | { location_code: string }

export type Stock = Awaited<ReturnType<typeof stockOf>>

/** The newest stock; null if the session's key may not read stock. */
export async function stockOf(c: Context<AppEnv>, of: StockOf) {
  if (!may(c, SCOPE)) return null
  const db = c.get('db')
  const list = await listInventory(db, of, { limit: SHOWN_MAX, before: undefined })
  const rows = await allRows(db, list)
  const shown = rows.slice(0, SHOWN_MAX)
  const ids =
    'sku_code' in of
      ? await linkedIds(c, 'locations', shown.map(locationOf))
      : await linkedIds(c, 'products', shown.map(skuOf))
  return { rows: shown, hasMore: rows.length > SHOWN_MAX, ids, mayChange: mayAdjust(c) }
}

const locationOf = ({ location_code }: StockRow) => location_code
const skuOf = ({ sku_code }: StockRow) => sku_code

export function StockSection({ of, stock }: { of: StockOf; stock: Stock }) {
  return (
    <section>
      <h2>Stock</h2>
      {stock === null ? <MissingScope scope={SCOPE} /> : <StockTable of={of} {...stock} />}
    </section>
  )
}

function StockTable({ of, rows, hasMore, ids, mayChange }: { of: StockOf } & NonNullable<Stock>) {
  const adding = mayChange && <a href={adjustPath(of)}>Add stock</a>
  if (rows.length === 0) return <p class="nothing">None. {adding}</p>
  const [resource, column, nameOf] =
    'sku_code' in of
      ? (['locations', 'Location', locationOf] as const)
      : (['products', 'SKU', skuOf] as const)
  return (
    <>
      <Records columns={[column, 'Quantity']} hasActions={mayChange}>
        {rows.map((row) => (
          <tr>
            <th scope="row">
              <RecordLink resource={resource} name={nameOf(row)} ids={ids} />
            </th>
            <td data-label="Quantity">{count(row.quantity)}</td>
            {mayChange && <AdjustCell row={row} />}
          </tr>
        ))}
      </Records>
      <p>
        <a href={listPath('inventory', of)}>
          {hasMore ? `All of it: these are the newest ${SHOWN_MAX}` : 'In the inventory'}
        </a>
        {' · '}
        <a href={historyPath(of)}>History of its stock</a>
        {adding && <> · {adding}</>}
      </p>
    </>
  )
}
