import { desc, type SQL, sql } from 'drizzle-orm'
import { STORED_MS_MAX } from '../../db/log-position.ts'
import { literal, prepared, qb } from '../../db/prepared.ts'
import { auditArchives } from '../../db/tables.ts'
import type { TenantDatabase } from '../../db/transact.ts'
import type { ArchiveObject } from './objects.ts'
import { keptSince } from './retention.ts'

/** A tenant's log: what is in the database, and what is in R2. */
export interface Log {
  db: TenantDatabase
  /** Undefined where the Worker has no binding for it. */
  bucket: R2Bucket | undefined
  tenant: string
}

/** An object, and since when its rows are kept. */
export type Entry = ArchiveObject & { kept_since: string }

const { last_seq, first_seq, first_at, last_at, rows, bytes, sha256 } = auditArchives

/**
 * How far the log is archived; no row if it is not. Rows up to `last_seq` are in R2, those above are in the database, as of
 * the batch that reads both.
 */
export const selectBoundary = prepared(() =>
  qb
    .select({ archived_to: last_seq, archived_at: last_at })
    .from(auditArchives)
    .orderBy(desc(last_seq))
    .limit(1),
)

export type Boundary = (typeof selectBoundary)['_']['result'][number]

const entry = {
  ...{ last_seq, first_seq, first_at, last_at, rows, bytes, sha256 },
  kept_since: sql<string>`(select ${keptSince('now')} from workspace)`.as('kept_since'),
}

/** Which objects: those with rows up to `up_to`, of times in the range. Both are in ISO 8601. */
export interface ArchiveRange {
  up_to: number
  /** Inclusive. */
  from?: string | undefined
  /** Inclusive. */
  to?: string | undefined
}

/** The newest objects that may have such rows, at most `limit`; of those past the retention none. */
export function selectEntries({ up_to, from, to }: ArchiveRange, limit: number) {
  const kept = sql`(select ${keptSince('now')} from workspace)`
  const since = from === undefined ? kept : sql`max(${from}, ${kept})`
  const last = to === undefined ? LAST : reaching(sql`${storedBy(to)}`)
  return qb
    .select(entry)
    .from(auditArchives)
    .where(
      sql`last_seq between ${reaching(since)} and min(${last},
          coalesce((select min(last_seq) from audit_archives where last_seq >= ${up_to}), ${LAST}))
        and first_seq <= ${up_to} ${to === undefined ? sql`` : sql`and first_at <= ${to}`}`,
    )
    .orderBy(desc(last_seq))
    .limit(limit)
}

/** The objects that hold these rows, newest first. */
export function selectHolding(seqs: readonly number[]) {
  const holding = sql`select (select min(archive.last_seq) from audit_archives as archive
    where archive.last_seq >= value) from json_each(${JSON.stringify(seqs)})`
  return qb
    .select(entry)
    .from(auditArchives)
    .where(sql`last_seq in (${holding})`)
    .orderBy(desc(last_seq))
}

const LAST = literal(2 ** 53)

/** SQL for the first object that reaches this time: no row of an earlier one is of this time or later. */
function reaching(time: SQL): SQL {
  return sql`coalesce((select last_seq from audit_archives where last_at >= ${time}
    order by audit_archives.last_at, audit_archives.last_seq limit 1), ${LAST})`
}

/** When every row of this time was stored. An object that begins later has none. */
function storedBy(time: string): string {
  const latest = Date.UTC(9999, 11, 31)
  return new Date(Math.min(Date.parse(time) + STORED_MS_MAX, latest)).toISOString()
}
