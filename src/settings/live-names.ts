import { and, isNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { qb } from '../engine/db/prepared.ts'
import { apiKeys, partners } from '../engine/db/tables.ts'
import type { TenantDatabase } from '../engine/db/transact.ts'

// A log names keys and partners that may be gone by now.

/** What a row of the keys is. */
export type CallerKind = 'key' | 'webhook' | 'person'

/** Tells of these ids which kind each key is, and which partners are not deleted. One round trip. */
export async function liveAmong(
  db: TenantDatabase,
  { keys, partners: named }: { keys: readonly string[]; partners: readonly string[] },
) {
  const kind = sql<CallerKind>`case when email is not null then 'person'
    when webhook is not null then 'webhook' else 'key' end`.as('kind')
  const [callers, live] = await db.read([
    qb.select({ id: apiKeys.id, kind }).from(apiKeys).where(isAmong(apiKeys.id, keys)),
    qb
      .select({ id: partners.id })
      .from(partners)
      .where(and(isAmong(partners.id, named), isNull(partners.deleted_at))),
  ])
  return {
    callers: new Map(callers.map((row) => [row.id, row.kind])),
    partners: new Set(live.map(({ id }) => id)),
  }
}

function isAmong(id: SQLiteColumn, ids: readonly string[]): SQL {
  return sql`${id} in (select value from json_each(${JSON.stringify(ids)}))`
}
