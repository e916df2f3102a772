import { type Context, Hono } from 'hono'
import * as z from 'zod'
import type { DeliveryOutcome } from '../../engine/db/tables.ts'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError } from '../../engine/errors.ts'
import { capitalized } from '../../engine/model/record.ts'
import { notForPartners } from '../../middleware/document-access.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { applyDelivery } from '../../requests/deliveries/apply.ts'
import { idsToTry } from '../../requests/deliveries/queries.ts'
import { APPLIED_MAX, DeliveriesQuery } from '../../requests/deliveries/schema.ts'
import { filtersOf } from '../form/chosen.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { Empty } from '../parts/empty.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import {
  applyDeliveriesPath,
  deliveriesPath,
  deliveryPath,
  type PageFilters,
  requestPath,
} from '../paths.ts'
import { HiddenFields, showRun } from '../run/progress.tsx'
import { resultGroups, summaryOf, TabLink } from '../run/results.tsx'
import { addRun } from '../run/route.ts'
import {
  cut,
  fieldsOfRun,
  newRun,
  ResultText,
  RUN_MAX,
  type Run,
  RunId,
  type RunProgress,
} from '../run/run.ts'
import { showPage } from '../shell/page.tsx'
import { deliveries } from './words.ts'

const TriedWaiting = z
  .tuple([RunId, ResultText, z.uuid().nullable(), ResultText, ResultText])
  .transform(([delivery_id, name, request_id, outcome, reason]) => ({
    delivery_id,
    name,
    request_id,
    outcome,
    reason,
  }))

/** What a try has come to. Without an outcome it was not tried, for the `reason`. */
type TriedWaiting = z.output<typeof TriedWaiting>

// In the order of the table: first those to look at.
const KINDS = {
  failed: 'not tried',
  waiting: 'still waiting',
  ended: 'nothing to do any more',
  applied: 'applied',
}

type Kind = keyof typeof KINDS

/** In place of an outcome: it did not wait any more. */
const GONE = 'gone'

const ENDED: readonly (DeliveryOutcome | typeof GONE)[] = ['skipped', 'stale', 'superseded', GONE]

function kindOf({ outcome }: TriedWaiting): Kind {
  if (outcome === '') return 'failed'
  if (outcome === 'waiting') return 'waiting'
  return ENDED.some((each) => each === outcome) ? 'ended' : 'applied'
}

/** The results by kind: first those that somebody has to look at. */
function triedGroups(results: TriedWaiting[]) {
  return resultGroups(KINDS, kindOf, results)
}

/** Tries the waiting deliveries that filters find, one part after the other. */
export const applyingDeliveries = new Hono<AppEnv>()

applyingDeliveries.use(
  '/',
  requireScope('settings.documents.read'),
  requireScope('settings.deliveries.write'),
  notForPartners,
)

applyingDeliveries.get('/', (c) => showQuestion(c, filtersOf(c)))

addRun(applyingDeliveries, { schema: TriedWaiting, next: applyNext, show: showProgress })

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
      <HiddenFields fields={fieldsOfRun(newRun(ids))} />
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

/** Tries the next deliveries of the run, at most 20. Those that cannot be tried just now stay in it. */
async function applyNext(
  c: Context<AppEnv>,
  { id, ids, results }: Run<TriedWaiting>,
): Promise<RunProgress<Run<TriedWaiting>>> {
  const made: TriedWaiting[] = []
  const run = () => ({ id, ids: ids.slice(made.length), results: [...results, ...made] })
  for (const delivery_id of ids.slice(0, APPLIED_MAX)) {
    try {
      made.push(await resultOf(c, delivery_id))
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'UNAVAILABLE')) throw error
      return { run: run(), stopped: error.message }
    }
  }
  return { run: run(), stopped: null }
}

async function resultOf(c: Context<AppEnv>, delivery_id: string): Promise<TriedWaiting> {
  const { request_id, outcome, record, reason, error } = await tried(c, delivery_id)
  return {
    delivery_id,
    name: cut(record ?? ''),
    request_id,
    outcome: outcome ?? '',
    reason: cut(reason ?? error?.message ?? ''),
  }
}

/** Somebody else, or Crossdock itself, may have been faster. */
async function tried(c: Context<AppEnv>, id: string) {
  try {
    return await applyDelivery(c, id)
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
    const reason = 'It did not wait any more.'
    return { request_id: null, outcome: GONE, record: null, reason, error: null }
  }
}

function showProgress(c: Context<AppEnv>, progress: RunProgress<Run<TriedWaiting>>) {
  const chosen = filtersOf(c)
  const { results } = progress.run
  return showRun(c, progress, {
    heading: 'Try deliveries',
    many: 'deliveries',
    summary: summaryOf(triedGroups(results)),
    at: applyDeliveriesPath(chosen),
    back: <a href={deliveriesPath(chosen)}>Deliveries</a>,
    table: <TriedTable results={results} />,
  })
}

function TriedTable({ results }: { results: TriedWaiting[] }) {
  return (
    <Records columns={['Delivery', 'Result', 'Request']}>
      {triedGroups(results).flatMap((group) =>
        group.results.map(({ delivery_id, name, request_id, outcome, reason }) => (
          <tr>
            <th scope="row">
              <TabLink href={deliveryPath(delivery_id)}>{name || delivery_id}</TabLink>
            </th>
            <td data-label="Result">
              {capitalized(group.text)}
              {group.kind === 'applied' && `: ${outcome}`}
              {reason !== '' && <small class="line">{reason}</small>}
            </td>
            <td data-label="Request">
              {request_id === null ? (
                '—'
              ) : (
                <TabLink href={requestPath(request_id)}>{request_id.slice(-8)}</TabLink>
              )}
            </td>
          </tr>
        )),
      )}
    </Records>
  )
}
