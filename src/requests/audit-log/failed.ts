import { sql } from 'drizzle-orm'
import { qb } from '../../engine/db/prepared.ts'
import { WAS_SENT_AGAIN } from '../../engine/db/sent-again.ts'
import { auditLog } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { LogPlace } from '../../engine/log/archive/scan.ts'
import type { LogFilters } from './filters.ts'
import { find } from './queries.ts'

/** The failed requests that filters find. */
export interface Failed {
  /** The ids of those that can be sent again, the oldest first. */
  ids: string[]
  /** How many have no document. */
  withoutDocument: number
  /** How many were sent again before, and accepted. */
  accepted: number
  /** There are older ones. */
  hasMore: boolean
  /** Where the search stopped before it had all. */
  end: LogPlace | null
}

/** Looks at the newest `limit` failed requests that these filters find. */
export async function listFailed(
  db: TenantDatabase,
  filters: LogFilters,
  limit: number,
): Promise<Failed> {
  const { seq, request_id, created_at, document_until } = auditLog
  const columns = {
    seq,
    request_id,
    created_at,
    is_kept: sql<number>`coalesce(${document_until} > ${Date.now()}, false)`.as('is_kept'),
    is_accepted: sql<number>`${WAS_SENT_AGAIN}`.as('is_accepted'),
  }
  const asked = { ...filters, failed: true } as const
  const page = { limit, before: undefined }
  const { rows, end } = await find(db, asked, page, (from) => qb.select(columns).from(from))
  const looked = rows.slice(0, limit)
  const open = looked.filter(({ is_accepted }) => !is_accepted)
  const kept = open.filter(({ is_kept }) => is_kept)
  return {
    ids: kept.sort(byTime).map((row) => row.request_id),
    withoutDocument: open.length - kept.length,
    accepted: looked.length - open.length,
    hasMore: rows.length > limit,
    end,
  }
}

type Position = Pick<LogPlace, 'seq' | 'created_at'>

function byTime(one: Position, other: Position): number {
  if (one.created_at === other.created_at) return one.seq - other.seq
  return one.created_at < other.created_at ? -1 : 1
}
