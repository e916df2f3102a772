import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { countAttempt } from '../audit/key-attempts.ts'
import { explainAfterwards, recordAfterwards } from '../audit/recording.ts'
import { type AuditRow, type DocumentState, NO_DOCUMENT } from '../db/audit-row.ts'
import { newMeter } from '../db/connect.ts'
import { newRequestId } from '../db/request-id.ts'
import type { AnsweredError, AppEnv, Exchange, KnownCaller } from '../env.ts'
import { confirmCaller } from '../identity/caller.ts'
import { NO_TENANT_HEADER } from '../identity/host.ts'
import { HSTS } from '../identity/https.ts'
import { hideKeys } from '../identity/key.ts'
import { loggedPath } from '../identity/logged-path.ts'
import { CURRENT } from '../releases/release.ts'
import { type Acting, actingIn, newKept } from './acting.ts'
import { hasFewParameters } from './bounds.ts'
import { keepAfterwards, settleAfterwards } from './documents.ts'
import { isDryRun } from './dry-run.ts'
import { isHostOfNobody } from './host.ts'
import { tellBookmark } from './near-reads.ts'
import { replayedExchange } from './replay.ts'

const RECORD_NAME_LENGTH_MAX = 255
const NOT_EXPLAINED = { message: null, details: null, error_fields: null }

/**
 * Gives the request its id, and the response its headers and audit row. Only `measure` is outside of it. A replay does
 * not finish the response: the first pass, which waits for the replay, does that once.
 */
export const exchange = createMiddleware<AppEnv>(async function exchange(c, next) {
  c.set('parameters', [])
  c.set('warnings', [])
  c.set('release', CURRENT)
  c.set('change', null)
  const replayed = replayedExchange(c)
  const current = replayed ?? beginExchange(c.req.method, c.req.url, actingIn(c))
  c.set('exchange', current)
  await next()
  if (!replayed) finish(c, current)
})

function beginExchange(method: string, address: string, acting: Acting | undefined): Exchange {
  const url = new URL(address)
  const path = loggedPath(url)
  const started_at = Date.now()
  return {
    url,
    path,
    request_id: acting?.request_id ?? newRequestId(started_at),
    started_at,
    meter: newMeter(),
    waited_ms: 0,
    queued_ms: 0,
    kept: acting?.kept ?? newKept(),
    dry_run: hasFewParameters(url) && isDryRun(method, path, url),
    replay_of: acting?.replay_of ?? null,
    record_id: null,
    record_name: null,
    list_page: null,
    explanation: null,
    caller: null,
    error: null,
    attempt: null,
  }
}

/** Names the record that the request is about for its audit row. */
export function nameRecord(c: Context<AppEnv>, name: unknown): void {
  if (typeof name !== 'string' || name === '') return
  const known = hideKeys(name).slice(0, RECORD_NAME_LENGTH_MAX).toWellFormed()
  c.get('exchange').record_name = known
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
    recordAnswer(c, current, current.caller)
  } else {
    if (isHostOfNobody(c)) headers.set(NO_TENANT_HEADER, 'true')
    if (current.error) logRefusal(c, current)
  }
  if (current.attempt) c.executionCtx.waitUntil(countAttempt(current.attempt))
}

/** Rows that were read, and looks while it waited, would tell a caller of orders that it does not see. */
function serverTiming({ caller, origin }: KnownCaller, { meter, waited_ms }: Exchange): string {
  const seesAll = caller.orders_of === null
  if (!seesAll && waited_ms > 0) return `key;desc="${origin}"`
  const rows = seesAll ? `, rows read ${meter.rows_read}` : ''
  const cost = `round trips ${meter.round_trips}${rows}`
  return `key;desc="${origin}", d1;dur=${meter.duration_ms};desc="${cost}"`
}

/** A committed write, and a refusal that blocked a late one, have their audit rows already. */
function recordAnswer(c: Context<AppEnv>, current: Exchange, known: KnownCaller): void {
  const { caller, sources, db } = known
  if (db.writeState === 'committed' && current.explanation) {
    c.executionCtx.waitUntil(explainAfterwards(sources.db, db.subject, current.explanation))
  }
  // The dashboard may redirect to the sign-in instead of showing the error.
  const status = current.error?.status ?? c.res.status
  const keeping = keepAfterwards(c, current, known, status)
  if (db.writeState === 'committed' || db.writeState === 'blocked') {
    if (keeping) c.executionCtx.waitUntil(settleAfterwards(current, known, keeping))
    return
  }
  const row = answerRow(current, known, status, current.error)
  const record = (state?: DocumentState) =>
    recordAfterwards(sources.db, caller.tenant, { ...row, ...state })
  c.executionCtx.waitUntil(keeping ? keeping.then(record) : record())
}

/** The audit row of a read or a refusal. */
export function answerRow(
  current: Exchange,
  { db }: KnownCaller,
  status: number,
  error: AnsweredError | null,
): AuditRow {
  return {
    ...db.subject,
    ...(error?.explanation ?? current.explanation ?? NOT_EXPLAINED),
    ...db.rehearsed?.upload,
    ...NO_DOCUMENT,
    record_id: db.rehearsed?.record_id ?? current.record_id,
    record_name: db.rehearsed?.record_name ?? current.record_name,
    status,
    error_code: error?.code ?? null,
    duration_ms: Date.now() - current.started_at - current.waited_ms,
    list_page: current.list_page,
  }
}

/** Logs a refusal without a known key: it belongs to no tenant, and so to no audit log. */
function logRefusal(c: Context<AppEnv>, { request_id, path, error }: Exchange): void {
  const { method } = c.req
  const refusal = { event: 'refused', request_id, method, path, error_code: error?.code }
  console.warn(JSON.stringify(refusal))
}
