import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { type AuditRow, recordAfterwards } from '../db/audit.ts'
import type { AppEnv, Exchange, KnownCaller } from '../env.ts'
import { refreshCaller } from '../identity/caller.ts'
import { hideKeys } from '../identity/key.ts'
import { CURRENT } from '../releases/release.ts'

const PATH_LENGTH_MAX = 2000

// A replay hands the same Request in again and finds its exchange here.
const exchanges = new WeakMap<Request, Exchange>()

/**
 * Outermost: gives the request its id, and when the answer stands, its headers and its audit row.
 * A replay passes through: the first pass is still waiting outside and does all this once.
 */
export const exchange = createMiddleware<AppEnv>(async (c, next) => {
  c.set('warnings', [])
  c.set('release', CURRENT)
  c.set('change', null)
  const ongoing = exchanges.get(c.req.raw)
  const current = ongoing ?? beginExchange(c.req.url)
  c.set('exchange', current)
  await next()
  if (!ongoing) finish(c, current)
})

/** Lets the app answer the same request again, from the start. */
export async function replay(
  c: Context<AppEnv>,
  answer: (request: Request, env: AppEnv['Bindings'], context: Context['executionCtx']) => unknown,
): Promise<Response> {
  const current = c.get('exchange')
  current.replayed = true
  current.caller = null
  exchanges.set(c.req.raw, current)
  const response = (await answer(c.req.raw, c.env, c.executionCtx)) as Response
  // What the first pass has answered already, Hono would lay its headers over this.
  c.res = undefined
  return response
}

function beginExchange(address: string): Exchange {
  const url = new URL(address)
  return {
    url,
    path: hideKeys(normalize(url.pathname)).slice(0, PATH_LENGTH_MAX),
    request_id: crypto.randomUUID(),
    started_at: Date.now(),
    meter: { round_trips: 0, rows_read: 0, duration_ms: 0 },
    replayed: false,
    turn: null,
    inside: null,
    arrival: null,
    work: null,
    measured: null,
    payload: null,
    record_id: null,
    caller: null,
    error: null,
  }
}

/** Two ways of writing one path are one (RFC 3986, 6.2.2): a route that is served is known by its name. */
function normalize(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase()
  })
}

function finish(c: Context<AppEnv>, current: Exchange): void {
  // Past c.header, which makes a new Response for each, once there is one. No answer of ours has
  // headers that cannot be set, as one that was fetched would have.
  const { headers } = c.res
  headers.set('X-Request-Id', current.request_id)
  headers.set('Cache-Control', 'no-store')
  if (current.caller) {
    headers.set('Server-Timing', serverTiming(current.caller, current))
    recordAnswer(c, current, current.caller)
  } else if (current.error) {
    logRefusal(c, current)
  }
}

function serverTiming({ origin }: KnownCaller, { meter }: Exchange): string {
  const cost = `round trips ${meter.round_trips}, rows read ${meter.rows_read}`
  return `key;desc="${origin}", d1;dur=${meter.duration_ms};desc="${cost}"`
}

/** The audit row of a write, and of a refusal that is fenced, is in the database already. */
function recordAnswer(c: Context<AppEnv>, current: Exchange, known: KnownCaller): void {
  const { caller, sources, db } = known
  if (db.fate === 'committed') {
    if (isSettings(current)) c.executionCtx.waitUntil(renewAfterwards(known))
  } else if (db.fate !== 'fenced') {
    const row = answerRow(current, known, c.res.status)
    c.executionCtx.waitUntil(recordAfterwards(sources.db, caller.tenant, row))
  }
}

/** The audit row of a read or of a refusal, as it is answered. */
export function answerRow(current: Exchange, { db }: KnownCaller, status: number): AuditRow {
  return {
    ...db.subject,
    record_id: current.record_id,
    // A page may lead on to the sign-in instead.
    status: current.error?.status ?? status,
    error_code: current.error?.code ?? null,
    duration_ms: Date.now() - current.started_at,
  }
}

/** A change of settings has made its own caller's snapshot stale: a script's next change finds it new. */
async function renewAfterwards({ sources, caller }: KnownCaller): Promise<void> {
  await scheduler.wait(0)
  await refreshCaller(sources, caller).catch(() => {
    // The next request finds the snapshot stale, and renews it then.
  })
}

function isSettings({ path }: Exchange): boolean {
  return path.startsWith('/api/settings/') || path.startsWith('/dashboard/')
}

/** Without a known key there is no tenant, and so no audit log, that could hold the request. */
function logRefusal(c: Context<AppEnv>, { request_id, path, error }: Exchange): void {
  const { method } = c.req
  const refusal = { event: 'refused', request_id, method, path, error_code: error?.code }
  console.warn(JSON.stringify(refusal))
}
