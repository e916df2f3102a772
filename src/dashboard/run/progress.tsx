import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { AppEnv } from '../../engine/env.ts'
import { Confirmed } from '../parts/confirmation.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { showPage } from '../shell/page.tsx'
import { fieldsOfRun, type Run, type RunProgress } from './run.ts'

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
  { run, stopped }: RunProgress<Run<object>>,
  page: RunPage,
) {
  const { ids, results } = run
  const fields = fieldsOfRun(run)
  return showParts(c, { done: results.length, left: ids.length, stopped, fields }, page)
}

/** Work in parts, each of which is done by the next form. */
interface Parts {
  done: number
  left: number
  /** Why nothing more can be done just now. */
  stopped: string | null
  /** Of the form that goes on. */
  fields: Record<string, string>
  /** Where it goes, if not to the address of the page that asks. */
  action?: string
}

/** How far work in parts is. */
export function showParts(
  c: Context<AppEnv>,
  parts: Parts,
  { heading, many, summary, at, back, table }: RunPage,
) {
  const { done, left, stopped } = parts
  const text = `${count(done)} of ${count(left + done)} ${many} are done`
  return showPage(
    c,
    text,
    <div data-address={at}>
      <Heading text={heading}>{back}</Heading>
      <section class="sending">
        <p class="notice" role="status" data-progress>
          {done > 0 ? `${text}: ${summary}.` : `${text}.`}
        </p>
        {stopped !== null && (
          <p class="form-error" role="alert">
            {stopped}
          </p>
        )}
        {left > 0 && <Rest {...parts} />}
      </section>
      {done > 0 && table}
    </div>,
  )
}

/** The script submits the form by itself, until it is told to stop (src/dashboard/browser/dashboard/send-again.ts). */
function Rest({ done, left, stopped, fields, action }: Parts) {
  return (
    <form method="post" action={action} data-goes-on={stopped === null ? '' : undefined}>
      <Confirmed />
      <HiddenFields fields={fields} />
      <progress value={done} max={left + done} aria-label="What is done" />
      <div class="buttons">
        <button type="submit">Continue</button>
        <button type="button" class="secondary outline" data-stop hidden>
          Stop
        </button>
      </div>
    </form>
  )
}

/** What a form carries from page to page. */
export function HiddenFields({ fields }: Pick<Parts, 'fields'>) {
  return Object.entries(fields).map(([name, value]) => (
    <input type="hidden" name={name} value={value} />
  ))
}
