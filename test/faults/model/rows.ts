import { answerTo } from './access.ts'
import type { AuditRow } from './audit-rows.ts'
import { type Course, fail, isLost, isWrite, madeBy, windowOf } from './course.ts'
import { documentFault } from './documents.ts'
import type { Exchange } from './exchange.ts'
import { isDone } from './operation.ts'
import { livePartner } from './partners.ts'

/** What the audit log says of the request. */
export function checkRow(course: Course, exchange: Exchange): void {
  const { request_id, sent, path, status, body } = exchange
  const row = course.rows.get(request_id)
  if (!row) return
  const commit = course.commits.find((one) => one.exchange === exchange)
  const isTold =
    row.status === status || (isLost(exchange) && (commit || wasRefused(course, exchange, row)))
  if (!isTold) fail(exchange, `Its audit row says ${row.status}.`)
  const error = body?.error as { code?: string } | undefined
  const upload = commit?.done.upload ?? rehearsedUpload(exchange, row)
  const told = row.status === status ? (error?.code ?? null) : row.error_code
  const expected = {
    api_key_id: sent.key_id,
    method: sent.operation.method,
    path,
    dry_run: sent.isDryRun ? 1 : 0,
    error_code: commit ? null : told,
    source: upload?.source ?? null,
    notes: upload?.notes ?? null,
    rows_total: upload?.total ?? null,
    rows_created: upload?.created ?? null,
    rows_updated: upload ? upload.total - upload.created - upload.failed : null,
    rows_failed: upload?.failed ?? null,
  }
  const actual = Object.fromEntries(
    Object.keys(expected).map((name) => [name, Reflect.get(row, name)]),
  )
  const difference = course.choices.difference(expected, actual)
  if (difference) fail(exchange, `Its audit row: ${difference}`)
  if (row.duration_ms < 0) fail(exchange, `It took ${row.duration_ms} ms.`)
  checkCaller(course, exchange, row)
}

/** As the answer to a dry run has it. */
function rehearsedUpload({ sent, status, body }: Exchange, { source, notes }: AuditRow) {
  const isUpload = sent.operation.maps === 'inventory' && sent.operation.method === 'POST'
  if (!sent.isDryRun || !isUpload || status !== 200) return undefined
  const { total = 0, created = 0, failed = 0 } = (body?.data ?? {}) as Record<string, number>
  return { source, notes, total, created, failed }
}

/**
 * Whether the row tells of a refusal that the model knows: it fences off the write, which D1 has done
 * without saying so.
 */
function wasRefused(course: Course, exchange: Exchange, row: AuditRow): boolean {
  const [first, last] = windowOf(course, exchange)
  return course.states.slice(first, last + 1).some((state) => {
    const outcome = answerTo(exchange.sent, state, madeBy(row))
    return !isDone(outcome) && outcome.status === row.status && outcome.code === row.error_code
  })
}

/** The row names key and partner as they were called under its settings. */
function checkCaller({ states }: Course, exchange: Exchange, row: AuditRow): void {
  const state = states.find(({ workspace }) => workspace.settings_version === row.settings_version)
  if (!state) fail(exchange, `There never were settings ${row.settings_version}.`)
  const key = state?.keys.get(row.api_key_id)
  const partner = state && livePartner(state, key?.partner_id ?? null)
  const names = [key?.name, partner?.id ?? null, partner?.name ?? null]
  const said = [row.api_key_name, row.partner_id, row.partner_name]
  if (names.join() !== said.join()) fail(exchange, `Its audit row says ${said}, not ${names}.`)
  const isWritten = isWrite(exchange) && row.status < 300
  const fault = documentFault(state, exchange, row, isWritten)
  if (fault) fail(exchange, `Its audit row: ${fault}`)
}
