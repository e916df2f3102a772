import type { Traffic } from '../../requests/traffic/queries.ts'
import { count, milliseconds, share } from '../parts/numbers.ts'

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

/** The status classes that occur, sorted. */
export function statusClasses(requests: Traffic['requests']): string[] {
  return Object.keys(requests).toSorted()
}

export function errorsOf(requests: Traffic['requests']): number {
  return (requests['4xx'] ?? 0) + (requests['5xx'] ?? 0)
}

function Figure({ name, value, look }: { name: string; value: string; look?: string }) {
  return (
    <div>
      <dt class={look && `status ${look}`}>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
