import type { AuditRow } from './audit-rows.ts'
import type { Exchange } from './exchange.ts'
import { livePartner } from './partners.ts'
import type { Json, State } from './state.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOT_ABOUT_DOCUMENT = [401, 403, 413, 429]

/**
 * The fault in what the row says of the request's document, by the settings of the request; null if there is
 * none. A document that could not be stored has a reason.
 */
export function documentFault(
  state: State,
  { sent, status }: Exchange,
  row: AuditRow,
  isWritten: boolean,
): string | null {
  const { document_until, document_reason } = row
  const isTold = document_until !== null || document_reason !== null
  const partner = livePartner(state, row.partner_id)
  const policy = partner ? partner.keep_documents : state.workspace.keep_documents
  const isHeld = sent.operation.scope.startsWith('integrations.') && sent.body !== undefined
  if (!policy || !isHeld) return isTold ? 'It says that a document was to be kept.' : null
  // The row of a write whose answer was lost tells of a success.
  const mayBeKept = isWanted(policy, row) || isWanted(policy, { ...row, status })
  if (isTold && !mayBeKept) return 'It says that a document was to be kept, against the policy.'
  if (!isTold && isWritten && isWanted(policy, row)) return 'It says nothing of its document.'
  const until = Date.parse(row.created_at) + Number(policy.days) * DAY_MS
  if (document_until === null || document_until === until) return null
  return `Its document is kept until ${document_until}, not ${until}.`
}

function isWanted({ of }: Json, { status, rows_failed }: AuditRow): boolean {
  if (of === 'all' || (rows_failed ?? 0) > 0) return true
  return status >= 400 && !NOT_ABOUT_DOCUMENT.includes(status)
}
