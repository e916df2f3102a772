import {
  type AuditSubject,
  type DocumentState,
  NO_DOCUMENT,
  noteDocument,
  ownRowValues,
} from '../../db/audit-row.ts'
import type { Connection } from '../../db/connect.ts'
import { retrying } from '../../db/retry.ts'
import type { DocumentReason } from '../../db/tables.ts'
import { violationOf } from '../../db/violations.ts'
import { errorName } from '../../errors.ts'
import { DAY_MS } from '../../json/date-time.ts'
import { byteLength } from '../../json/fields.ts'
import { Budget } from '../../limits/budget.ts'
import { inTime } from '../../limits/deadline.ts'
import { Pace } from '../../limits/pace.ts'
import type { RulesOfAnswer } from '../../redaction/answer.ts'
import type { KeepDocuments } from '../../redaction/policy.ts'
import { documentOf, type KeptDelivery } from './document.ts'
import { type DocumentName, storeDocument } from './store.ts'

const MIB = 1024 * 1024

/** The largest body that is kept, and the largest answer, in bytes. */
export const KEPT_BYTES_MAX = MIB

// A document is in memory as it came and as it is stored. However small, it counts as so much, so that at
// most 128 are stored at a time, and of one tenant at most half of them.
const COPIES = 2
const DOCUMENT_BYTES_MIN = MIB / 16
const storing = new Budget({
  bytes: 8 * MIB,
  timesFreeMax: 1,
  leaseMs: 30_000,
  refusals: { all: 'Too many documents are being stored.' },
})

// The audit row waits for the turn, and then for R2 (store.ts).
const TURN_MS_MAX = 5000
const UPDATE_MS_MAX = 15_000
const UPDATE_ANSWER_MS_MAX = 5000

// Refusals that do not depend on the document.
const NOT_ABOUT_DOCUMENT = [401, 403, 413, 429]

/** What a request brought and was answered. */
export interface SentDocument {
  content_type: string | null
  /** Null if it is too large to be kept. */
  body: Uint8Array | null
  /** The answer's text, as soon as it is known. */
  answer: string | null
  /** How its body is read, if it is a delivery. */
  delivery: KeptDelivery | null
}

export interface ToKeep {
  name: DocumentName
  policy: KeepDocuments
  sent: SentDocument
  status: number
  rules: RulesOfAnswer
  /** The database has confirmed that the policy holds. */
  isConfirmed: boolean
}

/** Whether the policy wants the document of a request with this answer. */
export function isWanted({ of }: KeepDocuments, status: number, hasFailedRows: boolean): boolean {
  return of === 'all' || hasFailedRows || (status >= 400 && !NOT_ABOUT_DOCUMENT.includes(status))
}

/** What the request's row says of its document before it is stored. */
export function plannedState(
  { name, policy, sent }: Pick<ToKeep, 'name' | 'policy' | 'sent'>,
  bucket: R2Bucket | undefined,
): DocumentState {
  if (!sent.body) return notKept('too_large')
  if (!bucket) return notKept('unavailable')
  const document_until = Date.parse(name.created_at) + policy.days * DAY_MS
  return { document_until, document_reason: null }
}

/** Stores the document without its redacted places; for `waitUntil`. Never throws: the state says whether it is kept. */
export async function keepDocument(
  bucket: R2Bucket | undefined,
  document: ToKeep,
): Promise<DocumentState> {
  const planned = plannedState(document, bucket)
  const { sent, name } = document
  if (!bucket || !sent.body || planned.document_until === null) return planned
  // The policy may be outdated: the new one may redact more.
  if (!document.isConfirmed) return notKept('unavailable')
  const whole = { ...sent, body: sent.body, answer: smallAnswer(sent) }
  const bytes = COPIES * (whole.body.length + (whole.answer?.length ?? 0))
  const owner = { tenant: name.tenant, key: name.partner_id ?? '-' }
  const share = storing.takeNow(owner, Math.max(bytes, DOCUMENT_BYTES_MIN))
  if (!share) return notKept('busy')
  try {
    // The answer goes out first.
    await scheduler.wait(0)
    const { policy, rules, status } = document
    const made = new Pace(owner).inTurn(bytes, () =>
      documentOf({ ...whole, status }, policy.redact, rules),
    )
    const kept = await inTime(made, TURN_MS_MAX)
    if (!kept) return notKept('not_json')
    await storeDocument(bucket, name, { ...kept, until: planned.document_until })
    return planned
  } catch (error) {
    report(name, error)
    return notKept('unavailable')
  } finally {
    share.leave()
  }
}

/** The answer, unless it is too large to be kept. */
function smallAnswer({ answer }: SentDocument): string | null {
  return answer !== null && byteLength(answer) <= KEPT_BYTES_MAX ? answer : null
}

/** Updates the document's state in a stored row; for `waitUntil`. If that fails, it logs `document_not_settled`. */
export async function settleDocument(
  connection: Connection,
  subject: AuditSubject,
  state: DocumentState,
): Promise<void> {
  const isRetryable = (error: unknown) => violationOf(error) === null
  try {
    await retrying(UPDATE_MS_MAX, isRetryable, (msLeft) =>
      connection.batch(
        [noteDocument(state)],
        ownRowValues(subject),
        Math.min(msLeft, UPDATE_ANSWER_MS_MAX),
      ),
    )
  } catch {
    const { request_id } = subject
    console.error(JSON.stringify({ event: 'document_not_settled', request_id, ...state }))
  }
}

function notKept(document_reason: DocumentReason): DocumentState {
  return { ...NO_DOCUMENT, document_reason }
}

function report({ tenant, request_id }: DocumentName, error: unknown): void {
  const name = errorName(error)
  console.error(JSON.stringify({ event: 'document_not_stored', tenant, request_id, name }))
}
