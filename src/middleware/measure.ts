import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../engine/env.ts'
import { isOfDocument } from '../engine/exchange/acting.ts'
import { rerunExchange } from '../engine/exchange/rerun.ts'
import { writeRequest } from '../engine/metrics/points.ts'

/**
 * Writes the request's data point when its answer is ready, once for all its passes; `version` is that of the code.
 * What is written after the answer, such as the audit row of a read, is not in the point.
 */
export const measure = (version: string) =>
  createMiddleware<AppEnv>(async function measure(c, next) {
    const isRerun = rerunExchange(c) !== undefined
    await next()
    // A document with several records is one request of its sender.
    if (isRerun || isOfDocument(c)) return
    const { caller, error, path, meter, queued_ms, waited_ms, started_at } = c.get('exchange')
    writeRequest(c.env.METRICS, {
      version,
      tenant: caller?.caller.tenant ?? null,
      path,
      method: c.req.method,
      status: error?.status ?? c.res.status,
      error_code: error?.code ?? null,
      reason: error?.reason ?? null,
      outcome: caller?.caller.webhook ? (c.get('db')?.subject.outcome ?? null) : null,
      origin: caller?.origin ?? null,
      duration_ms: Date.now() - started_at - waited_ms,
      waited_ms: queued_ms,
      meter,
    })
  })
