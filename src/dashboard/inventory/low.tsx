import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import { STOCK_LOOKED_MAX } from '../../records/inventory/quantity-below.ts'
import type { StockRow } from '../../records/inventory/schema.ts'
import { may } from '../access.ts'
import { Empty } from '../parts/empty.tsx'
import { ClearFilters } from '../parts/filter-panel.tsx'
import { Heading } from '../parts/heading.tsx'
import { Input } from '../parts/input.tsx'
import { count } from '../parts/numbers.ts'
import { BY_TEXT, ListCount, Pager } from '../parts/pager.tsx'
import { Records } from '../parts/records.tsx'
import { listPath, lowStockPath, type PageFilters, WORKSPACE_PATH } from '../paths.ts'
import { mayAdjust } from '../records/adjust-link.tsx'
import { isFiltered, ListFilterForm } from '../records/filter-form.tsx'
import { showPage } from '../shell/page.tsx'
import { type Ids, StockLine } from './list.tsx'

const FIELDS = ['location_code'] as const
const TITLE = 'Low stock'

interface Listed extends Page<StockRow> {
  chosen: PageFilters
  ids: Ids
  /** The search stopped before its page was full. */
  isCut: boolean
  /** What is low: at most this quantity. */
  most: number
}

/** Stock that is low by the setting of the workspace, the lowest first. */
export function showLowStock(c: Context<AppEnv>, listed: Listed) {
  const { chosen, ids, isCut, most, rows, next_cursor } = listed
  return showPage(
    c,
    TITLE,
    <>
      <Head chosen={chosen} error={null} />
      <p>
        Stock of at most {count(most)} at a location, the lowest first.
        {may(c, 'settings.workspace.read') && (
          <>
            {' '}
            <a href={WORKSPACE_PATH}>The workspace</a> says which stock is low.
          </>
        )}
      </p>
      <ListCount
        c={c}
        rows={rows.length}
        next={next_cursor}
        of={['record of stock', 'records of stock']}
      />
      {rows.length > 0 && (
        <Records columns={['Location', 'SKU', 'Quantity']} hasActions={mayAdjust(c)}>
          {rows.map((row) => (
            <StockLine c={c} row={row} ids={ids} />
          ))}
        </Records>
      )}
      {isCut && (
        <p>Searched {count(STOCK_LOOKED_MAX)} records of low stock. “Next” continues from there.</p>
      )}
      {rows.length === 0 && !isCut && <NothingLow chosen={chosen} />}
      <Pager c={c} next={next_cursor} names={BY_TEXT} />
    </>,
  )
}

/** Shows the filter as it was sent, with its error. */
export function showBadLowStock(c: Context<AppEnv>, chosen: PageFilters, error: ApiError) {
  return showPage(c, TITLE, <Head chosen={chosen} error={error} />)
}

function Head({ chosen, error }: { chosen: PageFilters; error: ApiError | null }) {
  const { location_code } = chosen
  return (
    <>
      <Heading text={TITLE}>
        <a href={listPath('inventory', { location_code })}>All stock</a>
      </Heading>
      <ListFilterForm
        resource="inventory"
        path={lowStockPath()}
        fields={FIELDS}
        chosen={chosen}
        error={error}
      >
        <Input
          label="Location"
          name="location_code"
          error={error}
          value={location_code ?? ''}
          help="A location's code."
        />
      </ListFilterForm>
    </>
  )
}

function NothingLow({ chosen }: { chosen: PageFilters }) {
  if (chosen.cursor !== undefined) return <Empty text="There is no more." />
  if (!isFiltered(chosen, FIELDS)) return <Empty text="No stock is low." />
  return (
    <Empty text="No stock is low at this location.">
      <ClearFilters at={lowStockPath()} />
    </Empty>
  )
}
