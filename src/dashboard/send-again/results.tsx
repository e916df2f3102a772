import { capitalized } from '../../engine/model/record.ts'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { requestPath } from '../paths.ts'
import { resultGroups, TabLink } from '../run/results.tsx'
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

/** The results by kind: first those that somebody has to look at. */
export function sentGroups(results: Result[]) {
  return resultGroups(KINDS, kindOf, results)
}

export function ResultTable({ results }: { results: Result[] }) {
  return (
    <Records columns={['Request', 'Result', 'New request']}>
      {sentGroups(results).flatMap((group) =>
        group.results.map((result) => <ResultRow kind={group.kind} result={result} />),
      )}
    </Records>
  )
}

function ResultRow({ kind, result }: { kind: Kind; result: Result }) {
  const { replay_of, name, request_id, status, rows_failed, reason } = result
  return (
    <tr>
      <th scope="row">
        <TabLink href={requestPath(replay_of)}>{name || replay_of}</TabLink>
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
          <TabLink href={requestPath(request_id)}>
            <span class={`status status-${Math.floor((status ?? 0) / 100)}xx`}>
              {`${status} ${request_id.slice(-8)}`}
            </span>
          </TabLink>
        )}
      </td>
    </tr>
  )
}
