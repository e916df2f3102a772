import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { waitingDeliveries } from '../../../engine/db/delivery-tables.ts'
import { qb } from '../../../engine/db/prepared.ts'
import { apiKeys } from '../../../engine/db/tables.ts'
import type { TenantDatabase } from '../../../engine/db/transact.ts'
import { recordReader } from '../../../engine/log/documents/kept.ts'
import type { Resource } from '../../../engine/mapping/identifier.ts'
import type { Choice, ReadDocument } from './kept.ts'

/** Each is read by a statement of its own, and an invocation of D1's may have 1,000. */
const WAITING_MAX = 200

const { seq, delivery_id, created_at, bytes, body, content_type, sent_with } = waitingDeliveries

/** A row of an upload is in our own words. */
const IS_WHOLE = isNull(waitingDeliveries.position)

/** The deliveries of the partner that wait, newest first. */
export async function listWaiting(
  db: TenantDatabase,
  partner_id: string,
  resource: Resource,
  { last, from, to }: Choice,
) {
  const [rows] = await db.read([
    qb
      .select({ seq, delivery_id, created_at, bytes })
      .from(waitingDeliveries)
      .where(
        and(
          eq(waitingDeliveries.partner_id, partner_id),
          eq(waitingDeliveries.resource, resource),
          IS_WHOLE,
          from === undefined ? undefined : sql`${created_at} >= ${from}`,
          to === undefined ? undefined : sql`${created_at} < ${to}`,
        ),
      )
      .orderBy(desc(seq))
      .limit(Math.min(last, WAITING_MAX)),
  ])
  return rows
}

export type WaitingName = Awaited<ReturnType<typeof listWaiting>>[number]

/** The body of a delivery that waits, and how its webhook reads it now; null if it does not wait. */
export async function findWaiting(db: TenantDatabase, id: string) {
  const [[row]] = await db.read([selectBody().where(and(eq(delivery_id, id), IS_WHOLE))])
  return row ?? null
}

function selectBody() {
  const document = sql<string | null>`${apiKeys.webhook} ->> 'document'`.as('document')
  return qb
    .select({ body, content_type, sent_with, document })
    .from(waitingDeliveries)
    .innerJoin(apiKeys, eq(apiKeys.id, waitingDeliveries.api_key_id))
}

/** What waits is whole, and read as its webhook would read it now. Null if it has been applied meanwhile, or is no JSON. */
export async function readWaiting(
  db: TenantDatabase,
  { seq: number, delivery_id: request_id }: WaitingName,
  resource: Resource,
): Promise<ReadDocument> {
  const [[row]] = await db.read([selectBody().where(eq(seq, number))])
  if (!row) return { request_id, document: null }
  const read = recordReader({ ...row, encoding: 'utf-8' }, row.document)
  const sent = row.sent_with ?? undefined
  return {
    request_id,
    document: { read, resource, method: 'POST', sent, redacted: [] },
  }
}
