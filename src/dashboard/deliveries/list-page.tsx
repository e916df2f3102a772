import type { Context } from 'hono'
import { OUTCOMES } from '../../engine/db/tables.ts'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import type { groupDeliveries } from '../../requests/deliveries/summary.ts'
import type { WaitingWebhook } from '../../requests/deliveries/webhooks.ts'
import { may } from '../access.ts'
import { Empty } from '../parts/empty.tsx'
import { ClearFilters } from '../parts/filter-panel.tsx'
import { Heading } from '../parts/heading.tsx'
import { PageCsvLink } from '../parts/page-csv.tsx'
import { ListCount, Pager } from '../parts/pager.tsx'
import { applyDeliveriesPath, auditLogPath, DELIVERIES_PATH, type PageFilters } from '../paths.ts'
import { isFiltered } from '../records/filter-form.tsx'
import { showPage } from '../shell/page.tsx'
import { DeliveryFilterForm, FILTERS } from './form.tsx'
import { NeedGroups } from './groups.tsx'
import { DeliveryTable, type WaitingRow } from './list.tsx'
import type { Known } from './remedy.tsx'

interface Listed extends Page<WaitingRow> {
  chosen: PageFilters
  webhooks: WaitingWebhook[]
  known: Known
  /** Of the first page without filters. */
  grouped: Awaited<ReturnType<typeof groupDeliveries>> | null
}

export function showDeliveries(c: Context<AppEnv>, listed: Listed) {
  const { rows, next_cursor, chosen, webhooks, known, grouped } = listed
  return showPage(
    c,
    'Deliveries',
    <>
      <Heading text="Deliveries">
        {rows.length > 0 && isFiltered(chosen, FILTERS) && may(c, 'settings.deliveries.write') && (
          <a class="button" href={applyDeliveriesPath(chosen)}>
            Try these now
          </a>
        )}
      </Heading>
      {rows.length > 0 && (
        <p>
          Documents of webhooks that could not be applied and wait. Crossdock applies each by itself
          as soon as what it needs is there. Their senders were answered 200 and do nothing more.
        </p>
      )}
      {grouped && <NeedGroups c={c} {...grouped} known={known} />}
      {(rows.length > 0 || isFiltered(chosen, FILTERS)) && (
        <DeliveryFilterForm chosen={chosen} error={null} webhooks={webhooks} />
      )}
      <ListCount c={c} rows={rows.length} next={next_cursor} of={['delivery', 'deliveries']} />
      {rows.length > 0 ? (
        <DeliveryTable c={c} rows={rows} webhooks={webhooks} known={known} />
      ) : (
        <NoDeliveries chosen={chosen} />
      )}
      {rows.length > 0 && <PageCsvLink c={c} />}
      <Pager c={c} next={next_cursor} />
      {may(c, 'settings.audit.read') && <Ended />}
    </>,
  )
}

/** Shows the filters as they were sent, with their errors. */
export function showBadDeliveryFilters(c: Context<AppEnv>, chosen: PageFilters, error: ApiError) {
  return showPage(
    c,
    'Deliveries',
    <>
      <Heading text="Deliveries" />
      <DeliveryFilterForm chosen={chosen} error={error} webhooks={[]} />
    </>,
  )
}

function NoDeliveries({ chosen }: { chosen: PageFilters }) {
  if (isFiltered(chosen, FILTERS)) {
    return (
      <Empty text="No delivery that waits matches these filters.">
        <ClearFilters at={DELIVERIES_PATH} />
      </Empty>
    )
  }
  if (chosen.cursor !== undefined) return <Empty text="There is nothing older." />
  return (
    <Empty text="Nothing waits.">
      <p>
        A delivery is a document that a shop or another system sends to the address of a webhook. If
        it cannot be applied, for example because a product is missing, Crossdock keeps it and
        answers 200. It appears here with what it needs, and is applied by itself as soon as that is
        there.
      </p>
    </Empty>
  )
}

/** What became of the others stands in the audit log. */
function Ended() {
  return (
    <p class="nothing">
      All deliveries are in the audit log, by outcome:{' '}
      {OUTCOMES.map((outcome, at) => (
        <>
          {at > 0 && ', '}
          <a href={auditLogPath({ area: 'webhooks', outcome })}>{outcome}</a>
        </>
      ))}
      .
    </p>
  )
}
