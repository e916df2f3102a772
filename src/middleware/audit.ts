import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { DocumentState } from '../engine/db/audit-row.ts'
import type { AppEnv, Exchange, KnownCaller } from '../engine/env.ts'
import { recordIn } from '../engine/exchange/acting.ts'
import { keepAfterwards, settleAfterwards } from '../engine/exchange/documents.ts'
import { isRerun } from '../engine/exchange/rerun.ts'
import { answerRow } from '../engine/exchange/row.ts'
import { countAttempt } from '../engine/log/key-attempts.ts'
import { explainAfterwards, recordAfterwards } from '../engine/log/recording.ts'

/**
 * Records what was answered in the audit log of the caller's tenant, after the answer. It is the outermost, so neither
 * the answer nor its data point counts what the audit costs. A committed write has recorded itself. A rerun records
 * nothing: the first pass, which waits for the rerun, does that once.
 */
export const audit = createMiddleware<AppEnv>(async function audit(c, next) {
  const isFirst = !isRerun(c)
  await next()
  if (!isFirst) return
  const current = c.get('exchange')
  const record = recordIn(c)
  if (record && current.error) record.explanation = current.error.explanation
  if (current.caller) recordAnswer(c, current, current.caller)
  else if (current.error) logRefusal(c, current)
  if (current.attempt) c.executionCtx.waitUntil(countAttempt(current.attempt))
})

/** A committed write, and a refusal that blocked a late one, have their audit rows already. */
function recordAnswer(c: Context<AppEnv>, current: Exchange, known: KnownCaller): void {
  const { caller, sources, db } = known
  if (db.writeState === 'committed' && current.explanation) {
    c.executionCtx.waitUntil(explainAfterwards(sources.db, db.subject, current.explanation))
  }
  // The dashboard may redirect to the sign-in instead of showing the error.
  const heard = current.error?.status ?? c.res.status
  const status = current.logged_status ?? heard
  const keeping = keepAfterwards(c, current, known, { status, heard })
  if (db.writeState === 'committed' || db.writeState === 'blocked') {
    if (keeping) c.executionCtx.waitUntil(settleAfterwards(current, known, keeping))
    return
  }
  const row = answerRow(current, known, status, current.error)
  const record = (state?: DocumentState) =>
    recordAfterwards(sources.db, caller.tenant, { ...row, ...state })
  c.executionCtx.waitUntil(keeping ? keeping.then(record) : record())
}

/** Logs a refusal without a known key: it belongs to no tenant, and so to no audit log. */
function logRefusal(c: Context<AppEnv>, { request_id, path, error }: Exchange): void {
  const { method } = c.req
  const refusal = { event: 'refused', request_id, method, path, error_code: error?.code }
  console.warn(JSON.stringify(refusal))
}
