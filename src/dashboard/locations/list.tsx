import type { Context } from 'hono'
import type * as z from 'zod'
import type { Page } from '../../document/pagination.ts'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import type { LocationRecord } from '../../resources/locations/schema.ts'
import { curlPosting } from '../curl.ts'
import type { Filters } from '../form/chosen.ts'
import { Heading } from '../layout/heading.tsx'
import { showPage } from '../layout/page.tsx'
import { Pager } from '../layout/pager.tsx'
import { Records } from '../layout/records.tsx'
import { Active } from '../records/active.tsx'
import { ACTIVITY_FIELDS, ActivityFilter } from '../records/activity-filter.tsx'
import { Nothing } from '../records/nothing.tsx'
import { RecordLink } from '../records/record-link.tsx'

type Summary = Omit<z.output<typeof LocationRecord>, 'id' | 'metadata'>

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
        <Records columns={['Code', 'State', 'Name', 'Zone', 'Aisle']}>
          {rows.map((location) => (
            <LocationRow location={location} ids={ids} />
          ))}
        </Records>
      )}
      <Pager c={c} next={next_cursor} />
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
      <Heading text="Locations" />
      <ActivityFilter resource="locations" chosen={chosen} error={error} />
    </>
  )
}

interface LocationRowProps {
  location: Summary
  ids: Map<string, string>
}

function LocationRow({ location: { code, is_active, name, zone, aisle }, ids }: LocationRowProps) {
  return (
    <tr>
      <th scope="row">
        <RecordLink resource="locations" name={code} ids={ids} />
      </th>
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
