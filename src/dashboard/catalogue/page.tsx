import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { nameRecord } from '../../engine/exchange/row.ts'
import { capitalized, fieldNames } from '../../engine/model/record.ts'
import { recordName } from '../../records/catalogue/kind.ts'
import { findRecord } from '../../records/catalogue/queries.ts'
import { FreedDeliveries, waitingForRecord } from '../deliveries/summary.tsx'
import { Heading } from '../parts/heading.tsx'
import { EditLink } from '../record-form/edit.tsx'
import { addressOf } from '../records/address.ts'
import { Fact, Facts } from '../records/facts.tsx'
import { HistorySection, historyOf } from '../records/history.tsx'
import { ObjectAsJson, ObjectSection } from '../records/object-section.tsx'
import { ReadCall } from '../records/read-call.tsx'
import { StockSection, stockOf } from '../records/stock.tsx'
import { showPage } from '../shell/page.tsx'
import { Active, ActivityLink } from './activity.tsx'
import type { Pages } from './pages.ts'
import { factsOf, headingOf, textOf } from './values.ts'

export async function showRecord(c: Context<AppEnv>, pages: Pages, id: string) {
  const { resource, record } = pages.kind
  const row = await findRecord(pages.kind, c.get('db'), addressOf(c, resource, id))
  const name = recordName(pages.kind, row)
  nameRecord(c, name)
  const of = pages.stockOf(name)
  const [stock, history, waiting] = await Promise.all([
    stockOf(c, of),
    historyOf(c, { id, name }),
    waitingForRecord(c, resource, name),
  ])
  const title = `${capitalized(record.one)} ${name}`
  const objects = fieldNames(record.fields, ({ kind }) => kind === 'object').map((field) => {
    return { title: headingOf(record, field), value: Reflect.get(row, field) }
  })
  return showPage(
    c,
    title,
    <>
      <Heading text={title}>
        <EditLink c={c} resource={resource} id={id} />
        <ActivityLink c={c} resource={resource} record={row} />
      </Heading>
      <FreedDeliveries resource={resource} code={name} waiting={waiting} />
      <Facts>
        <Fact name="State">
          <Active isActive={row.is_active} />
        </Fact>
        {factsOf(record, Object.keys(record.fields)).map((field) => (
          <Fact name={headingOf(record, field)} text={textOf(record, field, row)} />
        ))}
        <Fact name="Id">
          <code>{id}</code>
        </Fact>
      </Facts>
      <StockSection of={of} stock={stock} />
      {objects.map((object) => (
        <ObjectSection {...object} />
      ))}
      <HistorySection resource={resource} name={name} history={history} />
      <ReadCall c={c} resource={resource} name={name}>
        {objects.map((object) => (
          <ObjectAsJson {...object} />
        ))}
      </ReadCall>
    </>,
  )
}
