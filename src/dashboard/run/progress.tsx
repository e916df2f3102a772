import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { AppEnv } from '../../engine/env.ts'
import { Confirmed } from '../parts/confirmation.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { showPage } from '../shell/page.tsx'
import { RunFields } from './fields.tsx'
import type { Run, RunProgress } from './run.ts'

interface RunPage {
  heading: string
  /** What the run works through: `requests`. */
  many: string
  /** Such as `3 accepted, 1 refused again`. */
  summary: string
  /** The address of the page that asks for a new run. */
  at: string
  back: Child
  table: Child
}

/** How far a run is, with the results so far. */
export function showRun(
  c: Context<AppEnv>,
  { run, stopped }: RunProgress<object>,
  { heading, many, summary, at, back, table }: RunPage,
) {
  const { ids, results } = run
  const text = `${count(results.length)} of ${count(ids.length + results.length)} ${many} are done`
  return showPage(
    c,
    text,
    <div data-address={at}>
      <Heading text={heading}>{back}</Heading>
      <section class="sending">
        <p class="notice" role="status" data-progress>
          {results.length > 0 ? `${text}: ${summary}.` : `${text}.`}
        </p>
        {stopped !== null && (
          <p class="form-error" role="alert">
            {stopped}
          </p>
        )}
        {ids.length > 0 && <Rest run={run} goesOn={stopped === null} />}
      </section>
      {results.length > 0 && table}
    </div>,
  )
}

/** The script submits the form by itself, until it is told to stop (src/dashboard/browser/dashboard/send-again.ts). */
function Rest({ run, goesOn }: { run: Run<object>; goesOn: boolean }) {
  const { ids, results } = run
  return (
    <form method="post" data-goes-on={goesOn ? '' : undefined}>
      <Confirmed />
      <RunFields run={run} />
      <progress
        value={results.length}
        max={ids.length + results.length}
        aria-label="Requests that are done"
      />
      <div class="buttons">
        <button type="submit">Continue</button>
        <button type="button" class="secondary outline" data-stop hidden>
          Stop
        </button>
      </div>
    </form>
  )
}
