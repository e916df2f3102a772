import { and, desc, eq, getTableColumns, gte, lt } from 'drizzle-orm'
import { HINTS_MAX, IS_KEPT } from '../../engine/db/key-attempts.ts'
import { qb } from '../../engine/db/prepared.ts'
import { ATTEMPT_REASONS, keyAttempts } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { KeyAttemptsQuery } from './schema.ts'

/** All that there can be. */
const ROWS_MAX = (HINTS_MAX + 1) * ATTEMPT_REASONS.length

interface Filters extends Pick<KeyAttemptsQuery, 'reason'> {
  /** Of the key or address with this hint. */
  hint?: string
  /** In ISO 8601: only rows with an attempt since then. */
  since?: string
  /** In ISO 8601: only rows with an attempt before then. */
  until?: string
}

const { bundle_id, ...columns } = getTableColumns(keyAttempts)

/** The latest first, by their last attempt; at most `limit`. */
export async function listKeyAttempts(
  db: TenantDatabase,
  { reason, hint: of, since, until }: Filters,
  limit = ROWS_MAX,
) {
  const { first_at, last_at, hint } = keyAttempts
  const query = qb
    .select(columns)
    .from(keyAttempts)
    .where(
      and(
        IS_KEPT,
        of === undefined ? undefined : eq(hint, of),
        reason === undefined ? undefined : eq(keyAttempts.reason, reason),
        since === undefined ? undefined : gte(last_at, since),
        until === undefined ? undefined : lt(first_at, until),
      ),
    )
    .orderBy(desc(last_at), hint, keyAttempts.reason)
    .limit(limit)
  const [rows] = await db.read([query], { now: new Date().toISOString() })
  return rows
}

/** The newest first, by their first attempt. A later attempt does not move a row, so pages neither skip nor repeat it. */
export function numbered<Row extends { first_at: string; hint: string; reason: string }>(
  rows: Row[],
) {
  const moments = Map.groupBy(rows, ({ first_at }) => Date.parse(first_at))
  const all = Array.from(moments, ([moment, found]) =>
    found
      .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
      .map((row, at) => ({ seq: (moment + 1) * ROWS_MAX - at, ...row })),
  )
  return all.flat().toSorted((one, other) => other.seq - one.seq)
}

function nameOf({ hint, reason }: { hint: string; reason: string }): string {
  return `${hint} ${reason}`
}
