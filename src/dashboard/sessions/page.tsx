import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import type { listSessions } from '../../settings/sessions/queries.ts'
import { may } from '../access.ts'
import { Confirmed } from '../parts/confirmation.tsx'
import { FormError } from '../parts/form-error.tsx'
import { Heading } from '../parts/heading.tsx'
import { type CsvColumns, PageCsvLink } from '../parts/page-csv.tsx'
import { ListCount, Pager } from '../parts/pager.tsx'
import { Records } from '../parts/records.tsx'
import { Time } from '../parts/time.tsx'
import { END_SESSIONS_PATH, SESSIONS_PATH } from '../paths.ts'
import { CallerName, type NameLinks, nameLinks } from '../records/names.tsx'
import { showPage } from '../shell/page.tsx'

type Session = Awaited<ReturnType<typeof listSessions>>[number]

export const SESSIONS_CSV: CsvColumns<Session> = [
  'id',
  ['signed_in_with', ({ api_key }) => api_key.name],
  ['api_key_id', ({ api_key }) => api_key.id],
  'device',
  'place',
  'created_at',
  'ends_at',
]

/** The sessions that have not ended: all of them to whoever may see keys, and otherwise those of the own key. */
export async function showSessions(
  c: Context<AppEnv>,
  { rows, next_cursor }: Page<Session>,
  error: ApiError | null,
) {
  const names = await nameLinks(c, { keys: rows.map(({ api_key }) => api_key.id) })
  const seesAll = may(c, 'settings.keys.read')
  return showPage(
    c,
    'Sessions',
    <>
      <Heading text="Sessions">
        <form method="post" action={END_SESSIONS_PATH}>
          <Confirmed />
          <button type="submit" class="secondary outline">
            End all your others
          </button>
        </form>
      </Heading>
      <FormError error={error} />
      <p>
        {seesAll
          ? 'Who is signed in to this dashboard, and from where.'
          : 'Where the key with which you are signed in is signed in.'}{' '}
        The next request of a session that was ended leads to the sign-in page. The key itself stays
        valid.
      </p>
      <ListCount c={c} rows={rows.length} next={next_cursor} of={['session', 'sessions']} />
      <Records columns={['Signed in with', 'Browser', 'From', 'Since', 'Ends']} hasActions>
        {rows.map((session) => (
          <SessionRow c={c} session={session} names={names} />
        ))}
      </Records>
      {/* The address of a form that failed is no list. */}
      {error === null && <PageCsvLink c={c} />}
      <Pager c={c} next={next_cursor} />
    </>,
  )
}

interface RowProps {
  c: Context<AppEnv>
  session: Session
  names: NameLinks
}

function SessionRow({ c, session, names }: RowProps) {
  const { id, api_key, device, place, created_at, ends_at } = session
  const { caller } = c.var
  const isOwn = api_key.id === caller.key.id
  return (
    <tr>
      <th scope="row">
        <CallerName links={names} {...api_key} />
        {id === caller.session?.id && <small class="line">this session</small>}
      </th>
      <td data-label="Browser" class="free" title={device ?? undefined}>
        {deviceName(device)}
      </td>
      <td data-label="From">{place ?? 'unknown'}</td>
      <td data-label="Since">
        <Time at={created_at} />
      </td>
      <td data-label="Ends">
        <Time at={ends_at} />
      </td>
      <td class="row-actions">
        {(isOwn || may(c, 'settings.keys.write')) && <EndButton session={session} />}
      </td>
    </tr>
  )
}

function EndButton({ session: { id, api_key, device } }: { session: Session }) {
  return (
    <form method="post" action={`${SESSIONS_PATH}${id}/end/`}>
      <Confirmed />
      <button type="submit" class="secondary outline">
        End{' '}
        <span class="for-reader">
          the session of {api_key.name}, {deviceName(device)}
        </span>
      </button>
    </form>
  )
}

// Browsers name others that they are compatible with: the first that matches is meant.
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const
const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

/** Such as `Firefox on Linux`: what a `User-Agent` header says to people. Its beginning, if that is none of the usual ones. */
function deviceName(userAgent: string | null): string {
  if (userAgent === null) return 'unknown'
  const browser = BROWSERS.find(([mark]) => userAgent.includes(`${mark}/`))?.[1]
  const system = SYSTEMS.find(([mark]) => userAgent.includes(mark))?.[1]
  if (!browser || !system) return userAgent.slice(0, 60)
  return `${browser} on ${system}`
}
