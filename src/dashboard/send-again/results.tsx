import { capitalized } from '../../engine/model/record.ts'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { requestPath } from '../paths.ts'
import { isUnanswered, type Result } from './run.ts'

// In the order of the table: first those to look at.
const KINDS = {
  skipped: 'not sent',
  unanswered: 'not answered in time',
  refused: 'refused again',
  partly: 'accepted in part',
  accepted: 'accepted',
}

type Kind = keyof typeof KINDS

function kindOf({ status, rows_failed }: Result): Kind {
  if (status === null) return 'skipped'
  if (isUnanswered(status)) return 'unanswered'
  if (status >= 400) return 'refused'
  return rows_failed > 0 ? 'partly' : 'accepted'
}

/** Such as `31 accepted, 4 refused again, 2 not sent`. */
export function summaryOf(results: Result[]): string {
  const groups = Map.groupBy(results, kindOf)
  return (Object.keys(KINDS) as Kind[])
    .toReversed()
    .flatMap((kind) => {
      const number = groups.get(kind)?.length ?? 0
      return number > 0 ? `${count(number)} ${KINDS[kind]}` : []
    })
    .join(', ')
}

export function ResultTable({ results }: { results: Result[] }) {
  const order = Object.keys(KINDS) as Kind[]
  const groups = Map.groupBy(results, kindOf)
  return (
    <Records columns={['Request', 'Result', 'New request']}>
      {order.flatMap((kind) =>
        (groups.get(kind) ?? []).map((result) => <ResultRow kind={kind} result={result} />),
      )}
    </Records>
  )
}

// Links open another tab: the way back to this page would send its form once more.
function ResultRow({ kind, result }: { kind: Kind; result: Result }) {
  const { replay_of, name, request_id, status, rows_failed, reason } = result
  return (
    <tr>
      <th scope="row">
        <a href={requestPath(replay_of)} target="_blank" rel="noopener">
          {name || replay_of}
        </a>
      </th>
      <td data-label="Result">
        {capitalized(KINDS[kind])}
        {rows_failed > 0 &&
          `: ${rows_failed === 1 ? '1 row' : `${count(rows_failed)} rows`} failed`}
        {reason !== '' && <small class="line">{reason}</small>}
      </td>
      <td data-label="New request">
        {request_id === null ? (
          '—'
        ) : (
          <a href={requestPath(request_id)} target="_blank" rel="noopener">
            <span class={`status status-${Math.floor((status ?? 0) / 100)}xx`}>
              {`${status} ${request_id.slice(-8)}`}
            </span>
          </a>
        )}
      </td>
    </tr>
  )
}
