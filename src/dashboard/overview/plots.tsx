import type { Traffic } from '../../requests/traffic/queries.ts'
import { count, milliseconds, sum } from '../parts/numbers.ts'
import { hasPartners, nameOf } from './busiest.tsx'
import { type PlotKind, PlotTable } from './plot-table.tsx'
import { errorsOf } from './totals.tsx'

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
