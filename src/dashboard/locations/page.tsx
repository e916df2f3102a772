import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import { nameRecord } from '../../middleware/exchange.ts'
import { findLocation } from '../../resources/locations/queries.ts'
import { Heading } from '../layout/heading.tsx'
import { showPage } from '../layout/page.tsx'
import { Active } from '../records/active.tsx'
import { addressOf } from '../records/address.ts'
import { ActivityLink } from '../records/change-activity.tsx'
import { Fact, Facts, JsonSection } from '../records/facts.tsx'
import { HistorySection, historyOf } from '../records/history.tsx'
import { ReadCall } from '../records/read-call.tsx'
import { StockSection, stockOf } from '../records/stock.tsx'

export async function showLocation(c: Context<AppEnv>, id: string) {
  const location = await findLocation(c.get('db'), addressOf(c, 'locations', id))
  const { code } = location
  nameRecord(c, code)
  const of = { location_code: code }
  const [stock, history] = await Promise.all([stockOf(c, of), historyOf(c, { id, name: code })])
  return showPage(
    c,
    `Location ${code}`,
    <>
      <Heading text={`Location ${code}`}>
        <ActivityLink c={c} resource="locations" record={location} />
      </Heading>
      <Facts>
        <Fact name="State">
          <Active isActive={location.is_active} />
        </Fact>
        <Fact name="Name" text={location.name} />
        <Fact name="Zone" text={location.zone} />
        <Fact name="Aisle" text={location.aisle} />
        <Fact name="Id">
          <code>{id}</code>
        </Fact>
      </Facts>
      <ReadCall c={c} resource="locations" name={code} />
      <StockSection of={of} stock={stock} />
      <JsonSection title="Metadata" value={location.metadata} />
      <HistorySection resource="locations" name={code} history={history} />
    </>,
  )
}
