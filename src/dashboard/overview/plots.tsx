import type { Bucket, Traffic } from '../../requests/traffic/queries.ts'
import { count, milliseconds, share, sum } from '../parts/numbers.ts'
import { Time } from '../parts/time.tsx'
import { hasPartners, nameOf } from './busiest.tsx'

const DAY_SECONDS = 24 * 60 * 60

/** `share`: bars as well, of one series for each of the busiest. */
type PlotKind = 'bar' | 'line' | 'share'

/** The numbers of the whole range. */
export function Totals({ traffic }: { traffic: Traffic }) {
  const { total, requests, dry_runs, p50_ms, p95_ms } = traffic
  return (
    <dl class="totals">
      <Figure name="Requests" value={count(total)} />
      {statusClasses(requests).map((name) => (
        <Figure name={name} value={count(requests[name] ?? 0)} look={`status-${name}`} />
      ))}
      <Figure name="Error rate" value={share(errorsOf(requests), total)} />
      <Figure name="Latency p50" value={milliseconds(p50_ms)} />
      <Figure name="Latency p95" value={milliseconds(p95_ms)} />
      {dry_runs > 0 && <Figure name="Dry runs, not counted" value={count(dry_runs)} />}
    </dl>
  )
}

function Figure({ name, value, look }: { name: string; value: string; look?: string }) {
  return (
    <div>
      <dt class={look && `status ${look}`}>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

/**
 * Plots that the browser draws from the table below them (src/dashboard/browser/dashboard/plots.ts). The table is for
 * screen readers, and for browsers without JavaScript.
 */
export function Plots({ traffic }: { traffic: Traffic }) {
  const { busiest } = traffic
  const subjects = hasPartners(busiest) ? 'Requests by partner' : 'Requests by API key'
  return (
    <section class="plots" aria-label="Over time">
      <Plot name="Requests" kind="bar" label={requestsLabel(traffic)} />
      <Plot name="Latency" kind="line" label={latencyLabel(traffic)} />
      {busiest.length > 0 && (
        <Plot name={subjects} kind="share" label={busiestLabel(subjects, traffic)} />
      )}
      <PlotTable traffic={traffic} />
    </section>
  )
}

interface PlotProps {
  name: string
  kind: PlotKind
  /** Describes the plot to screen readers. */
  label: string
}

function Plot({ name, kind, label }: PlotProps) {
  return (
    <figure class={kind} hidden>
      <figcaption>{name}</figcaption>
      <div>
        <canvas role="img" aria-label={label} data-plot={kind} />
      </div>
    </figure>
  )
}

function requestsLabel({ total, requests, buckets }: Traffic): string {
  const most = Math.max(...buckets.map((bucket) => sum(Object.values(bucket.requests))))
  return `Requests over time: ${count(total)} in all, ${count(errorsOf(requests))} of them errors, at most ${count(most)} per bar.`
}

function latencyLabel({ p50_ms, p95_ms }: Traffic): string {
  return `Latency over time: half of all requests took at most ${milliseconds(p50_ms)}, 95% at most ${milliseconds(p95_ms)}.`
}

function busiestLabel(subjects: string, { busiest }: Traffic): string {
  const each = busiest.map((one) => `${nameOf(one, busiest)} ${count(one.requests)}`)
  return `${subjects} over time: ${each.join(', ')}.`
}

/** A column of numbers: a series of one of the plots. */
interface Column {
  name: string
  kind: PlotKind
  valueIn: (bucket: Bucket) => number | null
  shown: (value: number | null) => string
}

function PlotTable({ traffic }: { traffic: Traffic }) {
  const columns = columnsOf(traffic)
  // A day in UTC has no beginning that suits a reader elsewhere.
  const isOfDays = traffic.bucketSeconds >= DAY_SECONDS
  return (
    <details class="numbers" open>
      <summary>The numbers as a table</summary>
      <div class="overflow-auto">
        <table>
          <caption>
            Requests by status class, latency, and the busiest, over time
            {isOfDays && '. Days begin at midnight UTC'}
          </caption>
          <thead>
            <tr>
              <th scope="col">From</th>
              {columns.map(({ name, kind }) => (
                <th scope="col" data-plot={kind}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {traffic.buckets.map((bucket) => (
              <tr>
                <th scope="row">
                  <Time at={bucket.starts_at} day={isOfDays} />
                </th>
                {columns.map((column) => (
                  <Cell bucket={bucket} column={column} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

function columnsOf({ requests, busiest, total }: Traffic): Column[] {
  const hasOthers = busiest.length > 0 && sum(busiest.map((one) => one.requests)) < total
  return [
    ...statusClasses(requests).map((name) =>
      countColumn(name, 'bar', (bucket) => bucket.requests[name] ?? 0),
    ),
    { name: 'p50', kind: 'line', valueIn: ({ p50_ms }) => p50_ms, shown: milliseconds },
    { name: 'p95', kind: 'line', valueIn: ({ p95_ms }) => p95_ms, shown: milliseconds },
    ...busiest.map((subject, index) =>
      countColumn(nameOf(subject, busiest), 'share', ({ of_busiest }) => of_busiest[index] ?? 0),
    ),
    ...(hasOthers ? [countColumn('Others', 'share', ofOthers)] : []),
  ]
}

function ofOthers({ requests, of_busiest }: Bucket): number {
  return sum(Object.values(requests)) - sum(of_busiest)
}

function countColumn(name: string, kind: PlotKind, valueIn: (bucket: Bucket) => number): Column {
  return { name, kind, valueIn, shown: (value) => count(value ?? 0) }
}

function Cell({ bucket, column: { valueIn, shown } }: { bucket: Bucket; column: Column }) {
  const value = valueIn(bucket)
  return (
    <td>{value === null ? shown(value) : <data value={String(value)}>{shown(value)}</data>}</td>
  )
}

/** The status classes that occur, sorted. */
function statusClasses(requests: Traffic['requests']): string[] {
  return Object.keys(requests).toSorted()
}

function errorsOf(requests: Traffic['requests']): number {
  return (requests['4xx'] ?? 0) + (requests['5xx'] ?? 0)
}
