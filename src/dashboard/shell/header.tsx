import type { Context } from 'hono'
import type { PropsWithChildren } from 'hono/jsx'
import type { AppEnv } from '../../engine/env.ts'
import { inForce } from '../../engine/model/pause.ts'
import { type AreaGroup, areasOf, type DashboardArea, homeOf, isIn, may } from '../access.ts'
import { Confirmed } from '../parts/confirmation.tsx'
import { count } from '../parts/numbers.ts'
import { PauseState } from '../parts/pause-state.tsx'
import { SearchInput } from '../parts/search-input.tsx'
import { DELIVERIES_PATH, SEARCH_PATH, SESSIONS_PATH, WORKSPACE_PATH } from '../paths.ts'
import { groupsOf } from '../search-groups.ts'

export function Header({ c }: { c: Context<AppEnv> }) {
  const { tenant, key, integration_enabled, pauses } = c.get('caller')
  const pause = inForce(pauses.workspace)
  return (
    <header>
      <div class="container top">
        <a class="brand" href={homeOf(c)}>
          <strong>Crossdock</strong> <span>{tenant}</span>
        </a>
        <SearchAll c={c} />
        <form class="session" method="post" action="/dashboard/sign-out/">
          <Confirmed />
          <a href="/docs/">Reference</a>
          <a href={SESSIONS_PATH}>Your sessions</a>
          <button
            type="submit"
            class="outline secondary"
            title={`Signed in ${key.is_person ? 'as' : 'with the key'} “${key.name}”`}
          >
            Sign out
          </button>
        </form>
        <nav aria-label="Dashboard">
          {[...Map.groupBy(areasOf(c), ({ group }) => group)].map(([group, areas]) => (
            <AreaLinks c={c} group={group} areas={areas} />
          ))}
        </nav>
      </div>
      {!integration_enabled && (
        <Banner c={c} at={WORKSPACE_PATH} action="Switch it on">
          The integration is switched off: every call of partners is refused.
        </Banner>
      )}
      {integration_enabled && pause && (
        <Banner c={c} at={`${WORKSPACE_PATH}pause/`} action="Resume all">
          All calls of partners are on hold: <PauseState pause={pause} />.
        </Banner>
      )}
    </header>
  )
}

interface AreaLinksProps {
  c: Context<AppEnv>
  group: AreaGroup
  areas: DashboardArea[]
}

function AreaLinks({ c, group, areas }: AreaLinksProps) {
  const { path } = c.get('exchange')
  const id = `areas-of-${group.toLowerCase()}`
  return (
    <div class="areas">
      <span class="area-group" id={id}>
        {group}
      </span>
      <ul aria-labelledby={id}>
        {areas.map((area) => (
          <li>
            <a href={area.path} aria-current={isIn(path, area) ? 'page' : undefined}>
              {area.name}
              {area.path === DELIVERIES_PATH && <Waiting records={c.get('db').waiting} />}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** How many deliveries wait, beside the name of their page. */
function Waiting({ records }: { records: number | null }) {
  if (!records) return null
  return (
    <>
      {' '}
      <span class="counted">
        {count(records)}
        <span class="for-reader"> wait</span>
      </span>
    </>
  )
}

interface BannerProps {
  c: Context<AppEnv>
  at: string
  /** The text of the link to `at`, for whoever may change the workspace. */
  action: string
}

/** On each page, while calls of partners are not processed. */
function Banner({ c, at, action, children }: PropsWithChildren<BannerProps>) {
  return (
    <p class="banner" role="status">
      <span class="container">
        {children} {may(c, 'settings.workspace.write') && <a href={at}>{action}</a>}
      </span>
    </p>
  )
}

/** The header's field. It finds any record that the session's key may see. */
function SearchAll({ c }: { c: Context<AppEnv> }) {
  if (groupsOf(c).length === 0) return null
  const { url } = c.get('exchange')
  const value = url.pathname === SEARCH_PATH ? (url.searchParams.get('q') ?? '') : ''
  return (
    <search class="search-all" aria-label="Everything">
      <form method="get" action={SEARCH_PATH}>
        <SearchInput name="q" label="Find anything" value={value} />
        <button type="submit" class="outline secondary">
          Search
        </button>
      </form>
    </search>
  )
}
