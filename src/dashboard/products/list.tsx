import type { Context } from 'hono'
import type * as z from 'zod'
import type { Page } from '../../document/pagination.ts'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import type { ProductRecord } from '../../resources/products/schema.ts'
import { curlPosting } from '../curl.ts'
import type { Filters } from '../form/chosen.ts'
import { Heading } from '../layout/heading.tsx'
import { count } from '../layout/numbers.ts'
import { showPage } from '../layout/page.tsx'
import { BY_TEXT, Pager } from '../layout/pager.tsx'
import { Records } from '../layout/records.tsx'
import { Active } from '../records/active.tsx'
import { ACTIVITY_FIELDS, ActivityFilter } from '../records/activity-filter.tsx'
import { Nothing } from '../records/nothing.tsx'
import { recordPath } from '../records/path.ts'
import { ListSearch } from '../search/list-search.tsx'

type Product = Omit<z.output<typeof ProductRecord>, 'custom_fields'>

export function showProducts(
  c: Context<AppEnv>,
  chosen: Filters,
  { rows, next_cursor }: Page<Product>,
) {
  return showPage(
    c,
    'Products',
    <>
      <Head chosen={chosen} error={null} />
      {rows.length === 0 ? <NoProducts c={c} chosen={chosen} /> : <ProductTable rows={rows} />}
      <Pager c={c} next={next_cursor} {...(chosen.search && { names: BY_TEXT })} />
    </>,
  )
}

/** Shows the filter as it was sent, with its error. */
export function showBadFilters(c: Context<AppEnv>, chosen: Filters, error: ApiError) {
  return showPage(c, 'Products', <Head chosen={chosen} error={error} />)
}

function Head({ chosen, error }: { chosen: Filters; error: ApiError | null }) {
  return (
    <>
      <Heading text="Products">
        <ListSearch resource="products" chosen={chosen} />
      </Heading>
      {(chosen.search === undefined || error !== null) && (
        <ActivityFilter resource="products" chosen={chosen} error={error} />
      )}
    </>
  )
}

export function ProductTable({ rows }: { rows: Product[] }) {
  return (
    <Records columns={['SKU', 'State', 'Quantity', 'Cost']}>
      {rows.map((product) => (
        <ProductRow product={product} />
      ))}
    </Records>
  )
}

function ProductRow({ product: { id, sku, is_active, quantity, cost } }: { product: Product }) {
  return (
    <tr>
      <th scope="row">
        <a href={recordPath('products', id)}>{sku}</a>
      </th>
      <td data-label="State">
        <Active isActive={is_active} />
      </td>
      <td data-label="Quantity">{count(quantity)}</td>
      <td data-label="Cost">{cost ?? '—'}</td>
    </tr>
  )
}

function NoProducts({ c, chosen }: { c: Context<AppEnv>; chosen: Filters }) {
  return (
    <Nothing
      resource="products"
      fields={ACTIVITY_FIELDS}
      chosen={chosen}
      text="No active products yet."
    >
      <p>
        A product arrives when a client sends it:{' '}
        <code>{curlPosting(c, 'integrations/v1/products/', { sku: 'TEA-1' })}</code>
      </p>
    </Nothing>
  )
}
