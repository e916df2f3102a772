import { and, eq, isNotNull } from 'drizzle-orm'
import { NO_DOCUMENT } from '../../engine/db/audit-row.ts'
import { isRequest } from '../../engine/db/log-look-ups.ts'
import { qb } from '../../engine/db/prepared.ts'
import { foreseen, foreseenFrom } from '../../engine/db/rehearsal.ts'
import { auditLog, partners } from '../../engine/db/tables.ts'
import { singleRow } from '../../engine/db/transact.ts'
import { noRecord } from '../../engine/errors.ts'
import { shortened } from '../../engine/json/messages.ts'
import { deletePartnerChunk, findPartnerChunk } from '../../engine/log/documents/deletion.ts'
import { type Documents, findRow, reached } from '../../engine/log/documents/read.ts'
import { type DocumentName, keyOf } from '../../engine/log/documents/store.ts'
import { deleteObjects } from '../../engine/log/objects.ts'

const DELETED = { ...NO_DOCUMENT, document_reason: 'deleted' as const }

/** Also if there is none, or if it has been deleted before. Its row in the audit log says so. */
export async function deleteDocument(documents: Documents, id: string) {
  const { db, bucket, tenant } = documents
  const { request_id, created_at, partner_id } = await findRow(documents, id)
  const name: DocumentName = { tenant, request_id, created_at, partner_id }
  if (bucket && !db.rehearses) await reached(deleteObjects(bucket, [keyOf(name)]))
  const isIt = isRequest(id)
  const { document_reason, document_until } = auditLog
  const [rows] = await db.write({
    record: id,
    status: 200,
    changes: [qb.update(auditLog).set(DELETED).where(and(isIt, isMeant))],
    answer: [qb.select({ document_reason: auditLog.document_reason }).from(auditLog).where(isIt)],
    rehearsal: foreseenFrom(
      [qb.select({ document_reason, document_until }).from(auditLog).where(isIt)],
      ([found]) => [found.map((row) => (row.document_until === null ? row : DELETED))],
    ),
  })
  const reason = singleRow(rows).document_reason
  return { request_id, document: reason && { state: 'not_kept' as const, reason } }
}

/** Up to 1,000 at a time. 404 NOT_FOUND if there has never been such a partner. */
export async function deletePartnerDocuments(
  { db, bucket, tenant }: Documents,
  partner_id: string,
) {
  const isIt = eq(partners.id, partner_id)
  const selectPartner = qb.select({ id: partners.id }).from(partners).where(isIt)
  const [[partner]] = await db.read([selectPartner])
  if (!partner) throw noRecord(`No partner has the id "${shortened(partner_id)}".`)
  const { request_ids, remaining } = bucket
    ? await reached(
        (db.rehearses ? findPartnerChunk : deletePartnerChunk)(bucket, tenant, partner.id),
      )
    : { request_ids: [], remaining: false }
  const isOneOf = isRequest(...request_ids)
  await db.write({
    record: partner.id,
    status: 200,
    changes: [qb.update(auditLog).set(DELETED).where(and(isOneOf, isMeant))],
    answer: [selectPartner],
    rehearsal: foreseen(() => [[partner]]),
  })
  return { deleted: request_ids.length, remaining }
}

const isMeant = isNotNull(auditLog.document_until)
