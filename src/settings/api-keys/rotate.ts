import { eq, sql } from 'drizzle-orm'
import { WRITTEN } from '../../db/audit.ts'
import { q } from '../../db/prepared.ts'
import { apiKeys } from '../../db/tables.ts'
import { only, type TenantDatabase } from '../../db/transact.ts'
import { refusedBy } from '../../db/violations.ts'
import { ApiError } from '../../errors.ts'
import { mintKey } from '../../identity/key.ts'
import { liveReleases } from '../../releases/table.ts'
import { findApiKey, recordOf, selectApiKeys } from './queries.ts'
import type { RotateApiKey } from './schema.ts'

/**
 * A new key with all that the old one's settings say; the old one ends after the
 * overlap, at once when there is none. 400 SERVICE_ERROR for a key that has ended already.
 */
export async function rotateApiKey(
  db: TenantDatabase,
  tenant: string,
  old: string,
  { overlap_seconds }: RotateApiKey,
) {
  const { value, hash, hint } = await mintKey(tenant)
  const id = crypto.randomUUID()
  const now = new Date()
  const [rows] = await db
    .write({
      record: sql`(select ${id} from api_keys where id = ${old} and revoked_at is null
        and (expires_at is null or expires_at > ${now.toISOString()})
        and "release" in ${liveReleases().map(({ name }) => name)})`,
      status: 201,
      changes: [
        q.insert(apiKeys).select(
          sql`select null, ${id}, ${hash}, ${hint}, name, scopes, partner_id, expires_at, null,
            id, ${now.toISOString()}, "release", rate_limit from api_keys where id = ${old}`,
        ),
        q.update(apiKeys).set(endOf(now, overlap_seconds)).where(eq(apiKeys.id, old)),
      ],
      answer: [selectApiKeys(eq(apiKeys.id, WRITTEN))],
    })
    .catch(
      refusedBy({
        audit_log_write_names_record: () => cannotRotate(db, old),
        api_keys_partner_is_deleted: () => refusal('linked to a deleted partner'),
      }),
    )
  return { ...recordOf(only(rows)), key: value }
}

/** Without overlap the key is revoked; with one it expires then, or earlier if it would anyway. */
function endOf(now: Date, overlap_seconds: number) {
  if (overlap_seconds === 0) return { revoked_at: now.toISOString() }
  const end = new Date(now.getTime() + overlap_seconds * 1000).toISOString()
  return { expires_at: sql`min(coalesce(expires_at, ${end}), ${end})` }
}

function refusal(state: string): ApiError {
  return new ApiError('SERVICE_ERROR', `The key is ${state}: create a new one instead.`)
}

async function cannotRotate(db: TenantDatabase, id: string): Promise<ApiError> {
  const { status, release } = await findApiKey(db, id)
  return refusal(status === 'active' ? `pinned to release ${release}, which has ended` : status)
}
