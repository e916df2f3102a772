import { and, type SQL, sql } from 'drizzle-orm'
import { newestAt } from '../../engine/db/log-look-ups.ts'
import { qb } from '../../engine/db/prepared.ts'
import { apiKeys } from '../../engine/db/tables.ts'
import { stored } from './rehearsal.ts'

/** A key as the database has it, of either kind, with what time makes of it. */
export type KeyRow = ReturnType<typeof keyRow>

export function selectKeys(...match: (SQL | undefined)[]) {
  const last_used_at = sql<string | null>`coalesce(${newestAt({ api_key_id: sql`api_keys.id` })},
    (select archived.last_used_at from archived_key_uses as archived
      where archived.api_key_id = ${apiKeys.id}))`.as('last_used_at')
  return qb
    .select({ ...stored, last_used_at })
    .from(apiKeys)
    .where(and(...match))
    .$dynamic()
}

type Selected = ReturnType<typeof selectKeys>['_']['result'][number]

export function keyRow({ seq, ...row }: Selected) {
  return { ...row, status: statusOf(row) }
}

function statusOf({ revoked_at, expires_at }: Pick<Selected, 'revoked_at' | 'expires_at'>) {
  if (revoked_at) return 'revoked'
  return expires_at && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active'
}
