import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { filtersOf } from '../form/chosen.ts'
import { Confirmed } from '../parts/confirmation.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { auditLogPath, sendAgainPath } from '../paths.ts'
import { showPage } from '../shell/page.tsx'
import { ResultTable, summaryOf } from './results.tsx'
import type { Run } from './run.ts'
import { RunFields } from './run-fields.tsx'

interface ProgressProps {
  run: Run
  /** Why nothing could be sent just now. */
  stopped: string | null
}

/** How far a run is, with the results so far. */
export function showProgress(c: Context<AppEnv>, { run, stopped }: ProgressProps) {
  const chosen = filtersOf(c)
  const { ids, results } = run
  const total = ids.length + results.length
  const text = `${count(results.length)} of ${count(total)} requests are done`
  return showPage(
    c,
    text,
    <div data-address={sendAgainPath(chosen)}>
      <Heading text="Send again">
        <a href={auditLogPath(chosen)}>Audit log</a>
      </Heading>
      <section class="sending">
        <p class="notice" role="status" data-progress>
          {results.length > 0 ? `${text}: ${summaryOf(results)}.` : `${text}.`}
        </p>
        {stopped !== null && (
          <p class="form-error" role="alert">
            {stopped}
          </p>
        )}
        {ids.length > 0 && <Rest run={run} total={total} goesOn={stopped === null} />}
      </section>
      {results.length > 0 && <ResultTable results={results} />}
    </div>,
  )
}

interface RestProps {
  run: Run
  total: number
  goesOn: boolean
}

/** The script submits the form by itself, until it is told to stop (src/dashboard/browser/dashboard/send-again.ts). */
function Rest({ run, total, goesOn }: RestProps) {
  return (
    <form method="post" data-goes-on={goesOn ? '' : undefined}>
      <Confirmed />
      <RunFields run={run} />
      <progress value={run.results.length} max={total} aria-label="Requests that are done" />
      <div class="buttons">
        <button type="submit">Continue</button>
        <button type="button" class="secondary outline" data-stop hidden>
          Stop
        </button>
      </div>
    </form>
  )
}
