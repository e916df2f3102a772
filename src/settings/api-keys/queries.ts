import { and, asc, desc, eq, gt, isNull, lt, lte, type SQL, sql } from 'drizzle-orm'
import { WRITTEN } from '../../db/audit.ts'
import { q } from '../../db/prepared.ts'
import { apiKeys } from '../../db/tables.ts'
import { only, type TenantDatabase } from '../../db/transact.ts'
import { refusedBy } from '../../db/violations.ts'
import { ApiError, type FieldErrors, invalid, unavailable } from '../../errors.ts'
import { mintKey } from '../../identity/key.ts'
import type { PageRequest } from '../../pagination.ts'
import { CURRENT } from '../../releases/release.ts'
import { ourScope, RELEASES } from '../../releases/table.ts'
import { type CreateApiKey, foreignScopes, type UpdateApiKey } from './schema.ts'

const EXPIRING_MAX = 20

/** The record and, this once, `key`: the value itself. Only its hash is stored. */
export async function createApiKey(db: TenantDatabase, tenant: string, input: CreateApiKey) {
  const { value, hash, hint } = await mintKey(tenant)
  const now = new Date().toISOString()
  const [rows] = await db
    .write({
      record: crypto.randomUUID(),
      status: 201,
      changes: [
        q.insert(apiKeys).values({ ...columnsOf(input), id: WRITTEN, hash, hint, created_at: now }),
      ],
      answer: [selectApiKeys(eq(apiKeys.id, WRITTEN))],
    })
    .catch(refusedBy(partnerRules(input)))
  return { ...recordOf(only(rows)), key: value }
}

/** Newest first, ended keys included; one more than the limit when there are more. */
export async function listApiKeys(db: TenantDatabase, { limit, before }: PageRequest) {
  const older = before === undefined ? undefined : lt(apiKeys.seq, before)
  const [rows] = await db.read([
    selectApiKeys(older)
      .orderBy(desc(apiKeys.seq))
      .limit(limit + 1),
  ])
  return rows.map((row) => ({ seq: row.seq, ...recordOf(row) }))
}

/** Active keys that end by then, soonest first; of more than 20 the first. */
export async function listExpiringApiKeys(db: TenantDatabase, until: Date) {
  const { expires_at, revoked_at } = apiKeys
  const now = new Date().toISOString()
  const [rows] = await db.read([
    selectApiKeys(
      and(isNull(revoked_at), gt(expires_at, now), lte(expires_at, until.toISOString())),
    )
      .orderBy(asc(expires_at))
      .limit(EXPIRING_MAX),
  ])
  return rows.map(recordOf)
}

export async function findApiKey(db: TenantDatabase, id: string) {
  const [[row]] = await db.read([selectApiKeys(eq(apiKeys.id, id))])
  if (!row) throw notFound(id)
  return recordOf(row)
}

/**
 * 400 SERVICE_ERROR when no live key with settings.write would be left; 400 VALIDATION_ERROR for
 * scopes as only another release than the key's has them.
 */
export async function updateApiKey(db: TenantDatabase, id: string, input: UpdateApiKey) {
  const [rows] = await db
    .write({
      record: idOf(id, ownersOf(input)),
      status: 200,
      changes:
        Object.keys(input).length === 0
          ? []
          : [q.update(apiKeys).set(columnsOf(input)).where(eq(apiKeys.id, id))],
      answer: [selectApiKeys(eq(apiKeys.id, id))],
    })
    .catch(
      refusedBy({
        audit_log_write_names_record: () => unmatched(db, id, input),
        ...partnerRules(input),
        api_keys_keep_settings_access: lastSettingsKey,
      }),
    )
  return recordOf(only(rows))
}

