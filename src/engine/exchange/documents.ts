import type { Context } from 'hono'
import { type DocumentState, NO_DOCUMENT } from '../db/audit-row.ts'
import type { AppEnv, Exchange, KnownCaller } from '../env.ts'
import { isDelivery } from '../identity/webhook-address.ts'
import type { KeptDelivery } from '../log/documents/document.ts'
import {
  isWanted,
  KEPT_BYTES_MAX,
  keepDocument,
  plannedState,
  settleDocument,
  type ToKeep,
} from '../log/documents/keep.ts'
import { RESOURCES } from '../mapping/identifier.ts'

const PATH = /^\/api\/integrations\/v1\/([^/]+)\//
const NO_RULES = { inbound: null, outbound: null }

/** Holds the body until the answer: settings are read anew in a rerun, and may then want it kept. */
export function holdBody(c: Context<AppEnv>, bytes: Uint8Array): void {
  const { kept, path, replay_of } = c.get('exchange')
  // What is sent again is kept already.
  const isKept = PATH.test(path) || isDelivery(path)
  if (!isKept || bytes.length === 0 || replay_of !== null) return
  const content_type = c.req.header('Content-Type') ?? null
  const body = bytes.length <= KEPT_BYTES_MAX ? bytes : null
  kept.document = { content_type, body, answer: null, delivery: null }
}

/** Says how the body of a delivery is read: it is kept with its document. */
export function holdDelivery(c: Context<AppEnv>, delivery: KeptDelivery): void {
  const { document } = c.get('exchange').kept
  if (document) document.delivery = delivery
}

/** Holds the answer's text for the request's document. */
export function holdAnswer(c: Context<AppEnv>, text: string): void {
  const { document } = c.get('exchange').kept
  if (document) document.answer = text
}

/** Sets what the row of a write says of its document. The row commits before the document is stored. */
export function planDocument(c: Context<AppEnv>): void {
  const current = c.get('exchange')
  if (!current.kept.document || !current.caller) return
  const { db } = current.caller
  const document = heldDocument(current, current.caller)
  if (!document) return
  const ifFailed = document.policy.of === 'errors'
  db.document = { ...plannedState(document, c.env.DOCUMENTS), ifFailed }
}

/**
 * Stores the request's document after its answer, if the policy wants it; null if not. What waits has failed in the log
 * (`status`), and its sender hears that it is kept. The result is what the request's row should say, and settles within
 * 8 seconds.
 */
export function keepAfterwards(
  c: Context<AppEnv>,
  current: Exchange,
  known: KnownCaller,
  { status, heard }: { status: number; heard: number },
): Promise<DocumentState> | null {
  const document = current.kept.document && heldDocument(current, known)
  current.kept.document = null
  if (!document || !isWanted(document.policy, status, hasFailedRows(current, known))) return null
  const resource = document.sent.delivery?.resource ?? resourceOf(current) ?? 'orders'
  const rules = known.caller.partner?.mappings[resource] ?? NO_RULES
  const isConfirmed = known.db.confirmed
  return keepDocument(c.env.DOCUMENTS, { ...document, status: heard, rules, isConfirmed })
}

/** A delivery of which nothing was to be done says why, too. */
function hasFailedRows({ explanation }: Exchange, { db }: KnownCaller): boolean {
  const { outcome } = db.subject
  return explanation !== null && (outcome === null || outcome === 'uploaded')
}

/** Corrects the row of a write if it says something else of the document than what happened. */
export async function settleAfterwards(
  current: Exchange,
  known: KnownCaller,
  keeping: Promise<DocumentState>,
): Promise<void> {
  const { db, sources } = known
  const state = await keeping
  const isMeant = !db.document.ifFailed || hasFailedRows(current, known)
  const told = db.writeState === 'committed' && isMeant ? db.document : NO_DOCUMENT
  const isTold =
    told.document_until === state.document_until && told.document_reason === state.document_reason
  if (!isTold) await settleDocument(sources.db, db.subject, state)
}

/** Null if the policy is withdrawn by now. */
function heldDocument(
  { kept, request_id }: Exchange,
  { caller, db }: KnownCaller,
): Pick<ToKeep, 'name' | 'policy' | 'sent'> | null {
  if (!kept.document || !caller.keep_documents) return null
  const name = {
    tenant: caller.tenant,
    created_at: db.subject.created_at,
    partner_id: caller.partner?.id ?? null,
    request_id,
  }
  return { name, policy: caller.keep_documents, sent: kept.document }
}

function resourceOf({ path }: Exchange) {
  const [, name] = PATH.exec(path) ?? []
  return RESOURCES.find((resource) => resource === name)
}
