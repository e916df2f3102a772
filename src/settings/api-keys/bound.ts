import { type SQL, sql } from 'drizzle-orm'
import { qb } from '../../engine/db/prepared.ts'
import { SettingsChanged, type TenantDatabase } from '../../engine/db/transact.ts'
import { ApiError, brokenRule } from '../../engine/errors.ts'

const LIVE_KEYS_MAX = 10_000

/** SQL that is true for a row of api_keys that is neither revoked nor expired. */
export function isLive(now: string): SQL {
  return sql`(revoked_at is null and (expires_at is null or expires_at > ${now}))`
}

/** SQL that is true for a row of api_keys that is linked to the partner and not revoked. */
export function isLinkedTo(partner_id: string): SQL {
  return sql`(partner_id = ${partner_id} and revoked_at is null)`
}

/**
 * SQL that is true if the workspace has room for one more live key. With one count and an OR, SQLite would go
 * through the expired keys too.
 */
export function hasRoom(now: string): SQL {
  const count = (ending: SQL) =>
    sql`(select count(*) from api_keys where revoked_at is null and ${ending})`
  const live = sql`${count(sql`expires_at is null`)} + ${count(sql`expires_at > ${now}`)}`
  return sql`(${live} < ${LIVE_KEYS_MAX})`
}

/** Why a change that adds a live key was refused; SettingsChanged if there is room by now. */
export async function noRoom(db: TenantDatabase, field: string): Promise<Error> {
  const now = new Date().toISOString()
  const [[found]] = await db.read([
    qb.select({ room: sql<number>`${hasRoom(now)}` }).from(sql`(select 1)`),
  ])
  return found?.room ? new SettingsChanged() : tooManyKeys(field)
}

/** 400 SERVICE_ERROR, at the field that would add a live key, if a field does. */
export function tooManyKeys(field?: string): ApiError {
  const most = LIVE_KEYS_MAX.toLocaleString('en')
  const message = `A workspace can have at most ${most} live API keys and webhooks: revoke one first.`
  return field
    ? brokenRule(field, message, 'TOO_MANY_KEYS')
    : new ApiError('SERVICE_ERROR', message, { reason: 'TOO_MANY_KEYS' })
}