/** Revoked already: unchanged. 400 SERVICE_ERROR for the last live key with settings.write. */
export async function revokeApiKey(db: TenantDatabase, id: string) {
  const now = new Date().toISOString()
  const [rows] = await db
    .write({
      record: idOf(id),
      status: 200,
      changes: [
        q
          .update(apiKeys)
          .set({ revoked_at: now })
          .where(and(eq(apiKeys.id, id), isNull(apiKeys.revoked_at))),
      ],
      answer: [selectApiKeys(eq(apiKeys.id, id))],
    })
    .catch(
      refusedBy({
        audit_log_write_names_record: () => notFound(id),
        api_keys_keep_settings_access: lastSettingsKey,
      }),
    )
  return recordOf(only(rows))
}

export function selectApiKeys(match: SQL | undefined) {
  const { seq, id, name, hint, scopes, partner_id, expires_at, revoked_at } = apiKeys
  const { rotated_from, created_at, release, rate_limit } = apiKeys
  const last_used_at = sql<string | null>`(select audit_log.created_at from audit_log
    where audit_log.api_key_id = ${id} order by audit_log.seq desc limit 1)`.as('last_used_at')
  return q
    .select({
      seq,
      id,
      name,
      hint,
      scopes,
      partner_id,
      release,
      rate_limit,
      expires_at,
      revoked_at,
      rotated_from,
      created_at,
      last_used_at,
    })
    .from(apiKeys)
    .where(match)
    .$dynamic()
}

/** Scopes are kept by our own names for them, so that a key may leave its release. */
function columnsOf<Input extends UpdateApiKey>(input: Input): Input {
  return input.scopes ? { ...input, scopes: [...new Set(input.scopes.map(ourScope))] } : input
}

type ApiKeyRow = ReturnType<typeof selectApiKeys>['_']['result'][number]

export function recordOf({ seq, ...record }: ApiKeyRow) {
  return { ...record, status: statusOf(record) }
}

function statusOf({ revoked_at, expires_at }: Pick<ApiKeyRow, 'revoked_at' | 'expires_at'>) {
  if (revoked_at) return 'revoked'
  return expires_at && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active'
}

/** The key's id; with releases, only where it is pinned to one of them. */
function idOf(id: string, releases: string[] | null = null): SQL {
  const pinned = releases && sql`and "release" in ${releases}`
  return sql`(select id from api_keys where id = ${id} ${pinned ?? sql``})`
}

/** The releases that have all the scopes of an update that does not say for which it is. */
function ownersOf({ scopes = [], release }: UpdateApiKey): string[] | null {
  if (release !== undefined || foreignScopes(scopes, CURRENT.name).size === 0) return null
  const names = RELEASES.map(({ name }) => name)
  return names.filter((name) => foreignScopes(scopes, name).size === 0)
}

async function unmatched(db: TenantDatabase, id: string, input: UpdateApiKey): Promise<ApiError> {
  const { release } = await findApiKey(db, id)
  const fields: FieldErrors = {}
  for (const [position, message] of foreignScopes(input.scopes ?? [], release)) {
    fields[`scopes[${position}]`] = [message]
  }
  const isForeign = Object.keys(fields).length > 0
  return isForeign ? invalid(fields) : unavailable('The key is changing just now. Try again.')
}

function notFound(id: string): ApiError {
  return new ApiError('NOT_FOUND', `No API key has the id "${id}".`)
}

function lastSettingsKey(): ApiError {
  return new ApiError(
    'SERVICE_ERROR',
    "This is the workspace's last live key with settings.write: create another one first.",
  )
}

function partnerRules({ partner_id }: Pick<UpdateApiKey, 'partner_id'>) {
  const unknown = () =>
    typeof partner_id === 'string'
      ? invalid({ partner_id: [`No partner has the id "${partner_id}".`] })
      : new ApiError(
          'SERVICE_ERROR',
          'The key is linked to a deleted partner: unlink it, with partner_id null.',
        )
  return { 'FOREIGN KEY': unknown, api_keys_partner_is_deleted: unknown }
}
