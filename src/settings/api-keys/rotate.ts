import { eq, sql } from 'drizzle-orm'
import { WRITTEN_ID } from '../../engine/db/audit-row.ts'
import { CONSTRAINT } from '../../engine/db/constraints.ts'
import { qb } from '../../engine/db/prepared.ts'
import { foreseenFrom } from '../../engine/db/rehearsal.ts'
import { apiKeys } from '../../engine/db/tables.ts'
import { SettingsChanged, singleRow, type TenantDatabase } from '../../engine/db/transact.ts'
import { refusedBy } from '../../engine/db/violations.ts'
import { moveWaiting } from '../../engine/db/waiting.ts'
import { ApiError } from '../../engine/errors.ts'
import type { Caller } from '../../engine/identity/caller.ts'
import { mintKey } from '../../engine/identity/key.ts'
import { liveRelease, liveReleases } from '../../engine/releases/table.ts'
import { PAUSE_IN_FORCE } from '../pause.ts'
import { isAtVersion, NEXT_VERSION, type Versions, versionRefusal } from '../versions.ts'
import { hasRoom, isLive, noRoom } from './bound.ts'
import { grantCondition, grantRefusal } from './grant.ts'
import { type KeyKind, nounOf } from './kind.ts'
import { findKeyRow } from './queries.ts'
import { partnerOfKeyIsLive } from './rehearsal.ts'
import { keyRow, selectKeys } from './row.ts'
import type { RotateApiKey } from './schema.ts'

/**
 * Creates a key with the old key's settings. The old key ends after the overlap, at once without one. 403
 * SCOPE_MISSING if the key has scopes that the caller does not have, or not the partner of a linked caller: the
 * caller sees the new value. 400 SERVICE_ERROR for a key that has ended already, or, with an overlap, beyond
 * 10,000 live keys. 412 PRECONDITION_FAILED if the key is at none of these versions.
 */
export async function rotateKey<Shown extends { version: number }>(
  kind: KeyKind<Shown>,
  db: TenantDatabase,
  caller: Caller,
  old: string,
  { overlap_seconds }: RotateApiKey,
  versions?: Versions,
) {
  const { value, hash, hint } = await mintKey(caller.tenant, kind.prefix)
  const id = crypto.randomUUID()
  const now = new Date()
  const created_at = now.toISOString()
  const staysLive = overlap_seconds > 0
  const [rows] = await db
    .write({
      record: sql`(select ${id} from api_keys where id = ${old} and ${kind.isOne} and ${isLive(created_at)}
        and ${isAtVersion(versions)}
        and ${staysLive ? hasRoom(created_at) : sql`true`}
        and "release" in ${liveReleases().map(({ name }) => name)}
        and ${grantCondition(caller, { scopes: sql`scopes`, partner_id: sql`partner_id` })})`,
      status: 201,
      changes: [
        qb.insert(apiKeys).select(
          sql`select null, ${id}, ${hash}, ${hint}, name, scopes, partner_id, expires_at, null,
            id, ${created_at}, "release", rate_limit, own_orders_only, reads, ${NEXT_VERSION}, ${PAUSE_IN_FORCE}, webhook, webhook_secrets, email from api_keys where id = ${old}`,
        ),
        qb
          .update(apiKeys)
          .set({ ...endOf(now, overlap_seconds), version: NEXT_VERSION })
          .where(eq(apiKeys.id, old)),
        // What waits goes on with the new address.
        ...(kind.prefix === 'xh' ? [moveWaiting.with({ from: old, to: id })] : []),
      ],
      answer: [selectKeys(eq(apiKeys.id, WRITTEN_ID))],
      rehearsal: foreseenFrom(
        [selectKeys(eq(apiKeys.id, old))],
        ([found]) => [
          found.map((row) => ({
            ...row,
            id,
            hint,
            created_at,
            rotated_from: old,
            last_used_at: null,
          })),
        ],
        [partnerOfKeyIsLive(old)],
      ),
    })
    .catch(
      refusedBy({
        [CONSTRAINT.recordExists]: () => cannotRotate(kind, db, caller, old, staysLive, versions),
        [CONSTRAINT.partnerIsLive]: () => notRotated(kind, 'linked to a deleted partner'),
      }),
    )
  return { ...(await kind.shown(keyRow(singleRow(rows)))), key: value }
}

/** Without overlap the key is revoked; otherwise it expires after it, or earlier if it would anyway. */
function endOf(now: Date, overlap_seconds: number) {
  if (overlap_seconds === 0) return { revoked_at: now.toISOString() }
  const end = new Date(now.getTime() + overlap_seconds * 1000).toISOString()
  return { expires_at: sql`min(coalesce(expires_at, ${end}), ${end})` }
}

/** 400 SERVICE_ERROR. */
export function notRotated({ one }: Pick<KeyKind, 'one'>, state: string): ApiError {
  return new ApiError(
    'SERVICE_ERROR',
    `The ${nounOf(one)} is ${state}: create a new one instead.`,
    {
      reason: 'KEY_CANNOT_ROTATE',
    },
  )
}

/** Why the rotation was refused; SettingsChanged if the reason is gone by now. */
async function cannotRotate(
  kind: Pick<KeyKind, 'one' | 'isOne'>,
  db: TenantDatabase,
  caller: Caller,
  id: string,
  staysLive: boolean,
  versions: Versions,
): Promise<Error> {
  const found = await findKeyRow(kind, db, id)
  const outdated = versionRefusal(kind.one, found, versions)
  if (outdated) return outdated
  const { status, release } = found
  const lacked = grantRefusal(caller, found)
  if (lacked) return lacked
  if (status !== 'active') return notRotated(kind, status)
  if (!liveRelease(release))
    return notRotated(kind, `pinned to release ${release}, which has ended`)
  return staysLive ? await noRoom(db, 'overlap_seconds') : new SettingsChanged()
}
