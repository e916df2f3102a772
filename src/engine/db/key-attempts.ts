import { sql } from 'drizzle-orm'
import { literal, prepared, qb } from './prepared.ts'
import { type ATTEMPT_REASONS, keyAttempts } from './tables.ts'

export type AttemptReason = (typeof ATTEMPT_REASONS)[number]

/** Attempts with the same hint and reason. The times are in ISO 8601. */
export interface CountedAttempts {
  hint: string
  reason: AttemptReason
  count: number
  first_at: string
  last_at: string
}

/** A tenant has at most so many hints. */
export const HINTS_MAX = 100

/** The hint of all others. Every other hint has a `…`. */
export const OTHER_HINTS = 'other'

const hintsMax = literal(HINTS_MAX)
const other = sql.raw(`'${OTHER_HINTS}'`)

const keptSince = sql`(select strftime('%Y-%m-%dT%H:%M:%fZ', ${sql.placeholder('now')},
    '-' || audit_retention_days || ' days') from workspace where id = 1)`

/** Condition: at the placeholder `now`, the last attempt is no older than the audit log is kept. */
export const IS_KEPT = sql`last_at >= ${keptSince}`

const deleteExpired = prepared(() => qb.delete(keyAttempts).where(sql`last_at < ${keptSince}`))

/**
 * Adds the attempts of `rows`. Where their hints are more than the table has room for, the earliest get in.
 * A row that the same bundle has changed already stays as it is.
 */
const addAttempts = prepared(() =>
  qb
    .insert(keyAttempts)
    .select(sql`
      with sent as (
        select value ->> 'hint' as hint, value ->> 'reason' as reason, value ->> 'count' as count,
          value ->> 'first_at' as first_at, value ->> 'last_at' as last_at
        from json_each(${sql.placeholder('rows')})
      ),
      fresh as (
        select hint, row_number() over (order by min(first_at), hint) as place from sent
        where hint <> ${other} and hint not in (select hint from key_attempts)
        group by hint
      ),
      room as (
        select ${hintsMax} - count(distinct hint) as hints from key_attempts where hint <> ${other}
      )
      select case when fresh.place > room.hints then ${other} else sent.hint end, reason,
        sum(count), min(first_at), max(last_at), ${sql.placeholder('bundle_id')}
      from sent cross join room left join fresh on fresh.hint = sent.hint
      where true group by 1, 2`)
    .onConflictDoUpdate({
      target: [keyAttempts.hint, keyAttempts.reason],
      set: {
        count: sql`key_attempts.count + excluded.count`,
        first_at: sql`min(key_attempts.first_at, excluded.first_at)`,
        last_at: sql`max(key_attempts.last_at, excluded.last_at)`,
        bundle_id: sql`excluded.bundle_id`,
      },
      setWhere: sql`key_attempts.bundle_id <> excluded.bundle_id`,
    }),
)

/**
 * Adds `rows`, a JSON array of CountedAttempts, under a `bundle_id`, and deletes what is no longer kept at
 * `now`. Hints that are deleted make room for others.
 */
export const STORE_ATTEMPTS = [deleteExpired, addAttempts] as const
