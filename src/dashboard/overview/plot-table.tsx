import type { Bucket, Traffic } from '../../requests/traffic/queries.ts'
import { count, milliseconds, sum } from '../parts/numbers.ts'
import { Time } from '../parts/time.tsx'
import { nameOf } from './busiest.tsx'
import { statusClasses } from './totals.tsx'

const DAY_SECONDS = 24 * 60 * 60

/** `share`: bars as well, of one series for each of the busiest. */
export type PlotKind = 'bar' | 'line' | 'share'

/** A column of numbers: a series of one of the plots. */
interface Column {
  name: string
  kind: PlotKind
  valueIn: (bucket: Bucket) => number | null
  shown: (value: number | null) => string
}

export function PlotTable({ traffic }: { traffic: Traffic }) {
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
              <BucketRow bucket={bucket} columns={columns} isOfDays={isOfDays} />
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

interface BucketRowProps {
  bucket: Bucket
  columns: Column[]
  isOfDays: boolean
}

function BucketRow({ bucket, columns, isOfDays }: BucketRowProps) {
  return (
    <tr>
      <th scope="row">
        <Time at={bucket.starts_at} day={isOfDays} />
      </th>
      {columns.map(({ valueIn, shown }) => (
        <Cell value={valueIn(bucket)} text={shown(valueIn(bucket))} />
      ))}
    </tr>
  )
}

function Cell({ value, text }: { value: number | null; text: string }) {
  return <td>{value === null ? text : <data value={String(value)}>{text}</data>}</td>
}
