import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { DAY_MS } from '../../engine/json/date-time.ts'
import { homeSightOf } from '../../requests/overview/access.ts'
import { COUNTED_MAX, type Counted } from '../../requests/overview/counted.ts'
import type { Home } from '../../requests/overview/queries.ts'
import { type StockUpload, UPLOADS_MAX } from '../../requests/overview/warehouse.ts'
import { may } from '../access.ts'
import { Status } from '../orders/status.tsx'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { Time } from '../parts/time.tsx'
import { auditLogPath, listPath, lowStockPath, requestPath } from '../paths.ts'
import { type NameLinks, PartnerName } from '../records/names.tsx'
import { isOne, shownCount } from './need-line.ts'

interface WarehouseProps {
  c: Context<AppEnv>
  home: Home
  names: NameLinks
}

/** How the warehouse is, as far as the session's key may see it. */
export function Warehouse({ c, home, names }: WarehouseProps) {
  const { orders, stock } = homeSightOf(c)
  if (!orders && !stock) return null
  return (
    <section>
      <h2>The warehouse</h2>
      {orders && <OpenOrders open={home.open} />}
      {stock && <StockLines c={c} home={home} names={names} />}
    </section>
  )
}

function OpenOrders({ open }: Pick<Home, 'open'>) {
  if (open.length === 0) return <p class="nothing">No order is open.</p>
  return (
    <Records columns={['Open orders', 'Number', 'Oldest', 'Overdue']}>
      {open.map(({ status, orders, oldest_at, overdue }) => (
        <tr>
          <th scope="row">
            <a href={listPath('orders', { status })}>
              <Status status={status} />
            </a>
          </th>
          <td data-label="Number">{shownCount(orders)}</td>
          <td data-label="Oldest">
            <Time at={oldest_at} />
          </td>
          <td data-label="Overdue">
            {overdue === 0 ? '—' : count(overdue)}
            {orders.isMore && ` of the oldest ${COUNTED_MAX}`}
          </td>
        </tr>
      ))}
    </Records>
  )
}

/** What there is to say of stock, a line each. */
function StockLines({ c, home: { uploads, low, read_at }, names }: WarehouseProps) {
  return (
    <ul class="stock-lines">
      <ChangedStock uploads={uploads} readAt={read_at} />
      {lastOfEach(uploads).map(({ request_id, partner_id, sender, created_at }) => (
        <li>
          Last stock of <PartnerName links={names} id={partner_id} name={sender} />:{' '}
          <a href={requestPath(request_id)}>
            <Time at={created_at} />
          </a>
        </li>
      ))}
      <li>
        <a href={lowStockPath()}>Low stock</a>: {lowWords(low)}.
      </li>
      {may(c, 'integrations.products.read') && (
        <li>
          <a href={listPath('products', { without_stock: 'true' })}>Products without stock</a>
        </li>
      )}
    </ul>
  )
}

function ChangedStock({ uploads, readAt }: { uploads: StockUpload[]; readAt: string }) {
  const since = new Date(Date.parse(readAt) - DAY_MS).toISOString()
  const recent = uploads.filter(({ created_at }) => created_at >= since).length
  if (recent === 0) return <li>No stock was changed in the last 24 hours.</li>
  const number = shownCount({ number: recent, isMore: recent >= UPLOADS_MAX })
  return (
    <li>
      <a
        href={auditLogPath({ resource: 'inventory', method: 'POST', status: '2xx', range: '24h' })}
      >
        {`${number} ${number === '1' ? 'request' : 'requests'}`}
      </a>{' '}
      changed stock in the last 24 hours.
    </li>
  )
}

function lowWords(low: Counted): string {
  if (low.number === 0) return 'none'
  return `${shownCount(low)} ${isOne(low) ? 'product at a location' : 'products at their locations'}`
}

/** Of each partner, and of each key without one. */
function lastOfEach(uploads: StockUpload[]): StockUpload[] {
  const bySender = Map.groupBy(uploads, ({ partner_id, sender }) => partner_id ?? sender)
  return [...bySender.values()].flatMap(([last]) => last ?? [])
}
