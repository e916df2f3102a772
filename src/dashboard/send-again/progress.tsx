import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { filtersOf } from '../form/chosen.ts'
import { auditLogPath, sendAgainPath } from '../paths.ts'
import { showRun } from '../run/progress.tsx'
import { summaryOf } from '../run/results.tsx'
import type { RunProgress } from '../run/run.ts'
import { ResultTable, sentGroups } from './results.tsx'
import type { Result } from './run.ts'

export function showProgress(c: Context<AppEnv>, progress: RunProgress<Result>) {
  const chosen = filtersOf(c)
  const { results } = progress.run
  return showRun(c, progress, {
    heading: 'Send again',
    many: 'requests',
    summary: summaryOf(sentGroups(results)),
    at: sendAgainPath(chosen),
    back: <a href={auditLogPath(chosen)}>Audit log</a>,
    table: <ResultTable results={results} />,
  })
}
