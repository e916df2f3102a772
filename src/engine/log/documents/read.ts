import { eq, sql } from 'drizzle-orm'
import { isRequest } from '../../db/log-look-ups.ts'
import { qb } from '../../db/prepared.ts'
import { isRequestId } from '../../db/request-id.ts'
import { auditLog, type DocumentReason, partners, workspace } from '../../db/tables.ts'
import { ApiError, unavailable } from '../../errors.ts'
import { DAY_MS } from '../../json/date-time.ts'
import { findArchived } from '../archive/by-id.ts'
import { type Log, selectBoundary } from '../archive/entries.ts'
import { notInLog } from '../not-in-log.ts'
import { readDocument } from './store.ts'

const WHY: Record<DocumentReason, string> = {
  too_large: 'was not kept: it has more than 1 MB',
  not_json: 'was not kept: the places to redact could not be found in it',
  unavailable: 'was not kept: it could not be stored',
  busy: 'was not kept: too many others were being stored',
  deleted: 'has been deleted',
}

/** A tenant's documents: they are in the bucket of its log. */
export type Documents = Log

export type FoundDocument = Awaited<ReturnType<typeof findDocument>>

/**
 * The document of a request. Before it is taken into memory, calls `takeMemory` with the length of its text. 404
 * NOT_FOUND says whether it was never kept, is expired, deleted or not stored.
 */
export async function findDocument(
  documents: Documents,
  id: string,
  takeMemory: (length: number) => Promise<void>,
) {
  const { bucket, tenant } = documents
  const row = await findRow(documents, id)
  const until = readableUntil(row)
  const { request_id, created_at, partner_id } = row
  const name = { tenant, request_id, created_at, partner_id }
  const reading = { pace: documents.db.pace, takeMemory }
  const document = bucket && (await reached(readDocument(bucket, name, reading)))
  if (!document) {
    throw notFound(
      id,
      'is not stored. Storing takes a moment: try again. If it is still missing then, storing has failed',
    )
  }
  const { until: _, delivery = null, ...kept } = document
  return { request_id, ...kept, delivery, kept_until: new Date(until).toISOString() }
}

/** With the days that the partner's policy, or the workspace's, allows by now. */
export async function findRow(documents: Documents, id: string) {
  if (!isRequestId(id)) throw notInLog(id)
  const policy = sql`case when ${auditLog.partner_id} is null
    then ${workspace.keep_documents} else ${partners.keep_documents} end`
  const { request_id, partner_id, document_until, document_reason } = auditLog
  const [[row], [boundary]] = await documents.db.read([
    qb
      .select({
        request_id,
        created_at: sql<string>`${auditLog.created_at}`.as('request_created_at'),
        partner_id,
        document_until,
        document_reason,
        days: sql<number | null>`${policy} ->> 'days'`.as('days'),
      })
      .from(auditLog)
      .innerJoin(workspace, eq(workspace.id, 1))
      .leftJoin(partners, eq(partners.id, auditLog.partner_id))
      .where(isRequest(id)),
    selectBoundary,
  ])
  if (row) return row
  // No request is archived before its document has expired (archive/chunk.ts).
  const archived = boundary && (await findArchived(documents, id, boundary))
  if (archived?.row) throw notFound(id, 'has expired: its request is in the archive')
  throw notInLog(id, archived?.end?.created_at)
}

type Row = Awaited<ReturnType<typeof findRow>>

/** Days that were lowered shorten what is kept, and raised ones lengthen nothing. */
function readableUntil({ request_id, created_at, document_until, document_reason, days }: Row) {
  if (document_reason) throw notFound(request_id, WHY[document_reason])
  if (document_until === null) throw notFound(request_id, 'was not to be kept')
  const until = Math.min(document_until, Date.parse(created_at) + (days ?? 0) * DAY_MS)
  if (until > Date.now()) return until
  const when = days === null ? 'none are kept any longer' : `on ${new Date(until).toISOString()}`
  throw notFound(request_id, `has expired: ${when}`)
}

function notFound(id: string, what: string): ApiError {
  return new ApiError('NOT_FOUND', `The document of the request "${id}" ${what}.`, {
    reason: 'NO_DOCUMENT',
  })
}

/** 503 if R2 fails. An ApiError is one of ours. */
export async function reached<Result>(call: Promise<Result>): Promise<Result> {
  return await call.catch((error: unknown) => {
    if (error instanceof ApiError) throw error
    throw unavailable(
      'The store of documents did not answer. Repeat this call.',
      'STORE_UNREACHABLE',
    )
  })
}
