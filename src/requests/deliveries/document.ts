import { eq, sql } from 'drizzle-orm'
import { waitingDeliveries } from '../../engine/db/delivery-tables.ts'
import { qb } from '../../engine/db/prepared.ts'
import { apiKeys } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { readPath } from '../../engine/json/path.ts'
import { findPlaces } from '../../engine/redaction/places.ts'

/** What of a waiting delivery the mapping reads: its record, as it was sent. Null if no such delivery waits. */
export async function findWaitingDocument(db: TenantDatabase, id: string): Promise<string | null> {
  const [[row]] = await db.read([
    qb
      .select({
        body: waitingDeliveries.body,
        document: sql<string | null>`${apiKeys.webhook} ->> 'document'`.as('document'),
      })
      .from(waitingDeliveries)
      .innerJoin(apiKeys, eq(apiKeys.id, waitingDeliveries.api_key_id))
      .where(eq(waitingDeliveries.delivery_id, id)),
  ])
  if (!row) return null
  const { body, document } = row
  const [place] = document === null ? [] : (findPlaces(body, [readPath(document)]) ?? [])
  return place ? body.slice(place.start, place.end) : body
}
