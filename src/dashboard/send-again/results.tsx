import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { type RequestRecord, recordsOf } from '../../engine/log/related.ts'
import { capitalized } from '../../engine/model/record.ts'
import { filtersOf } from '../form/chosen.ts'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { auditLogPath, requestPath, sendAgainPath } from '../paths.ts'
import { RecordOf } from '../records/of-requests.tsx'
import { showRun } from '../run/progress.tsx'
import { resultGroups, summaryOf, TabLink } from '../run/results.tsx'
import type { Run, RunProgress } from '../run/run.ts'
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
function sentGroups(results: Result[]) {
  return resultGroups(KINDS, kindOf, results)
}

export async function showProgress(c: Context<AppEnv>, progress: RunProgress<Run<Result>>) {
  const chosen = filtersOf(c)
  const { results } = progress.run
  const sent = results.flatMap(({ request_id, status }) =>
    request_id !== null && status !== null && status < 300 ? request_id : [],
  )
  const records =
    sent.length > 0 ? await recordsOf(c.get('db'), sent) : new Map<string, RequestRecord>()
  return showRun(c, progress, {
    heading: 'Send again',
    many: 'requests',
    summary: summaryOf(sentGroups(results)),
    at: sendAgainPath(chosen),
    back: <a href={auditLogPath(chosen)}>Back to the log</a>,
    table: <ResultTable c={c} results={results} records={records} />,
  })
}

interface ResultTableProps {
  c: Context<AppEnv>
  results: Result[]
  /** What was created or changed, by the id of the new request. */
  records: ReadonlyMap<string, RequestRecord>
}

function ResultTable({ c, results, records }: ResultTableProps) {
  return (
    <Records columns={['Request', 'Result', 'New request']}>
      {sentGroups(results).flatMap((group) =>
        group.results.map(({ replay_of, name, request_id, status, rows_failed, reason }) => (
          <tr>
            <th scope="row">
              <TabLink href={requestPath(replay_of)}>
                {name || replay_of}
                <span class="for-reader"> {replay_of.slice(-8)}</span>
              </TabLink>
            </th>
            <td data-label="Result">
              {capitalized(group.text)}
              {rows_failed > 0 &&
                `: ${rows_failed === 1 ? '1 row' : `${count(rows_failed)} rows`} failed`}
              <Made c={c} record={records.get(request_id ?? '')} />
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
        )),
      )}
    </Records>
  )
}

function Made({ c, record }: { c: Context<AppEnv>; record: RequestRecord | undefined }) {
  return record ? (
    <small class="line">
      <RecordOf c={c} request={record} before="" />
    </small>
  ) : null
}
