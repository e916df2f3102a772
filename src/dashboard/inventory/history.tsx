import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import type { listHistory } from '../../records/inventory/history.ts'
import { may } from '../access.ts'
import { Empty } from '../parts/empty.tsx'
import { fieldLabel } from '../parts/field-text.ts'
import { FilterPanel, isFiltered } from '../parts/filter-panel.tsx'
import { Heading } from '../parts/heading.tsx'
import { Input } from '../parts/input.tsx'
import { count } from '../parts/numbers.ts'
import { type CsvColumns, PageCsvLink } from '../parts/page-csv.tsx'
import { ListCount, Pager } from '../parts/pager.tsx'
import { Records } from '../parts/records.tsx'
import { Time } from '../parts/time.tsx'
import { historyPath, listPath, type PageFilters, requestPath } from '../paths.ts'
import type { PairIds } from '../records/linked.ts'
import { CallerName, type NameLinks, PartnerName } from '../records/names.tsx'
import { RecordLink } from '../records/record-link.tsx'
import { showPage } from '../shell/page.tsx'

const FIELDS = ['location_code', 'sku_code'] as const
const TITLE = 'History of stock'

type Change = Awaited<ReturnType<typeof listHistory>>['rows'][number]

export const HISTORY_CSV: CsvColumns<Change> = [
  'changed_at',
  'location_code',
  'sku_code',
  'from',
  'to',
  'source',
  'notes',
  ['api_key', ({ api_key }) => api_key?.name],
  ['partner', ({ partner }) => partner?.name],
  'request_id',
]

interface Listed extends Page<Change> {
  chosen: PageFilters
  ids: PairIds
  names: NameLinks
  /** The search stopped before its page was full. */
  isCut: boolean
  complete_since: string
}

/** Which requests have changed which quantities. */
export function showHistory(c: Context<AppEnv>, listed: Listed) {
  const { chosen, rows, isCut, complete_since, next_cursor } = listed
  return showPage(
    c,
    TITLE,
    <>
      <Head chosen={chosen} error={null} />
      <p>
        What uploads have changed since <Time at={complete_since} />. Before that, Crossdock does
        not remember all.
      </p>
      <ListCount c={c} rows={rows.length} next={next_cursor} of={['change', 'changes']} />
      {rows.length > 0 && (
        <Records columns={['Time', 'Location', 'SKU', 'Before', 'After', 'Why', 'Who']}>
          {rows.map((row) => (
            <ChangeRow c={c} row={row} ids={listed.ids} names={listed.names} />
          ))}
        </Records>
      )}
      {rows.length > 0 && <PageCsvLink c={c} />}
      {isCut && <p>There was too much to look through at once. “Older” continues from there.</p>}
      {rows.length === 0 && !isCut && <Empty text="There is no change of stock to show." />}
      <Pager c={c} next={next_cursor} />
    </>,
  )
}

/** Shows the filters as they were sent, with their errors. */
export function showBadHistory(c: Context<AppEnv>, chosen: PageFilters, error: ApiError) {
  return showPage(c, TITLE, <Head chosen={chosen} error={error} />)
}

function Head({ chosen, error }: { chosen: PageFilters; error: ApiError | null }) {
  const control = (name: (typeof FIELDS)[number]) => ({ name, error, value: chosen[name] ?? '' })
  return (
    <>
      <Heading text={TITLE}>
        <a href={listPath('inventory', { ...chosen, cursor: undefined })}>Stock of now</a>
      </Heading>
      <FilterPanel
        error={error}
        fields={FIELDS}
        isSet={isFiltered(chosen, FIELDS)}
        clearAt={historyPath({})}
      >
        <Input label="Location" {...control('location_code')} help="A location's code." />
        <Input label="SKU" {...control('sku_code')} />
      </FilterPanel>
    </>
  )
}

interface RowProps {
  c: Context<AppEnv>
  row: Change
  ids: Listed['ids']
  names: NameLinks
}

function ChangeRow({ c, row, ids, names }: RowProps) {
  return (
    <tr>
      <td data-label="Time">
        {may(c, 'settings.audit.read') ? (
          <a href={requestPath(row.request_id)}>
            <Time at={row.changed_at} seconds />
          </a>
        ) : (
          <Time at={row.changed_at} seconds />
        )}
      </td>
      <th scope="row" data-label="Location">
        <RecordLink resource="locations" name={row.location_code} ids={ids.locations} />
      </th>
      <td data-label="SKU" class="free">
        <RecordLink resource="products" name={row.sku_code} ids={ids.products} />
      </td>
      <td data-label="Before">{row.from === null ? 'none' : count(row.from)}</td>
      <td data-label="After">{count(row.to)}</td>
      <td data-label="Why" class="free">
        {row.source === null ? 'Undo' : fieldLabel(row.source)}
        {row.notes !== null && <small class="line">{row.notes}</small>}
      </td>
      <td data-label="Who" class="free">
        {row.api_key ? <CallerName links={names} {...row.api_key} /> : 'another key'}
        {row.partner && (
          <small class="line">
            partner <PartnerName links={names} {...row.partner} />
          </small>
        )}
      </td>
    </tr>
  )
}
