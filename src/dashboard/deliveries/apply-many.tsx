import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { leaveLargeWork } from '../../engine/exchange/memory.ts'
import { notForPartners } from '../../middleware/document-access.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { idsToTry } from '../../requests/deliveries/queries.ts'
import { APPLIED_MAX, DeliveriesQuery } from '../../requests/deliveries/schema.ts'
import { filtersOf } from '../form/chosen.ts'
import { formOf } from '../form/read.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { Empty } from '../parts/empty.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { applyDeliveriesPath, deliveriesPath, type PageFilters } from '../paths.ts'
import { RunFields } from '../run/fields.tsx'
import { RunProgress } from '../run/progress.tsx'
import { newRun, RUN, RUN_MAX, runOfForm } from '../run/run.ts'
import { showPage } from '../shell/page.tsx'
import { type ApplyRun, applyNext } from './apply-next.ts'
import { summaryOfTries, TriedTable, TriedWaiting } from './tried.tsx'
import { deliveries } from './words.ts'

/** Tries the waiting deliveries that filters find, one part after the other. */
export const applyingDeliveries = new Hono<AppEnv>()

applyingDeliveries.use(
  '/',
  requireScope('settings.documents.read'),
  requireScope('settings.deliveries.write'),
  notForPartners,
)

applyingDeliveries.get('/', (c) => showQuestion(c, filtersOf(c)))

applyingDeliveries.post('/', async (c) => {
  // Rejects for a form that has no run: then the error has a page of its own.
  const form = await formOf(c, RUN, async (sent, { message }) =>
    showProgress(c, { run: runOfForm(sent, TriedWaiting), stopped: message }),
  )
  const run = runOfForm(form, TriedWaiting)
  leaveLargeWork(c)
  const applied = await applyNext(c, run)
  c.get('exchange').record_id = run.ids[0] ?? null
  return showProgress(c, applied)
})

/** Asks whether to try those that the filters find by now. */
async function showQuestion(c: Context<AppEnv>, chosen: PageFilters) {
  const { limit, cursor, ...filters } = check(DeliveriesQuery, chosen)
  const found = await idsToTry(c.get('db'), filters, RUN_MAX + 1)
  const ids = found.slice(0, RUN_MAX)
  const back = deliveriesPath(chosen)
  if (ids.length === 0) return showNothing(c, back)
  return showPage(
    c,
    'Try deliveries',
    <Confirmation
      question={`Try ${deliveries(ids.length)} now?`}
      action={`Try ${deliveries(ids.length)}`}
      back={back}
      error={null}
    >
      <p>
        Crossdock applies each of them as its webhook, the oldest first, {APPLIED_MAX} at a time.
        What still cannot be applied waits on. Crossdock does the same by itself once what they need
        is there.
      </p>
      {found.length > RUN_MAX && <p>{`More match: these are the oldest ${count(RUN_MAX)}.`}</p>}
      <RunFields run={newRun(ids)} />
    </Confirmation>,
  )
}

function showNothing(c: Context<AppEnv>, back: string) {
  return showPage(
    c,
    'Try deliveries',
    <>
      <Heading text="Try deliveries" />
      <Empty text="There is nothing to try: no delivery of a webhook that is live matches these filters.">
        <a class="button secondary outline" href={back}>
          Deliveries
        </a>
      </Empty>
    </>,
  )
}

function showProgress(
  c: Context<AppEnv>,
  { run, stopped }: { run: ApplyRun; stopped: string | null },
) {
  const chosen = filtersOf(c)
  const { ids, results } = run
  const text = `${count(results.length)} of ${count(ids.length + results.length)} deliveries are done`
  return showPage(
    c,
    text,
    <RunProgress
      run={run}
      stopped={stopped}
      heading="Try deliveries"
      text={text}
      summary={summaryOfTries(results)}
      at={applyDeliveriesPath(chosen)}
      back={<a href={deliveriesPath(chosen)}>Deliveries</a>}
      table={<TriedTable results={results} />}
    />,
  )
}
