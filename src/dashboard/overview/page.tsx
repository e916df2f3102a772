import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import { listExpiringApiKeys } from '../../settings/api-keys/queries.ts'
import { ROWS_MAX, summarizeTraffic, type Traffic } from '../../settings/traffic/queries.ts'
import { curlOf } from '../curl.ts'
import { count } from '../numbers.ts'
import { Empty, Heading, mayWrite, showPage } from '../page.tsx'
import { Time } from '../time.tsx'
import { ErrorTable } from './errors.tsx'
import { ExpiringKeys } from './expiring.tsx'
import { Plots } from './plots.tsx'
import { RANGE_NAMES, RANGES, type RangeName } from './ranges.ts'
import { Totals } from './totals.tsx'

const EXPIRING_MS = 14 * 24 * 60 * 60 * 1000

export async function showOverview(c: Context<AppEnv>, range: RangeName) {
  const db = c.get('db')
  const [traffic, expiring] = await Promise.all([
    summarizeTraffic(db, RANGES[range]),
    listExpiringApiKeys(db, new Date(Date.now() + EXPIRING_MS)),
  ])
  return showPage(
    c,
    'Overview',
    <>
      <Heading text="Overview">
        <RangeLinks chosen={range} />
      </Heading>
      {!traffic.complete && <Bound since={traffic.since} />}
      {traffic.total === 0 ? (
        <NoRequests c={c} text={RANGES[range].text} />
      ) : (
        <TrafficContent traffic={traffic} />
      )}
      <ExpiringKeys keys={expiring} mayWrite={mayWrite(c)} />
    </>,
  )
}

function TrafficContent({ traffic }: { traffic: Traffic }) {
  return (
    <>
      <Totals traffic={traffic} />
      <Plots traffic={traffic} />
      <ErrorTable errors={traffic.errors} total={traffic.total} since={traffic.since} />
    </>
  )
}

function RangeLinks({ chosen }: { chosen: RangeName }) {
  return (
    <nav aria-label="Range">
      <ul class="ranges">
        {RANGE_NAMES.map((name) => (
          <li>
            <a
              href={`/dashboard/?range=${name}`}
              aria-current={name === chosen ? 'true' : undefined}
            >
              {RANGES[name].text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Bound({ since }: { since: string }) {
  return (
    <p class="bound" role="status">
      There are many requests in this range: the numbers are of the latest {count(ROWS_MAX)} in the
      audit log, since <Time at={since} seconds />.
    </p>
  )
}

function NoRequests({ c, text }: { c: Context<AppEnv>; text: string }) {
  const curl = curlOf(c, '…', ['integrations.*'])
  return (
    <Empty text={`No requests of the integrations API in the last ${text}.`}>
      <p>
        Try it: <code>{curl}</code>
      </p>
      {mayWrite(c) && (
        <a class="button" href="/dashboard/new/api-key/">
          Create key
        </a>
      )}
    </Empty>
  )
}
