import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { newMeter } from '../engine/db/connect.ts'
import { newRequestId } from '../engine/db/request-id.ts'
import type { AppEnv, Exchange, KnownCaller } from '../engine/env.ts'
import { type Acting, actingIn, newKept } from '../engine/exchange/acting.ts'
import { isDryRun } from '../engine/exchange/dry-run.ts'
import { isHostOfNobody } from '../engine/exchange/host.ts'
import { rerunExchange } from '../engine/exchange/rerun.ts'
import { broughtBy, retriedIn } from '../engine/exchange/retried.ts'
import { trialIn } from '../engine/exchange/trial.ts'
import { confirmCaller } from '../engine/identity/caller.ts'
import { NO_TENANT_HEADER } from '../engine/identity/host.ts'
import { HSTS } from '../engine/identity/https.ts'
import { loggedPath } from '../engine/identity/logged-path.ts'
import { CURRENT } from '../engine/releases/release.ts'
import { hasFewParameters } from './bounds.ts'
import { tellBookmark } from './near-reads.ts'

/**
 * Gives the request its id, and the response its headers. Only `audit` and `measure` are outside of it. A rerun does not finish the
 * response: the first pass, which waits for the rerun, does that once.
 */
export const exchange = createMiddleware<AppEnv>(async function exchange(c, next) {
  c.set('parameters', [])
  c.set('warnings', [])
  c.set('release', CURRENT)
  c.set('change', null)
  const rerun = rerunExchange(c)
  const current = rerun ?? beginExchange(c, actingIn(c))
  c.set('exchange', current)
  await next()
  if (!rerun) finish(c, current)
})

function beginExchange(c: Context<AppEnv>, acting: Acting | undefined): Exchange {
  const { method } = c.req
  const retried = retriedIn(c)
  const url = new URL(c.req.url)
  const path = loggedPath(url)
  const started_at = Date.now()
  return {
    url,
    path,
    request_id: acting?.request_id ?? newRequestId(started_at),
    started_at,
    meter: acting?.meter ?? retried?.meter ?? newMeter(),
    waited_ms: 0,
    queued_ms: 0,
    kept: acting?.kept ?? newKept(),
    dry_run:
      trialIn(c) !== undefined ||
      ((acting?.part ?? retried)?.dry_run ??
        (hasFewParameters(url) && isDryRun(method, path, url))),
    replay_of: acting?.replay_of ?? (retried ? broughtBy(retried) : null),
    record_id: acting?.record ? acting.replay_of : null,
    record_name: null,
    logged_status: null,
    list_page: null,
    explanation: null,
    record_counts: null,
    caller: null,
    error: null,
    attempt: null,
  }
}

function finish(c: Context<AppEnv>, current: Exchange): void {
  // Without c.header, which would make a new Response each time. Only headers of a fetched response are
  // immutable, and no response here is fetched.
  const { headers } = c.res
  headers.set('X-Request-Id', current.request_id)
  headers.set('Cache-Control', 'no-store')
  headers.set('X-Content-Type-Options', 'nosniff')
  if (current.url.protocol === 'https:') headers.set(HSTS.name, HSTS.value)
  if (current.dry_run) {
    headers.set('X-Dry-Run', 'true')
    // A version that no record has may not become a condition.
    headers.delete('ETag')
  }
  if (current.caller) {
    const { caller, db } = current.caller
    confirmCaller(caller, db.subject.settings_version)
    if (db.writeState === 'committed') tellBookmark(headers, caller.tenant, db.bookmark)
    headers.set('Server-Timing', serverTiming(current.caller, current))
  } else if (isHostOfNobody(c)) headers.set(NO_TENANT_HEADER, 'true')
}

/** Rows that were read, and looks while it waited, would tell a caller of orders that it does not see. */
function serverTiming({ caller, origin }: KnownCaller, { meter, waited_ms }: Exchange): string {
  const seesAll = caller.orders_of === null
  if (!seesAll && waited_ms > 0) return `key;desc="${origin}"`
  const rows = seesAll ? `, rows read ${meter.rows_read}` : ''
  const cost = `round trips ${meter.round_trips}${rows}`
  return `key;desc="${origin}", d1;dur=${meter.duration_ms};desc="${cost}"`
}
