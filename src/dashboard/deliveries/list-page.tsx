import type { Context } from 'hono'
import { OUTCOMES } from '../../engine/db/tables.ts'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import type { groupDeliveries } from '../../requests/deliveries/summary.ts'
import type { WaitingWebhook } from '../../requests/deliveries/webhooks.ts'
import { may } from '../access.ts'
import { Empty } from '../parts/empty.tsx'
import { ClearFilters, FilterPanel, isFiltered } from '../parts/filter-panel.tsx'
import { Heading } from '../parts/heading.tsx'
import { Input } from '../parts/input.tsx'
import { type Option, withChosen } from '../parts/option.ts'
import { PageCsvLink } from '../parts/page-csv.tsx'
import { ListCount, Pager } from '../parts/pager.tsx'
import { Select } from '../parts/select.tsx'
import { applyDeliveriesPath, auditLogPath, DELIVERIES_PATH, type PageFilters } from '../paths.ts'
import { TimeInput } from '../ranges/time-input.tsx'
import { showPage } from '../shell/page.tsx'
import { NeedGroups } from './groups.tsx'
import { DeliveryTable, type WaitingRow } from './list.tsx'
import type { Known } from './remedy.tsx'
import { NEED_OPTIONS } from './words.ts'

export const FILTERS = [
  ...['webhook_id', 'partner_id', 'needs', 'needs_code', 'record', 'from', 'to'],
] as const

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
        <DeliveryTable rows={rows} webhooks={webhooks} known={known} />
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

interface FilterFormProps {
  chosen: PageFilters
  error: ApiError | null
  /** Those of which deliveries wait, as far as the session's key may see their names. */
  webhooks: WaitingWebhook[]
}

function DeliveryFilterForm({ chosen, error, webhooks }: FilterFormProps) {
  const control = (name: string) => ({ name, error, value: chosen[name] ?? '' })
  const choice = (name: string, offered: readonly Option[]) => ({
    ...control(name),
    options: withChosen(offered, chosen[name]),
  })
  const partners = new Map(
    webhooks.map(({ partner_id, partner_name }) => [partner_id, partner_name]),
  )
  return (
    <FilterPanel
      error={error}
      fields={FILTERS}
      isSet={isFiltered(chosen, FILTERS)}
      clearAt={DELIVERIES_PATH}
    >
      <Select label="Waits for" {...choice('needs', NEED_OPTIONS)} />
      <Input label="Product or location" {...control('needs_code')} help="A SKU or location code" />
      <Select
        label="Webhook"
        {...choice('webhook_id', [
          ['', 'Any webhook'],
          ...webhooks.map(({ id, name }) => [id, name] as const),
        ])}
      />
      <Select label="Partner" {...choice('partner_id', [['', 'Any partner'], ...partners])} />
      <Input label="Record" {...control('record')} help="An order number, SKU or location code" />
      <TimeInput label="Arrived from (UTC)" {...control('from')} />
      <TimeInput label="Arrived before (UTC)" {...control('to')} />
    </FilterPanel>
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
