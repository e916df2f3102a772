import type { Context } from 'hono'
import type * as z from 'zod'
import type { Match } from '../../engine/db/walks.ts'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import type { OrderRecord } from '../../records/orders/schema.ts'
import { curlPosting } from '../curl.ts'
import { partnersOf } from '../form/choices.ts'
import { Heading } from '../parts/heading.tsx'
import { BY_TEXT, ListCount, Pager } from '../parts/pager.tsx'
import { Records } from '../parts/records.tsx'
import { Time } from '../parts/time.tsx'
import { type PageFilters, recordPath } from '../paths.ts'
import { FoundBy, foundColumns } from '../records/found-by.tsx'
import { ListSearch } from '../records/list-search.tsx'
import { Nothing } from '../records/nothing.tsx'
import { isLimited } from '../search-groups.ts'
import { showPage } from '../shell/page.tsx'
import { FIELDS, OrderFilterInputs } from './form.tsx'
import { Status } from './status.tsx'

type Summary = Pick<
  z.output<typeof OrderRecord>,
  'id' | 'order_number' | 'status' | 'customer_name' | 'created_at'
> &
  Partial<Match>

const EXAMPLE = { order_number: 'SO-1', items: [{ sku_code: 'TEA-1', quantity: 2 }] }

interface ListedOrders extends Page<Summary> {
  chosen: PageFilters
  partners: Awaited<ReturnType<typeof partnersOf>>
}

export function showOrders(
  c: Context<AppEnv>,
  { chosen, partners, rows, next_cursor }: ListedOrders,
) {
  const isSearch = chosen.search !== undefined
  return showPage(
    c,
    'Orders',
    <>
      <Heading text="Orders">
        {!isLimited(c) && <ListSearch resource="orders" chosen={chosen} />}
      </Heading>
      {!isSearch && <OrderFilterInputs chosen={chosen} error={null} partners={partners} />}
      <ListCount c={c} rows={rows.length} next={next_cursor} of={['order', 'orders']} />
      {rows.length === 0 ? <NoOrders c={c} chosen={chosen} /> : <OrderTable rows={rows} />}
      <Pager c={c} next={next_cursor} {...(isSearch && { names: BY_TEXT })} />
    </>,
  )
}

/** Shows the filters as they were sent, with their errors. */
export async function showBadOrderFilters(
  c: Context<AppEnv>,
  chosen: PageFilters,
  error: ApiError,
) {
  const partners = await partnersOf(c)
  return showPage(
    c,
    'Orders',
    <>
      <Heading text="Orders">
        {!isLimited(c) && <ListSearch resource="orders" chosen={chosen} />}
      </Heading>
      <OrderFilterInputs chosen={chosen} error={error} partners={partners} />
    </>,
  )
}

/** Of a search, with what matches. */
export function OrderTable({ rows }: { rows: Summary[] }) {
  const [name, ...others] = ['Order number', 'Status', 'Customer', 'Created'] as const
  return (
    <Records columns={[name, ...foundColumns(rows), ...others]}>
      {rows.map((order) => (
        <OrderRow order={order} />
      ))}
    </Records>
  )
}

function OrderRow({ order }: RowProps) {
  const { id, order_number, status, customer_name, created_at } = order
  return (
    <tr>
      <th scope="row">
        <a href={recordPath('orders', id)}>{order_number}</a>
      </th>
      <FoundBy match={order} />
      <td data-label="Status">
        <Status status={status} />
      </td>
      <td data-label="Customer" class="free">
        {customer_name ?? '—'}
      </td>
      <td data-label="Created">
        <Time at={created_at} />
      </td>
    </tr>
  )
}

interface RowProps {
  order: Summary
}

function NoOrders({ c, chosen }: { c: Context<AppEnv>; chosen: PageFilters }) {
  return (
    <Nothing resource="orders" fields={FIELDS} chosen={chosen} text="No orders yet.">
      <p>
        An order arrives when a client sends it:{' '}
        <code>{curlPosting(c, 'integrations/v1/orders/', EXAMPLE)}</code>
      </p>
    </Nothing>
  )
}
