import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { recordsOf } from '../../engine/log/related.ts'
import { filtersOf } from '../form/chosen.ts'
import { auditLogPath, sendAgainPath } from '../paths.ts'
import { showRun } from '../run/progress.tsx'
import { summaryOf } from '../run/results.tsx'
import type { RunProgress } from '../run/run.ts'
import { ResultTable, sentGroups } from './results.tsx'
import type { Result } from './run.ts'

const NO_RECORDS: Awaited<ReturnType<typeof recordsOf>> = new Map()

export async function showProgress(c: Context<AppEnv>, progress: RunProgress<Result>) {
  const chosen = filtersOf(c)
  const { results } = progress.run
  const sent = results.flatMap(({ request_id, status }) =>
    request_id !== null && status !== null && status < 300 ? request_id : [],
  )
  const records = sent.length > 0 ? await recordsOf(c.get('db'), sent) : NO_RECORDS
  return showRun(c, progress, {
    heading: 'Send again',
    many: 'requests',
    summary: summaryOf(sentGroups(results)),
    at: sendAgainPath(chosen),
    back: <a href={auditLogPath(chosen)}>Back to the log</a>,
    table: <ResultTable c={c} results={results} records={records} />,
  })
}
