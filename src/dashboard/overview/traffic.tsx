import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Traffic } from '../../requests/traffic/queries.ts'
import { ROWS_MAX } from '../../requests/traffic/statements.ts'
import { may, mayConnect } from '../access.ts'
import { curlOf } from '../curl.ts'
import type { Choices } from '../form/choices.ts'
import { Empty } from '../parts/empty.tsx'
import { ErrorElsewhere } from '../parts/error-elsewhere.tsx'
import { isFiltered } from '../parts/filter-panel.tsx'
import { count, share } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { SubjectSelects } from '../parts/subject-selects.tsx'
import { Time } from '../parts/time.tsx'
import { auditLogPath, CONNECT_PATH, type PageFilters } from '../paths.ts'
import { KeptPreset, PresetLinks } from '../ranges/preset-links.tsx'
import { PRESETS, type PresetName } from '../ranges/range.ts'
import { TimeInput } from '../ranges/time-input.tsx'
import type { NameLinks } from '../records/names.tsx'
import { Busiest } from './busiest.tsx'
import { Plots, Totals } from './plots.tsx'
import { overviewPath, type View } from './view.ts'

const FIELDS = ['from', 'to', 'partner_id', 'api_key_id']

interface TrafficProps {
  c: Context<AppEnv>
  traffic: Traffic
  chosen: PageFilters
  view: View
  choices: Choices
  names: NameLinks
  /** The page says already how to begin. */
  isNew: boolean
}

/** The requests of a range, of all callers or of one. */
export function TrafficSection(props: TrafficProps) {
  const { c, traffic, chosen, view, choices, isNew, names } = props
  return (
    <section class="traffic">
      <TrafficHead chosen={chosen} preset={view.preset} error={null} choices={choices} />
      {!traffic.complete && <OnlyLatest traffic={traffic} />}
      {traffic.total === 0 ? (
        <NoRequests c={c} view={view} isNew={isNew} hasPartners={choices.partners.length > 0} />
      ) : (
        <TrafficContent traffic={traffic} chosen={chosen} view={view} names={names} />
      )}
    </section>
  )
}

interface HeadProps {
  chosen: PageFilters
  preset: PresetName | undefined
  error: ApiError | null
  choices: Choices
}

/** What is shown, with what is wrong with it. */
export function TrafficHead({ chosen, preset, error, choices }: HeadProps) {
  return (
    <>
      <div class="heading">
        <h2>Traffic</h2>
        <PresetLinks at="/dashboard/" kept={chosen} chosen={preset} />
      </div>
      <ViewForm chosen={chosen} error={error} choices={choices} />
    </>
  )
}

type TrafficContentProps = Pick<TrafficProps, 'traffic' | 'chosen' | 'view' | 'names'>

function TrafficContent({ traffic, chosen, view, names }: TrafficContentProps) {
  const { partner_id, api_key_id, preset, range } = view
  const to = preset === undefined ? range.to : undefined
  const shown = { area: 'integrations', partner_id, api_key_id, from: traffic.since, to }
  return (
    <>
      <Totals traffic={traffic} />
      <Plots traffic={traffic} />
      <Busiest traffic={traffic} chosen={chosen} shown={shown} names={names} />
      <TopErrors traffic={traffic} shown={shown} />
    </>
  )
}

interface TopErrorsProps {
  traffic: Traffic
  /** The filters of the audit log that show the same requests. */
  shown: PageFilters
}

/** The most frequent errors, each with a link to its requests. */
function TopErrors({ traffic: { errors, total }, shown }: TopErrorsProps) {
  return (
    <section>
      <h3>Top errors</h3>
      {errors.length === 0 ? (
        <p class="nothing">No request was refused or failed.</p>
      ) : (
        <Records columns={['Error', 'Status', 'Requests', 'Share']} hasActions>
          {errors.map(({ error_code, status, requests }) => {
            const filters = { ...shown, status: String(status) }
            const path = auditLogPath(error_code === null ? filters : { ...filters, error_code })
            return (
              <tr>
                <th scope="row">
                  <code>{error_code ?? 'no code'}</code>
                </th>
                <td data-label="Status">
                  <span class={`status status-${Math.floor(status / 100)}xx`}>{status}</span>
                </td>
                <td data-label="Requests">{count(requests)}</td>
                <td data-label="Share">{share(requests, total)}</td>
                <td class="row-actions">
                  <RowLink href={path} text="Requests" of={`with ${error_code ?? status}`} />
                </td>
              </tr>
            )
          })}
        </Records>
      )}
    </section>
  )
}

function OnlyLatest({ traffic: { since, isArchived } }: Pick<TrafficProps, 'traffic'>) {
  return (
    <p class="bound" role="status">
      {isArchived
        ? 'Older requests of this range are in the archive of the audit log and not counted. The numbers begin at '
        : `This range has many requests. The numbers cover only the latest ${count(ROWS_MAX)} in the audit log, since `}
      <Time at={since} seconds />.
    </p>
  )
}

interface NoRequestsProps extends Pick<TrafficProps, 'c' | 'view' | 'isNew'> {
  hasPartners: boolean
}

/** How to begin, unless one partner or key was asked for. */
function NoRequests({ c, view, isNew, hasPartners }: NoRequestsProps) {
  const { preset, partner_id, api_key_id } = view
  const when = preset === undefined ? 'this range' : `the last ${PRESETS[preset].text}`
  const isNarrowed = partner_id !== undefined || api_key_id !== undefined
  if (isNarrowed) return <Empty text={`No such requests to the integrations API in ${when}.`} />
  return (
    <Empty text={`No requests to the integrations API in ${when}.`}>
      {!isNew && !hasPartners && mayConnect(c) && (
        <>
          <p>Connect a shop or another system: it delivers its orders to an address here.</p>
          <p>
            <a class="button" href={CONNECT_PATH}>
              Connect a system
            </a>
          </p>
        </>
      )}
      <p>
        Try it: <code>{curlOf(c, '…', ['integrations.*'])}</code>
      </p>
      {!isNew && may(c, 'settings.keys.read') && may(c, 'settings.keys.write') && (
        <a class="button outline" href="/dashboard/new/api-key/">
          Create key
        </a>
      )}
    </Empty>
  )
}

/** An own range, and whose requests to show. Keeps the preset of the page if no range is entered. */
function ViewForm({ chosen, error, choices }: Omit<HeadProps, 'preset'>) {
  const time = (name: string) => ({ name, error, value: chosen[name] ?? '' })
  const isChosen = isFiltered(chosen, FIELDS)
  return (
    <form method="get" class="view">
      <ErrorElsewhere error={error} fields={FIELDS} />
      <KeptPreset chosen={chosen} error={error} />
      <SubjectSelects chosen={chosen} error={error} choices={choices} />
      <TimeInput label="From (UTC)" {...time('from')} />
      <TimeInput label="To (UTC)" {...time('to')} />
      <div class="buttons">
        <button type="submit">Show</button>
        {isChosen && (
          <a class="button secondary outline" href={overviewPath({ range: chosen.range })}>
            Clear
          </a>
        )}
      </div>
    </form>
  )
}
