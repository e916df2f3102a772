import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { STOCK_LOOKED_MAX } from '../../records/inventory/quantity-below.ts'
import { may } from '../access.ts'
import { Empty } from '../parts/empty.tsx'
import { ClearFilters, isFiltered } from '../parts/filter-panel.tsx'
import { Heading } from '../parts/heading.tsx'
import { Input } from '../parts/input.tsx'
import { count } from '../parts/numbers.ts'
import { listPath, lowStockPath, type PageFilters, WORKSPACE_PATH } from '../paths.ts'
import { ListFilterForm } from '../records/filter-form.tsx'
import { showPage } from '../shell/page.tsx'
import { type ListedStock, StockTable } from './list.tsx'

const FIELDS = ['location_code'] as const
const TITLE = 'Low stock'

/** Stock that is low, the lowest first. `most` is the quantity up to which it is, by the setting of the workspace. */
export function showLowStock(c: Context<AppEnv>, listed: ListedStock, most: number) {
  const { chosen } = listed
  const searched = `Searched ${count(STOCK_LOOKED_MAX)} records of low stock.`
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
      <StockTable
        c={c}
        listed={listed}
        isByQuantity
        cut={`${searched} “Next” continues from there.`}
        nothing={<NothingLow chosen={chosen} />}
      />
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
