import { and, desc, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { newestRows } from '../../../engine/db/log-look-ups.ts'
import { qb } from '../../../engine/db/prepared.ts'
import { apiKeys, auditLog, type DeliveryOutcome } from '../../../engine/db/tables.ts'
import { ApiError, unavailable } from '../../../engine/errors.ts'
import { readPath } from '../../../engine/json/path.ts'
import { isReadable, recordReader, unreadableUntil } from '../../../engine/log/documents/kept.ts'
import type { Documents } from '../../../engine/log/documents/read.ts'
import {
  type DocumentName,
  type DocumentReading,
  readDocument,
} from '../../../engine/log/documents/store.ts'
import type { Resource } from '../../../engine/mapping/identifier.ts'
import { pathsInRecord } from '../../../engine/redaction/answer.ts'
import type { Document } from './outcome.ts'

/** Of a partner with many requests, the newest are looked through. */
const ROWS_MAX = 20_000

/** Which documents: the newest `last`, or as many of those that came in the range. */
export interface Choice {
  last: number
  from?: string | undefined
  to?: string | undefined
}

export interface KeptName extends DocumentName {
  method: string
  outcome: DeliveryOutcome | null
}

/** Outcomes of deliveries whose document was mapped as that of a new record. Those that wait are not read from here. */
const MADE: DeliveryOutcome[] = ['created', 'uploaded', 'several']
/** Those whose document was mapped as that of a change. */
const CHANGED: DeliveryOutcome[] = ['updated', 'unchanged', 'cancelled', 'deactivated', 'stale']

/**
 * The documents of POST and PUT, and of deliveries that were mapped, but of no dry run, that the partner's policy still
 * allows to read, newest first.
 */
export async function listKept(
  { db, tenant }: Documents,
  partner_id: string,
  resource: Resource,
  { last, from, to }: Choice,
): Promise<KeptName[]> {
  const { request_id, created_at, method, path, outcome, seq } = auditLog
  const range = [
    sql`created_at > ${unreadableUntil(partner_id)}`,
    ...(from === undefined ? [] : [sql`created_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`created_at < ${to}`]),
  ]
  const newest = newestRows({ partner_id }, sql.join(range, sql` and `), ROWS_MAX)
  const [rows] = await db.read([
    qb
      .select({ request_id, created_at, method, outcome })
      .from(newest)
      .where(
        and(
          isReadable(partner_id),
          inArray(method, ['POST', 'PUT']),
          eq(auditLog.dry_run, false),
          or(sql`${path} glob ${`/api/integrations/v1/${resource}/*`}`, isDeliveryOf(resource)),
        ),
      )
      .orderBy(desc(created_at), desc(seq))
      .limit(last),
  ])
  return rows.map((row) => ({ ...row, tenant, partner_id }))
}

/** Of a delivery to a webhook that has this resource by now. The document says which one it had. */
function isDeliveryOf(resource: Resource): SQL | undefined {
  const { outcome, api_key_id } = auditLog
  return and(
    inArray(outcome, [...MADE, ...CHANGED]),
    sql`exists (select 1 from ${apiKeys} where ${apiKeys.id} = ${api_key_id}
      and ${apiKeys.webhook} ->> 'resource' = ${resource})`,
  )
}

/** A kept document, or null if it cannot be read: it is not there, or no JSON. */
export interface ReadDocument {
  request_id: string
  document: Document | null
}

/** 503 UNAVAILABLE if R2 does not answer. */
export async function readKept(
  bucket: R2Bucket,
  name: KeptName,
  resource: Resource,
  reading: DocumentReading,
): Promise<ReadDocument> {
  const { request_id, outcome } = name
  const kept = await readDocument(bucket, name, reading).catch((error: unknown) => {
    if (error instanceof ApiError) throw error
    throw unavailable(
      'The store of documents did not answer. Repeat this call.',
      'STORE_UNREACHABLE',
    )
  })
  if (!kept) return { request_id, document: null }
  const { delivery = null } = kept
  if (delivery && delivery.resource !== resource) return { request_id, document: null }
  const document = delivery?.document ?? null
  const read = recordReader(kept, document)
  const method = outcome !== null && CHANGED.includes(outcome) ? 'PUT' : name.method
  const redacted = pathsInRecord(kept.redacted.map(readPath), document)
  const sent = delivery ?? undefined
  return { request_id, document: { read, resource, method, sent, redacted } }
}
