import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { DAY_MS } from '../../engine/json/date-time.ts'
import { mayReadDocuments } from '../../middleware/document-access.ts'
import { lastBuckets } from '../../requests/traffic/buckets.ts'
import {
  DELIVERIES_READ_MAX,
  type DeliveryCounts,
  type DeliveryDay,
  type NewDelivery,
  RESULT_CLASSES,
  type ResultClass,
  resultClassOf,
} from '../../requests/traffic/deliveries.ts'
import { DataTable } from '../parts/data-table.tsx'
import { count, sum } from '../parts/numbers.ts'
import { Counts } from '../parts/tally.tsx'
import { Time } from '../parts/time.tsx'
import { auditLogPath, deliveriesPath, requestPath } from '../paths.ts'

const DAYS = 14

/** The days of which the page of a webhook has the deliveries. */
export function shownDays() {
  return lastBuckets(DAYS, DAY_MS / 1000)
}

const NAMES: Record<ResultClass, string> = {
  applied: 'Applied',
  nothing: 'Nothing to do',
  kept: 'Kept',
  unproven: 'Wrong signature',
  refused: 'Refused',
}

interface ActivityProps {
  c: Context<AppEnv>
  webhook_id: string
  counts: DeliveryCounts
}

/** What was delivered to a webhook, and what has become of it. */
export function Activity({ c, webhook_id, counts }: ActivityProps) {
  const { since, complete, total, newest } = counts
  return (
    <section>
      <h2>Deliveries of the last {DAYS} days</h2>
      {!complete && (
        <p class="bound" role="status">
          The numbers begin at <Time at={since} seconds />: older requests are in the archive of the
          audit log, or there are more than {count(DELIVERIES_READ_MAX)}.
        </p>
      )}
      {sum(Object.values(total)) === 0 ? (
        <p class="nothing">Nothing has arrived.</p>
      ) : (
        <>
          <DeliveryPlot counts={counts} />
          <h2>The newest deliveries</h2>
          <NewestTable deliveries={newest} />
        </>
      )}
      <p>
        {mayReadDocuments(c) && (
          <>
            <a href={deliveriesPath({ webhook_id })}>All deliveries of this webhook</a>.{' '}
          </>
        )}
        <a href={auditLogPath({ api_key_id: webhook_id })}>All its requests</a> in the audit log,
        tries of what waits included.
      </p>
    </section>
  )
}

/** The browser draws the plot from the table (src/dashboard/browser/dashboard/plots.ts). */
function DeliveryPlot({ counts }: { counts: DeliveryCounts }) {
  const { total } = counts
  const results = RESULT_CLASSES.filter((result) => total[result] > 0)
  const parts = results.map((result) => `${NAMES[result].toLowerCase()} ${count(total[result])}`)
  return (
    <div class="plots deliveries">
      <figure class="bar" hidden>
        <figcaption>By day</figcaption>
        <div>
          <canvas
            role="img"
            aria-label={`Deliveries by day: ${parts.join(', ')}.`}
            data-plot="bar"
          />
        </div>
      </figure>
      <OutcomeTotals counts={counts} />
      <DayTable days={counts.days} results={results} />
    </div>
  )
}

function DayTable({ days, results }: { days: DeliveryDay[]; results: ResultClass[] }) {
  return (
    <details class="numbers" open>
      <summary>The numbers as a table</summary>
      <div class="overflow-auto">
        <table>
          <caption>Deliveries by day. Days begin at midnight UTC</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {results.map((result) => (
                <th scope="col" data-plot="bar" data-colour={`--result-${result}`}>
                  {NAMES[result]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(({ starts_at, deliveries }) => (
              <tr>
                <th scope="row">
                  <Time at={starts_at} day />
                </th>
                {results.map((result) => (
                  <td>
                    <data value={String(deliveries[result])}>{count(deliveries[result])}</data>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

function OutcomeTotals({ counts: { outcomes, total, ended_by_try } }: { counts: DeliveryCounts }) {
  const rows = [
    ...outcomes.map(({ outcome, deliveries }) => [outcome, deliveries] as const),
    ...(['unproven', 'refused'] as const).map(
      (name) => [NAMES[name].toLowerCase(), total[name]] as const,
    ),
    ['kept, and ended since', ended_by_try] as const,
  ]
  const counts = rows.map(([name, value]) => [name === 'waiting' ? 'kept' : name, value] as const)
  return <Counts counts={counts.filter(([, value]) => value > 0)} />
}

function NewestTable({ deliveries }: { deliveries: NewDelivery[] }) {
  return (
    <DataTable
      rows={deliveries}
      isHeadless
      columns={[
        ['Time', (delivery) => <TimeLink delivery={delivery} />],
        ['Event', ({ sender_event }) => sender_event ?? '—', 'free'],
        ['Record', ({ record_name }) => record_name ?? '—', 'free'],
        ['Outcome', (delivery) => <Outcome delivery={delivery} />, 'free'],
      ]}
    />
  )
}

function TimeLink({ delivery }: { delivery: NewDelivery }) {
  return (
    <a href={requestPath(delivery.request_id)}>
      <Time at={delivery.created_at} seconds />
    </a>
  )
}

function Outcome({ delivery }: { delivery: NewDelivery }) {
  return (
    <>
      <span class={`status result-${resultClassOf(delivery)}`}>{outcomeOf(delivery)}</span>
      {delivery.message !== null && <small class="line">{delivery.message}</small>}
    </>
  )
}

function outcomeOf(delivery: NewDelivery): string {
  const result = resultClassOf(delivery)
  if (result === 'unproven' || result === 'refused') {
    return `${NAMES[result].toLowerCase()} (${delivery.status})`
  }
  return delivery.outcome === 'waiting' ? 'kept' : (delivery.outcome ?? '—')
}
