import { and, eq, isNotNull } from 'drizzle-orm'
import {
  deleteDocuments,
  deletePartnerSlice,
  findPartnerSlice,
} from '../../audit/documents/deletion.ts'
import { type Documents, findRow, reached } from '../../audit/documents/read.ts'
import { type DocumentName, keyOf } from '../../audit/documents/store.ts'
import { NO_DOCUMENT } from '../../db/audit-row.ts'
import { isRequest } from '../../db/log-look-ups.ts'
import { qb } from '../../db/prepared.ts'
import { foreseen, foreseenFrom } from '../../db/rehearsal.ts'
import { auditLog, partners } from '../../db/tables.ts'
import { singleRow } from '../../db/transact.ts'
import { shortened } from '../../document/messages.ts'
import { noRecord } from '../../errors.ts'

const DELETED = { ...NO_DOCUMENT, document_reason: 'deleted' as const }

/** Also if there is none, or if it has been deleted before. Its row in the audit log says so. */
export async function deleteDocument(documents: Documents, id: string) {
  const { db, bucket, tenant } = documents
  const { request_id, created_at, partner_id } = await findRow(documents, id)
  const name: DocumentName = { tenant, request_id, created_at, partner_id }
  if (bucket && !db.rehearses) await reached(deleteDocuments(bucket, [keyOf(name)]))
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
        (db.rehearses ? findPartnerSlice : deletePartnerSlice)(bucket, tenant, partner.id),
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
