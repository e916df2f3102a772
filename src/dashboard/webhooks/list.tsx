import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import { WEBHOOK_STATES } from '../../settings/api-keys/webhooks/filters.ts'
import { may } from '../access.ts'
import { partnersOf } from '../form/choices.ts'
import { Empty } from '../parts/empty.tsx'
import { ClearFilters, FilterPanel, isFiltered } from '../parts/filter-panel.tsx'
import { Heading } from '../parts/heading.tsx'
import { same, withChosen } from '../parts/option.ts'
import { PageCsvLink } from '../parts/page-csv.tsx'
import { ListCount, Pager } from '../parts/pager.tsx'
import { Select } from '../parts/select.tsx'
import { PartnerFilter } from '../parts/subject-selects.tsx'
import { CONNECT_PATH, NEW_WEBHOOK_PATH, type PageFilters, WEBHOOKS_PATH } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import { besideWebhooks, type ListedWebhook, WebhookTable } from './table.tsx'

const FIELDS = ['partner_id', 'resource', 'state'] as const

type Partners = Awaited<ReturnType<typeof partnersOf>>

export async function showWebhooks(
  c: Context<AppEnv>,
  chosen: PageFilters,
  { rows, next_cursor }: Page<ListedWebhook>,
) {
  const [partners, beside] = await Promise.all([partnersOf(c), besideWebhooks(c, rows)])
  return showPage(
    c,
    'Webhooks',
    <>
      <Head c={c} />
      <Filters chosen={chosen} partners={partners} error={null} />
      <ListCount c={c} rows={rows.length} next={next_cursor} of={['webhook', 'webhooks']} />
      {rows.length === 0 ? (
        <NoWebhooks c={c} chosen={chosen} />
      ) : (
        <WebhookTable c={c} webhooks={rows} {...beside} />
      )}
      {rows.length > 0 && <PageCsvLink c={c} />}
      <Pager c={c} next={next_cursor} />
    </>,
  )
}

/** The filters with what is wrong with them. */
export async function showWrongWebhookFilters(
  c: Context<AppEnv>,
  chosen: PageFilters,
  error: ApiError,
) {
  return showPage(
    c,
    'Webhooks',
    <>
      <Head c={c} />
      <Filters chosen={chosen} partners={await partnersOf(c)} error={error} />
    </>,
  )
}

function Head({ c }: { c: Context<AppEnv> }) {
  return (
    <Heading text="Webhooks">
      {may(c, 'settings.keys.write') && (
        <>
          <a class="button" href={CONNECT_PATH}>
            Connect a system
          </a>
          <a class="button secondary outline" href={NEW_WEBHOOK_PATH}>
            Create by hand
          </a>
        </>
      )}
    </Heading>
  )
}

interface FiltersProps {
  chosen: PageFilters
  partners: Partners
  error: ApiError | null
}

function Filters({ chosen, partners, error }: FiltersProps) {
  const select = (name: (typeof FIELDS)[number]) => ({ name, error, value: chosen[name] ?? '' })
  return (
    <FilterPanel
      error={error}
      fields={FIELDS}
      isSet={isFiltered(chosen, FIELDS)}
      clearAt={WEBHOOKS_PATH}
    >
      <PartnerFilter chosen={chosen} error={error} partners={partners} />
      <Select
        label="Resource"
        {...select('resource')}
        options={withChosen([['', 'Any resource'], ...RESOURCES.map(same)], chosen.resource)}
      />
      <Select
        label="State"
        {...select('state')}
        options={withChosen([['', 'Any state'], ...WEBHOOK_STATES.map(same)], chosen.state)}
      />
    </FilterPanel>
  )
}

function NoWebhooks({ c, chosen }: { c: Context<AppEnv>; chosen: PageFilters }) {
  if (isFiltered(chosen, FIELDS)) {
    return (
      <Empty text="No webhook matches these filters.">
        <ClearFilters at={WEBHOOKS_PATH} />
      </Empty>
    )
  }
  if (chosen.cursor !== undefined) return <Empty text="There is nothing older." />
  return (
    <Empty text="There are no webhooks.">
      <p>
        A webhook is an address at which a partner's system, such as a shop, delivers its documents
        by itself. Its settings say who may deliver, what each event means, and what is left out.
      </p>
      {may(c, 'settings.keys.write') && (
        <a class="button" href={CONNECT_PATH}>
          Connect a system
        </a>
      )}
    </Empty>
  )
}
