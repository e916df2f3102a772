import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { filtersOf } from '../form/chosen.ts'
import { count } from '../parts/numbers.ts'
import { auditLogPath, sendAgainPath } from '../paths.ts'
import { RunProgress } from '../run/progress.tsx'
import { showPage } from '../shell/page.tsx'
import { ResultTable, summaryOf } from './results.tsx'
import type { SendRun } from './run.ts'

interface SendProgress {
  run: SendRun
  /** Why nothing could be sent just now. */
  stopped: string | null
}

/** How far a run is, with the results so far. */
export function showProgress(c: Context<AppEnv>, { run, stopped }: SendProgress) {
  const chosen = filtersOf(c)
  const { ids, results } = run
  const text = `${count(results.length)} of ${count(ids.length + results.length)} requests are done`
  return showPage(
    c,
    text,
    <RunProgress
      run={run}
      stopped={stopped}
      heading="Send again"
      text={text}
      summary={summaryOf(results)}
      at={sendAgainPath(chosen)}
      back={<a href={auditLogPath(chosen)}>Audit log</a>}
      table={<ResultTable results={results} />}
    />,
  )
}
