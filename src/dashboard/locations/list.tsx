import type { Context } from 'hono'
import type * as z from 'zod'
import type { Match } from '../../db/walks.ts'
import type { Page } from '../../document/pagination.ts'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import type { LocationRecord } from '../../resources/locations/schema.ts'
import { curlPosting } from '../curl.ts'
import type { Filters } from '../form/chosen.ts'
import { Heading } from '../layout/heading.tsx'
import { showPage } from '../layout/page.tsx'
import { BY_TEXT, Pager } from '../layout/pager.tsx'
import { Records } from '../layout/records.tsx'
import { Active } from '../records/active.tsx'
import { ACTIVITY_FIELDS, ActivityFilter } from '../records/activity-filter.tsx'
import { Nothing } from '../records/nothing.tsx'
import { RecordLink } from '../records/record-link.tsx'
import { FoundBy, foundColumns } from '../search/found-by.tsx'
import { ListSearch } from '../search/list-search.tsx'

type Summary = Omit<z.output<typeof LocationRecord>, 'id' | 'metadata'> & Partial<Match>

interface ListedLocations extends Page<Summary> {
  chosen: Filters
  /** By code. */
  ids: Map<string, string>
}

export function showLocations(
  c: Context<AppEnv>,
  { chosen, ids, rows, next_cursor }: ListedLocations,
) {
  return showPage(
    c,
    'Locations',
    <>
      <Head chosen={chosen} error={null} />
      {rows.length === 0 ? (
        <NoLocations c={c} chosen={chosen} />
      ) : (
        <LocationTable rows={rows} ids={ids} />
      )}
      <Pager c={c} next={next_cursor} {...(chosen.search && { names: BY_TEXT })} />
    </>,
  )
}

/** Shows the filter as it was sent, with its error. */
export function showBadFilters(c: Context<AppEnv>, chosen: Filters, error: ApiError) {
  return showPage(c, 'Locations', <Head chosen={chosen} error={error} />)
}

function Head({ chosen, error }: { chosen: Filters; error: ApiError | null }) {
  return (
    <>
      <Heading text="Locations">
        <ListSearch resource="locations" chosen={chosen} />
      </Heading>
      {(chosen.search === undefined || error !== null) && (
        <ActivityFilter resource="locations" chosen={chosen} error={error} />
      )}
    </>
  )
}

/** The ids of found locations, by code. */
export function idsOf(rows: { code: string; id: string }[]): Map<string, string> {
  return new Map(rows.map(({ code, id }) => [code, id]))
}

interface LocationTableProps {
  rows: Summary[]
  /** By code. */
  ids: Map<string, string>
}

/** Of a search, with what matches. */
export function LocationTable({ rows, ids }: LocationTableProps) {
  return (
    <Records columns={['Code', ...foundColumns(rows), 'State', 'Name', 'Zone', 'Aisle']}>
      {rows.map((location) => (
        <LocationRow location={location} ids={ids} />
      ))}
    </Records>
  )
}

interface LocationRowProps {
  location: Summary
  ids: Map<string, string>
}

function LocationRow({ location, ids }: LocationRowProps) {
  const { code, is_active, name, zone, aisle } = location
  return (
    <tr>
      <th scope="row">
        <RecordLink resource="locations" name={code} ids={ids} />
      </th>
      <FoundBy match={location} />
      <td data-label="State">
        <Active isActive={is_active} />
      </td>
      <td data-label="Name" class="free">
        {name ?? '—'}
      </td>
      <td data-label="Zone" class="free">
        {zone ?? '—'}
      </td>
      <td data-label="Aisle" class="free">
        {aisle ?? '—'}
      </td>
    </tr>
  )
}

function NoLocations({ c, chosen }: { c: Context<AppEnv>; chosen: Filters }) {
  return (
    <Nothing
      resource="locations"
      fields={ACTIVITY_FIELDS}
      chosen={chosen}
      text="No active locations yet."
    >
      <p>
        A location arrives when a client sends it:{' '}
        <code>{curlPosting(c, 'integrations/v1/locations/', { code: 'A-01' })}</code>
      </p>
    </Nothing>
  )
}
