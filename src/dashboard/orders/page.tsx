import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { nameRecord } from '../../engine/exchange/row.ts'
import { findOrder, partnerOfOrder } from '../../records/orders/queries.ts'
import { type NamedPartner, namePartners } from '../../settings/partners/queries.ts'
import { may } from '../access.ts'
import { Heading } from '../parts/heading.tsx'
import { Time } from '../parts/time.tsx'
import { recordPath } from '../paths.ts'
import { EditLink } from '../record-form/edit.tsx'
import { addressOf } from '../records/address.ts'
import { Fact, Facts } from '../records/facts.tsx'
import { HistorySection, historyOf } from '../records/history.tsx'
import { KnownPartnerName } from '../records/names.tsx'
import { ObjectAsJson, ObjectSection } from '../records/object-section.tsx'
import { ReadCall } from '../records/read-call.tsx'
import { showPage } from '../shell/page.tsx'
import { DifferencesSection, shownDifferences } from './differences.tsx'
import { LinesSection, linesOf } from './lines.tsx'
import { Status } from './status.tsx'

const FINAL = ['shipped', 'cancelled']

/** `error` is that of its button. */
export async function showOrder(c: Context<AppEnv>, id: string, error: ApiError | null = null) {
  const [order, partner, differences] = await Promise.all([
    findOrder(c.get('db'), addressOf(c, 'orders', id)),
    partnerOf(c, id),
    shownDifferences(c, id),
  ])
  const name = order.order_number
  nameRecord(c, name)
  const [lines, history] = await Promise.all([linesOf(c, order.items), historyOf(c, { id, name })])
  return showPage(
    c,
    `Order ${name}`,
    <>
      <Heading text={`Order ${name}`}>
        <EditLink c={c} resource="orders" id={id} />
        {may(c, 'integrations.orders.delete') && !FINAL.includes(order.status) && (
          <a href={`${recordPath('orders', id)}cancel/`}>Cancel order</a>
        )}
      </Heading>
      <DifferencesSection c={c} found={differences} error={error} />
      <OrderFacts order={order} partner={partner} />
      <LinesSection {...lines} />
      <ObjectSection title="Customer" value={order.customer_info} />
      <ObjectSection title="Metadata" value={order.metadata} />
      <HistorySection resource="orders" name={name} history={history} />
      <ReadCall c={c} resource="orders" name={name}>
        <ObjectAsJson title="Customer" value={order.customer_info} />
        <ObjectAsJson title="Metadata" value={order.metadata} />
      </ReadCall>
    </>,
  )
}

interface Partner {
  id: string
  known: NamedPartner | undefined
}

/** Null also to a key that may not see partners: the API does not tell it either. */
async function partnerOf(c: Context<AppEnv>, orderId: string): Promise<Partner | null> {
  if (!may(c, 'settings.partners.read')) return null
  const db = c.get('db')
  const id = await partnerOfOrder(db, addressOf(c, 'orders', orderId))
  return id === null ? null : { id, known: (await namePartners(db, [id])).get(id) }
}

type Order = Awaited<ReturnType<typeof findOrder>>

function OrderFacts({ order, partner }: { order: Order; partner: Partner | null }) {
  return (
    <Facts>
      <Fact name="Status">
        <Status status={order.status} />
      </Fact>
      <Fact name="Customer name" text={order.customer_name} />
      <Fact name="External order id" text={order.external_order_id} />
      {partner && (
        <Fact name="Partner">
          <KnownPartnerName {...partner} />
        </Fact>
      )}
      <Fact name="Order date">
        <Time at={order.order_date} />
      </Fact>
      <Fact name="Due date">
        <Time at={order.due_date} />
      </Fact>
      <Fact name="Notes" text={order.notes} />
      <Fact name="Created">
        <Time at={order.created_at} seconds />
      </Fact>
      <Fact name="Updated">
        <Time at={order.updated_at} seconds />
      </Fact>
      {order.cancelled_at !== null && (
        <>
          <Fact name="Cancelled">
            <Time at={order.cancelled_at} seconds />
          </Fact>
          <Fact name="Cancel reason" text={order.cancel_reason} />
        </>
      )}
      <Fact name="Id">
        <code>{order.id}</code>
      </Fact>
    </Facts>
  )
}
