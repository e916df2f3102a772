import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import { STOCK_LOOKED_MAX } from '../../records/inventory/quantity-below.ts'
import type { StockRow } from '../../records/inventory/schema.ts'
import { curlPosting } from '../curl.ts'
import { Heading } from '../parts/heading.tsx'
import { Input } from '../parts/input.tsx'
import { count } from '../parts/numbers.ts'
import { BY_TEXT, ListCount, Pager } from '../parts/pager.tsx'
import { Records } from '../parts/records.tsx'
import { adjustPath, historyPath, lowStockPath, type PageFilters } from '../paths.ts'
import { AdjustCell, mayAdjust } from '../records/adjust-link.tsx'
import { ListFilterForm } from '../records/filter-form.tsx'
import { ImportLink } from '../records/import-link.tsx'
import type { PairIds } from '../records/linked.ts'
import { Nothing } from '../records/nothing.tsx'
import { RecordLink } from '../records/record-link.tsx'
import { showPage } from '../shell/page.tsx'

const FIELDS = ['location_code', 'sku_code', 'quantity_below'] as const

const EXAMPLE = { inventory: [{ location_code: 'A-01', sku_code: 'TEA-1', quantity: 40 }] }

export interface ListedStock extends Page<StockRow> {
  chosen: PageFilters
  ids: PairIds
  /** The search stopped before its page was full. */
  isCut: boolean
}

export function showStock(c: Context<AppEnv>, listed: ListedStock) {
  const { chosen } = listed
  const searched = `Searched the newest ${count(STOCK_LOOKED_MAX)} records.`
  return showPage(
    c,
    'Inventory',
    <>
      <Head c={c} chosen={chosen} error={null} />
      <StockTable
        c={c}
        listed={listed}
        isByQuantity={isByQuantity(chosen)}
        cut={`${searched} “Older” continues from there.`}
        nothing={<NoStock c={c} chosen={chosen} />}
      />
    </>,
  )
}

/** Shows the filters as they were sent, with their errors. */
export function showBadStockFilters(c: Context<AppEnv>, chosen: PageFilters, error: ApiError) {
  return showPage(c, 'Inventory', <Head c={c} chosen={chosen} error={error} />)
}

interface HeadProps {
  c: Context<AppEnv>
  chosen: PageFilters
  error: ApiError | null
}

function Head({ c, chosen, error }: HeadProps) {
  return (
    <>
      <Heading text="Inventory">
        <a href={historyPath(chosen)}>History of stock</a>
        <a href={lowStockPath({ location_code: chosen.location_code })}>Low stock</a>
        {mayAdjust(c) && <a href={adjustPath(chosen)}>Adjust stock</a>}
        <ImportLink c={c} resource="inventory" />
      </Heading>
      <StockFilters chosen={chosen} error={error} />
    </>
  )
}

interface StockTableProps {
  c: Context<AppEnv>
  listed: ListedStock
  isByQuantity: boolean
  /** What is said if the search stopped. */
  cut: string
  /** What stands where there are no rows. */
  nothing: Child
}

/** Records of stock, with links to both records and to their adjustment. */
export function StockTable({ c, listed, isByQuantity, cut, nothing }: StockTableProps) {
  const { rows, next_cursor, ids, isCut } = listed
  return (
    <>
      <ListCount
        c={c}
        rows={rows.length}
        next={next_cursor}
        of={['record of stock', 'records of stock']}
      />
      {rows.length > 0 && (
        <Records columns={['Location', 'SKU', 'Quantity']} hasActions={mayAdjust(c)}>
          {rows.map((row) => (
            <tr>
              <th scope="row">
                <RecordLink resource="locations" name={row.location_code} ids={ids.locations} />
              </th>
              <td data-label="SKU" class="free">
                <RecordLink resource="products" name={row.sku_code} ids={ids.products} />
              </td>
              <td data-label="Quantity">{count(row.quantity)}</td>
              {mayAdjust(c) && <AdjustCell row={row} />}
            </tr>
          ))}
        </Records>
      )}
      {isCut && <p>{cut}</p>}
      {rows.length === 0 && !isCut && nothing}
      <Pager c={c} next={next_cursor} {...(isByQuantity && { names: BY_TEXT })} />
    </>
  )
}

/** As the API has it: low stock of all locations is in order of the quantity. */
function isByQuantity({ quantity_below, location_code, sku_code }: PageFilters): boolean {
  return quantity_below !== undefined && location_code === undefined && sku_code === undefined
}

function NoStock({ c, chosen }: { c: Context<AppEnv>; chosen: PageFilters }) {
  return (
    <Nothing resource="inventory" fields={FIELDS} chosen={chosen} text="No stock yet.">
      <p>
        Stock arrives when a client sends quantities of products at locations:{' '}
        <code>{curlPosting(c, 'integrations/v1/inventory/', EXAMPLE)}</code>
      </p>
    </Nothing>
  )
}

function StockFilters({ chosen, error }: { chosen: PageFilters; error: ApiError | null }) {
  const control = (name: (typeof FIELDS)[number]) => ({ name, error, value: chosen[name] ?? '' })
  return (
    <ListFilterForm resource="inventory" fields={FIELDS} chosen={chosen} error={error}>
      <Input label="Location" {...control('location_code')} help="A location's code." />
      <Input label="SKU" {...control('sku_code')} />
      <Input
        label="Quantity below"
        {...control('quantity_below')}
        help="Without a location or a SKU at most 101."
      />
    </ListFilterForm>
  )
}
