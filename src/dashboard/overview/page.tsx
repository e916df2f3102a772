import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { DAY_MS } from '../../engine/json/date-time.ts'
import { listKeyAttempts } from '../../requests/key-attempts/queries.ts'
import { summarizeTraffic, type Traffic } from '../../requests/traffic/queries.ts'
import { ROWS_MAX } from '../../requests/traffic/statements.ts'
import { API_KEY, type KeyKind } from '../../settings/api-keys/kind.ts'
import { listExpiringKeys } from '../../settings/api-keys/queries.ts'
import { webhooksOf } from '../../settings/api-keys/webhooks/kind.ts'
import { may, mayConnect } from '../access.ts'
import { curlOf } from '../curl.ts'
import { WaitingDeliveries, waitingSummaryOf } from '../deliveries/summary.tsx'
import { type Choices, choicesOf } from '../form/choices.ts'
import { DifferingOrders, differingOrders } from '../orders/differing.tsx'
import { Empty } from '../parts/empty.tsx'
import { ErrorElsewhere } from '../parts/error-elsewhere.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { SubjectSelects } from '../parts/subject-selects.tsx'
import { Time } from '../parts/time.tsx'
import { CONNECT_PATH, type PageFilters } from '../paths.ts'
import { KeptPreset } from '../ranges/kept-preset.tsx'
import { PresetLinks } from '../ranges/preset-links.tsx'
import { PRESETS, type PresetName } from '../ranges/presets.ts'
import { TimeInput } from '../ranges/time-input.tsx'
import { showPage } from '../shell/page.tsx'
import { Busiest } from './busiest.tsx'
import { ErrorTable } from './errors.tsx'
import { ExpiringKeys, ExpiringWebhooks } from './expiring.tsx'
import { KeyAttempts, SHOWN_MAX } from './key-attempts.tsx'
import { Plots } from './plots.tsx'
import { Totals } from './totals.tsx'
import { overviewPath, type View } from './view.ts'

const FIELDS = ['from', 'to', 'partner_id', 'api_key_id']

interface ViewFormProps {
  chosen: PageFilters
  error: ApiError | null
  choices: Choices
}

const EXPIRING_MS = 14 * DAY_MS

export async function showOverview(c: Context<AppEnv>, chosen: PageFilters, view: View) {
  const db = c.get('db')
  const { from, to } = view.range
  const [choices, traffic, attempts, expiring, webhooks, waiting, differing] = await Promise.all([
    choicesOf(c),
    summarizeTraffic(db, view.range, view),
    listKeyAttempts(db, { since: from, until: to }, SHOWN_MAX + 1),
    expiringOf(c, API_KEY),
    expiringOf(c, webhooksOf(c)),
    waitingSummaryOf(c),
    differingOrders(c),
  ])
  return showPage(
    c,
    'Overview',
    <>
      <Head chosen={chosen} preset={view.preset} error={null} choices={choices} />
      <WaitingDeliveries summary={waiting} />
      <DifferingOrders orders={differing} />
      {!traffic.complete && <OnlyLatest since={traffic.since} isArchived={traffic.isArchived} />}
      {traffic.total === 0 ? (
        <NoRequests c={c} view={view} />
      ) : (
        <TrafficContent traffic={traffic} chosen={chosen} view={view} />
      )}
      <KeyAttempts attempts={attempts} />
      {expiring && <ExpiringKeys c={c} keys={expiring} />}
      {webhooks && <ExpiringWebhooks c={c} webhooks={webhooks} />}
    </>,
  )
}

/** Null to a key that may not see keys. */
async function expiringOf<Shown extends { version: number }>(
  c: Context<AppEnv>,
  kind: KeyKind<Shown>,
) {
  if (!may(c, 'settings.keys.read')) return null
  return await listExpiringKeys(kind, c.get('db'), new Date(Date.now() + EXPIRING_MS))
}

/** Shows the form as it was sent, with its errors. */
export async function showBadView(c: Context<AppEnv>, chosen: PageFilters, error: ApiError) {
  const choices = await choicesOf(c)
  const head = <Head chosen={chosen} preset={undefined} error={error} choices={choices} />
  return showPage(c, 'Overview', head)
}

interface HeadProps {
  chosen: PageFilters
  preset: PresetName | undefined
  error: ApiError | null
  choices: Choices
}

function Head({ chosen, preset, error, choices }: HeadProps) {
  return (
    <>
      <Heading text="Overview">
        <PresetLinks at="/dashboard/" kept={chosen} chosen={preset} />
      </Heading>
      <ViewForm chosen={chosen} error={error} choices={choices} />
    </>
  )
}

interface TrafficContentProps {
  traffic: Traffic
  chosen: PageFilters
  view: View
}

function TrafficContent({ traffic, chosen, view }: TrafficContentProps) {
  const { partner_id, api_key_id, preset, range } = view
  const to = preset === undefined ? range.to : undefined
  const shown = { area: 'integrations', partner_id, api_key_id, from: traffic.since, to }
  return (
    <>
      <Totals traffic={traffic} />
      <Plots traffic={traffic} />
      <Busiest traffic={traffic} chosen={chosen} shown={shown} />
      <ErrorTable errors={traffic.errors} total={traffic.total} shown={shown} />
    </>
  )
}

function OnlyLatest({ since, isArchived }: { since: string; isArchived: boolean }) {
  if (isArchived) {
    return (
      <p class="bound" role="status">
        Older requests of this range are in the archive of the audit log and not counted. The
        numbers begin at <Time at={since} seconds />.
      </p>
    )
  }
  return (
    <p class="bound" role="status">
      This range has many requests. The numbers cover only the latest {count(ROWS_MAX)} in the audit
      log, since <Time at={since} seconds />.
    </p>
  )
}

/** How to begin, unless one partner or key was asked for. */
function NoRequests({ c, view }: { c: Context<AppEnv>; view: View }) {
  const { preset, partner_id, api_key_id } = view
  const when = preset === undefined ? 'this range' : `the last ${PRESETS[preset].text}`
  const isNarrowed = partner_id !== undefined || api_key_id !== undefined
  if (isNarrowed) return <Empty text={`No such requests to the integrations API in ${when}.`} />
  return (
    <Empty text={`No requests to the integrations API in ${when}.`}>
      {mayConnect(c) && (
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
      {may(c, 'settings.keys.read') && may(c, 'settings.keys.write') && (
        <a class="button outline" href="/dashboard/new/api-key/">
          Create key
        </a>
      )}
    </Empty>
  )
}

/** An own range, and whose requests to show. Keeps the preset of the page if no range is entered. */
function ViewForm({ chosen, error, choices }: ViewFormProps) {
  const time = (name: string) => ({ name, error, value: chosen[name] ?? '' })
  const isChosen = FIELDS.some((name) => chosen[name] !== undefined)
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
