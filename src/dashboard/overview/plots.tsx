import type { Bucket, Traffic } from '../../settings/traffic/queries.ts'
import { count, milliseconds } from '../numbers.ts'
import { Time } from '../time.tsx'
import { errorsOf, statusClasses } from './totals.tsx'

const LATENCIES = [
  ['p50', 'p50_ms'],
  ['p95', 'p95_ms'],
] as const

/**
 * Two plots, drawn by the browser (browser/dashboard/plots.ts) from the table below them, which is
 * there for who cannot see them and stays open where no script runs.
 */
export function Plots({ traffic }: { traffic: Traffic }) {
  const classes = statusClasses(traffic.requests)
  return (
    <section class="plots" aria-label="Over time">
      <Plot name="Requests" kind="bar" label={requestsLabel(traffic)} />
      <Plot name="Latency" kind="line" label={latencyLabel(traffic)} />
      <details class="numbers" open>
        <summary>The numbers as a table</summary>
        <div class="overflow-auto">
          <table>
            <caption>Requests by class of status, and latency, by the time they came in</caption>
            <thead>
              <tr>
                <th scope="col">From</th>
                {classes.map((name) => (
                  <th scope="col" data-plot="bar">
                    {name}
                  </th>
                ))}
                {LATENCIES.map(([name]) => (
                  <th scope="col" data-plot="line">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {traffic.buckets.map((bucket) => (
                <BucketRow bucket={bucket} classes={classes} />
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  )
}

interface PlotProps {
  name: string
  kind: 'bar' | 'line'
  /** What is to be seen in it. */
  label: string
}

function Plot({ name, kind, label }: PlotProps) {
  return (
    <figure hidden>
      <figcaption>{name}</figcaption>
      <div>
        <canvas role="img" aria-label={label} data-plot={kind} />
      </div>
    </figure>
  )
}

function BucketRow({ bucket, classes }: { bucket: Bucket; classes: string[] }) {
  return (
    <tr>
      <th scope="row">
        <Time at={bucket.starts_at} />
      </th>
      {classes.map((name) => (
        <Cell value={bucket.requests[name] ?? 0} text={count(bucket.requests[name] ?? 0)} />
      ))}
      {LATENCIES.map(([, field]) => (
        <Cell value={bucket[field]} text={milliseconds(bucket[field])} />
      ))}
    </tr>
  )
}

function Cell({ value, text }: { value: number | null; text: string }) {
  return <td>{value === null ? text : <data value={String(value)}>{text}</data>}</td>
}

function requestsLabel({ total, requests, buckets }: Traffic): string {
  const most = Math.max(...buckets.map((bucket) => sumOf(bucket.requests)))
  return `Requests over time: ${count(total)} in all, ${count(errorsOf(requests))} of them errors, at most ${count(most)} in a bar.`
}

function latencyLabel({ p50_ms, p95_ms }: Traffic): string {
  return `Latency over time: half of all requests took at most ${milliseconds(p50_ms)}, 95% at most ${milliseconds(p95_ms)}.`
}

function sumOf(requests: Bucket['requests']): number {
  return Object.values(requests).reduce((sum, each) => sum + each, 0)
}
