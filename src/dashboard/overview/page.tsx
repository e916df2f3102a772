import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { DAY_MS } from '../../engine/json/date-time.ts'
import { listKeyAttempts } from '../../requests/key-attempts/queries.ts'
import { homeSightOf } from '../../requests/overview/access.ts'
import { readHome } from '../../requests/overview/queries.ts'
import { summarizeTraffic } from '../../requests/traffic/queries.ts'
import { API_KEY, type KeyKind } from '../../settings/api-keys/kind.ts'
import { listExpiringKeys } from '../../settings/api-keys/queries.ts'
import { webhooksOf } from '../../settings/api-keys/webhooks/kind.ts'
import { may } from '../access.ts'
import { choicesOf } from '../form/choices.ts'
import { Heading } from '../parts/heading.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Time } from '../parts/time.tsx'
import type { PageFilters } from '../paths.ts'
import { nameLinks } from '../records/names.tsx'
import { showPage } from '../shell/page.tsx'
import { ExpiringKeys, ExpiringWebhooks } from './expiring.tsx'
import { KeyAttempts } from './key-attempts.tsx'
import type { NeedLine } from './need-line.ts'
import { needsOf } from './needs.ts'
import { SetUpSteps } from './set-up.tsx'
import { TrafficHead, TrafficSection } from './traffic.tsx'
import type { View } from './view.ts'
import { Warehouse } from './warehouse.tsx'

const EXPIRING_MS = 14 * DAY_MS
/** Keys that have ended need somebody if they were used since. */
const ATTEMPTS_MS = 7 * DAY_MS

export async function showOverview(c: Context<AppEnv>, chosen: PageFilters, view: View) {
  const db = c.get('db')
  const { from, to } = view.range
  const lately = new Date(Date.now() - ATTEMPTS_MS).toISOString()
  const since = from < lately ? from : lately
  const [home, choices, traffic, attempts, keys, webhooks] = await Promise.all([
    readHome(db, homeSightOf(c)),
    choicesOf(c),
    summarizeTraffic(db, view.range, view),
    listKeyAttempts(db, { since }),
    expiringOf(c, API_KEY),
    expiringOf(c, webhooksOf(c)),
  ])
  const recent = attempts.filter(({ last_at }) => last_at >= lately)
  const shown = attempts.filter(({ first_at, last_at }) => last_at >= from && first_at < to)
  const named = (of: 'key' | 'partner') =>
    traffic.busiest.flatMap(({ kind, id }) => (kind === of ? id : []))
  const names = await nameLinks(c, {
    keys: named('key'),
    partners: [...named('partner'), ...home.uploads.map(({ partner_id }) => partner_id)],
  })
  const lines = needsOf(c, home, recent)
  const { setUp, read_at } = home
  return showPage(
    c,
    'Overview',
    <>
      <Heading text="Overview" />
      {setUp && <SetUpSteps c={c} setUp={setUp} />}
      {(setUp === null || lines.length > 0) && <Needs lines={lines} readAt={read_at} />}
      {setUp === null && <Warehouse c={c} home={home} names={names} />}
      <TrafficSection
        c={c}
        traffic={traffic}
        chosen={chosen}
        view={view}
        choices={choices}
        names={names}
        isNew={setUp !== null}
      />
      <KeyAttempts attempts={shown} />
      <ExpiringKeys c={c} keys={keys} />
      <ExpiringWebhooks c={c} webhooks={webhooks} />
    </>,
  )
}

interface NeedsProps {
  lines: NeedLine[]
  /** In ISO 8601, when it was looked at. */
  readAt: string
}

/** What needs a person, the most urgent first. */
function Needs({ lines, readAt }: NeedsProps) {
  if (lines.length === 0) {
    return (
      <section>
        <h2>Nothing needs you</h2>
        <p class="nothing">
          Looked at <Time at={readAt} seconds />.
        </p>
      </section>
    )
  }
  return (
    <section>
      <h2>Needs you</h2>
      <ul class="needs">
        {lines.map((line) => (
          <Line line={line} />
        ))}
      </ul>
    </section>
  )
}

function Line({ line: { number, text, time, action } }: { line: NeedLine }) {
  return (
    <li>
      <p>
        <strong>{number}</strong> {text}
        {time && (
          <small>
            {' '}
            {time.words} <Time at={time.at} />
          </small>
        )}
      </p>
      {action && <RowLink {...action} />}
    </li>
  )
}

/** None to a key that may not see keys. */
async function expiringOf<Shown extends { version: number }>(
  c: Context<AppEnv>,
  kind: KeyKind<Shown>,
) {
  if (!may(c, 'settings.keys.read')) return []
  return await listExpiringKeys(kind, c.get('db'), new Date(Date.now() + EXPIRING_MS))
}

/** Shows the form as it was sent, with its errors. */
export async function showBadView(c: Context<AppEnv>, chosen: PageFilters, error: ApiError) {
  const choices = await choicesOf(c)
  return showPage(
    c,
    'Overview',
    <>
      <Heading text="Overview" />
      <TrafficHead chosen={chosen} preset={undefined} error={error} choices={choices} />
    </>,
  )
}
