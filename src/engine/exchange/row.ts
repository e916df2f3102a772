import type { Context } from 'hono'
import { type AuditRow, NO_DOCUMENT } from '../db/audit-row.ts'
import type { AnsweredError, AppEnv, Exchange, KnownCaller } from '../env.ts'
import { hideKeys } from '../identity/key.ts'

const RECORD_NAME_LENGTH_MAX = 255
const NOT_EXPLAINED = { message: null, details: null, error_fields: null }

/** Names the record that the request is about for its audit row. */
export function nameRecord(c: Context<AppEnv>, name: unknown): void {
  const known = shownName(name)
  if (known !== null) c.get('exchange').record_name = known
}

/** The name of a record as log and answers have it; null without one. */
export function shownName(name: unknown): string | null {
  if (typeof name !== 'string' || name === '') return null
  return hideKeys(name).slice(0, RECORD_NAME_LENGTH_MAX).toWellFormed()
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
    ...current.record_counts,
    ...NO_DOCUMENT,
    record_id: db.rehearsed?.record_id ?? current.record_id,
    record_name: db.rehearsed?.record_name ?? current.record_name,
    // What was tried has not come about.
    outcome: status < 400 ? db.subject.outcome : null,
    status,
    error_code: error?.code ?? null,
    duration_ms: Date.now() - current.started_at - current.waited_ms,
    list_page: current.list_page,
  }
}
