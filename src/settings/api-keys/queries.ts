import { and, asc, desc, eq, gt, inArray, isNull, lt, lte, type SQL, sql } from 'drizzle-orm'
import { WRITTEN_ID } from '../../engine/db/audit-row.ts'
import { CONSTRAINT } from '../../engine/db/constraints.ts'
import { thatFit } from '../../engine/db/newest-names.ts'
import { qb } from '../../engine/db/prepared.ts'
import { foreseen, foreseenFrom, updatedRow } from '../../engine/db/rehearsal.ts'
import { apiKeys } from '../../engine/db/tables.ts'
import { SettingsChanged, singleRow, type TenantDatabase } from '../../engine/db/transact.ts'
import { refusedBy } from '../../engine/db/violations.ts'
import { ApiError, brokenRule, type FieldErrors, invalid, noRecord } from '../../engine/errors.ts'
import type { Caller } from '../../engine/identity/caller.ts'
import { mintKey } from '../../engine/identity/key.ts'
import { covers } from '../../engine/identity/scopes.ts'
import { shortened } from '../../engine/json/messages.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import { CURRENT } from '../../engine/releases/release.ts'
import { ourScope, RELEASES } from '../../engine/releases/table.ts'
import { storedPause } from '../pause.ts'
import {
  isAtVersion,
  NEXT_VERSION,
  type Versions,
  versionAfter,
  versionRefusal,
} from '../versions.ts'
import { hasRoom, isLive, noRoom, tooManyKeys } from './bound.ts'
import { grantCondition, grantRefusal } from './grant.ts'
import { type KeyKind, nounOf } from './kind.ts'
import { newKeyRow, newKeyRules, settingsAccess, updateRules } from './rehearsal.ts'
import { type KeyRow, keyRow, selectKeys } from './row.ts'
import { type CreateApiKey, foreignScopes, type UpdateApiKey } from './schema.ts'

const EXPIRING_MAX = 20

/** What a request sets of a key of any kind. */
export type KeyInput = UpdateApiKey &
  Partial<Pick<typeof apiKeys.$inferInsert, 'webhook' | 'webhook_secrets' | 'email'>>

/**
 * The record with `key`, the value itself. It is shown only here: the database stores its hash. 403
 * SCOPE_MISSING for scopes that the caller does not have, and for another partner than that of a linked
 * caller; 400 SERVICE_ERROR beyond 10,000 live keys, and for own orders without a partner.
 */
export async function createKey<Shown extends { version: number }>(
  kind: KeyKind<Shown>,
  db: TenantDatabase,
  caller: Caller,
  input: KeyInput & Pick<CreateApiKey, 'name' | 'scopes'>,
  id: string = crypto.randomUUID(),
) {
  const columns = columnsOf(input)
  const refusal = grantRefusal(caller, { ...columns, partner_id: columns.partner_id ?? null })
  if (refusal) throw refusal
  const { value, hash, hint } = await mintKey(caller.tenant, kind.prefix)
  const now = new Date().toISOString()
  const [rows] = await db
    .write({
      record: sql`(select ${id} where ${hasRoom(now)})`,
      status: 201,
      changes: [
        qb.insert(apiKeys).values({
          ...columns,
          id: WRITTEN_ID,
          hash,
          hint,
          version: NEXT_VERSION,
          created_at: now,
        }),
      ],
      answer: [selectKeys(eq(apiKeys.id, WRITTEN_ID))],
      rehearsal: foreseen(
        () => [[newKeyRow({ ...columns, id, hint, created_at: now })]],
        newKeyRules(columns),
      ),
    })
    .catch(
      refusedBy({
        [CONSTRAINT.recordExists]: () => tooManyKeys(),
        [CONSTRAINT.personIsNew]: () => personExists(input.email),
        ...partnerRules(kind, input),
      }),
    )
  return { ...(await kind.shown(keyRow(singleRow(rows)))), key: value }
}

/** Newest first, revoked and expired keys included, that match; one more than the limit if there are more. */
export async function listKeys<Shown extends { version: number }>(
  kind: KeyKind<Shown>,
  db: TenantDatabase,
  request: PageRequest,
  match?: SQL,
) {
  const { limit, before } = request
  const older = before === undefined ? undefined : lt(apiKeys.seq, before)
  const [rows] = await db.read([
    selectKeys(and(kind.isOne, older, match))
      .orderBy(desc(apiKeys.seq))
      .limit(limit + 1),
  ])
  const listed = rows.map(async (row) => {
    const { version, ...shown } = await kind.shown(keyRow(row))
    return { seq: row.seq, ...shown }
  })
  return await Promise.all(listed)
}

/** To choose from: the newest `limit`, revoked and expired keys included, as many as fit on a page. */
export async function listApiKeyNames(db: TenantDatabase, limit: number) {
  const { seq, id, name, hint } = apiKeys
  const newest = qb.select({ seq, id, name, hint }).from(apiKeys).orderBy(desc(seq)).limit(limit)
  const columns = { id: sql<string>`id`, name: sql<string>`name`, hint: sql<string>`hint` }
  const [rows] = await db.read([qb.select(columns).from(thatFit(newest))])
  return rows
}

/** Active keys that expire by `until`, soonest first, at most 20. */
export async function listExpiringKeys<Shown extends { version: number }>(
  kind: KeyKind<Shown>,
  db: TenantDatabase,
  until: Date,
) {
  const { expires_at, revoked_at } = apiKeys
  const now = new Date().toISOString()
  const [rows] = await db.read([
    selectKeys(
      and(
        kind.isOne,
        isNull(revoked_at),
        gt(expires_at, now),
        lte(expires_at, until.toISOString()),
      ),
    )
      .orderBy(asc(expires_at))
      .limit(EXPIRING_MAX),
  ])
  return await Promise.all(rows.map((row) => kind.shown(keyRow(row))))
}

export async function findKey<Shown extends { version: number }>(
  kind: KeyKind<Shown>,
  db: TenantDatabase,
  id: string,
) {
  return await kind.shown(await findKeyRow(kind, db, id))
}

/** 404 NOT_FOUND if no key of this kind has the id. */
export async function findKeyRow(
  { one, isOne }: Pick<KeyKind, 'one' | 'isOne'>,
  db: TenantDatabase,
  id: string,
): Promise<KeyRow> {
  const [[row]] = await db.read([selectKeys(isOne, eq(apiKeys.id, id))])
  if (!row) throw noRecord(`No ${one} has the id "${shortened(id)}".`)
  return keyRow(row)
}

/**
 * 403 SCOPE_MISSING if more than the name and the pause changes and the caller lacks a scope that the key has
 * afterwards, or is linked to a partner that the key then is not linked to. 400 SERVICE_ERROR if no live key
 * that may write keys would be left, or if an expired key would become live beyond 10,000 live keys. 400
 * VALIDATION_ERROR for scopes that the key's release does not have. 412 PRECONDITION_FAILED if the key is at none of
 * these versions.
 */
export async function updateKey<Shown extends { version: number }>(
  kind: KeyKind<Shown>,
  db: TenantDatabase,
  caller: Caller,
  id: string,
  input: KeyInput,
  versions?: Versions,
) {
  const columns = columnsOf(input)
  const values = { ...columns, ...storedPause(columns) }
  const [rows] = await db
    .write({
      record: idOf(
        id,
        kind.isOne,
        isAtVersion(versions),
        pinnedTo(ownersOf(input)),
        granting(caller, input),
        reviving(input),
      ),
      status: 200,
      changes:
        Object.keys(input).length === 0
          ? []
          : [
              qb
                .update(apiKeys)
                .set({ ...values, ...versionAfter(apiKeys, values) })
                .where(eq(apiKeys.id, id)),
            ],
      answer: [selectKeys(eq(apiKeys.id, id))],
      rehearsal: foreseenFrom(
        [selectKeys(eq(apiKeys.id, id))],
        ([found]) => [found.map((row) => updatedRow(row, columns))],
        updateRules(id, columns),
      ),
    })
    .catch(
      refusedBy({
        [CONSTRAINT.recordExists]: () => updateRefusal(kind, db, caller, id, input, versions),
        ...partnerRules(kind, input),
        [CONSTRAINT.someKeyMayWriteKeys]: () => lastSettingsKey(input),
      }),
    )
  return await kind.shown(keyRow(singleRow(rows)))
}

/**
 * Leaves a revoked key unchanged. 400 SERVICE_ERROR for the last live key that may write keys, 409 IN_USE while something
 * needs it, 412 PRECONDITION_FAILED as for an update.
 */
export async function revokeKey<Shown extends { version: number }>(
  kind: KeyKind<Shown>,
  db: TenantDatabase,
  id: string,
  versions?: Versions,
) {
  const now = new Date().toISOString()
  const [rows] = await db
    .write({
      record: idOf(id, kind.isOne, kind.mayEnd?.holds, isAtVersion(versions)),
      status: 200,
      changes: [
        qb
          .update(apiKeys)
          .set({ revoked_at: now, version: NEXT_VERSION })
          .where(and(eq(apiKeys.id, id), isNull(apiKeys.revoked_at))),
      ],
      answer: [selectKeys(eq(apiKeys.id, id))],
      rehearsal: foreseenFrom(
        [selectKeys(eq(apiKeys.id, id))],
        ([found]) => [found.map((row) => ({ ...row, revoked_at: row.revoked_at ?? now }))],
        [settingsAccess(id, { revoked_at: now })],
      ),
    })
    .catch(
      refusedBy({
        [CONSTRAINT.recordExists]: () =>
          findKeyRow(kind, db, id).then(
            (found) =>
              versionRefusal(kind.one, found, versions) ??
              kind.mayEnd?.otherwise(db, id) ??
              new SettingsChanged(),
          ),
        [CONSTRAINT.someKeyMayWriteKeys]: () => lastSettingsKey({}),
      }),
    )
  return await kind.shown(keyRow(singleRow(rows)))
}

/** Stores scopes under their current names, so that a key can change its release. */
function columnsOf<Input extends KeyInput>(input: Input): Input {
  return input.scopes ? { ...input, scopes: [...new Set(input.scopes.map(ourScope))] } : input
}

/** The key's id if all conditions hold for it; else null. */
function idOf(id: string, ...conditions: (SQL | undefined)[]): SQL {
  return sql`(select id from api_keys where ${and(eq(apiKeys.id, id), ...conditions)})`
}

/** Renaming and pausing need no further scopes; any other change affects what the key can do. */
function granting(caller: Caller, input: KeyInput): SQL | undefined {
  if (keepsAccess(input)) return undefined
  const { scopes, partner_id } = columnsOf(input)
  return grantCondition(caller, {
    scopes: scopes ? sql`${JSON.stringify(scopes)}` : sql`${apiKeys.scopes}`,
    partner_id: partner_id === undefined ? sql`${apiKeys.partner_id}` : sql`${partner_id}`,
  })
}

function keepsAccess({ name, pause, ...fields }: KeyInput): boolean {
  return Object.values(fields).every((value) => value === undefined)
}

/** A new expiry turns an expired key into one more live key. */
function reviving({ expires_at }: UpdateApiKey): SQL | undefined {
  const now = new Date().toISOString()
  return expires_at === undefined
    ? undefined
    : sql`(${isLive(now)} or revoked_at is not null or ${hasRoom(now)})`
}

function pinnedTo(releases: string[] | null): SQL | undefined {
  return releases ? inArray(apiKeys.release, releases) : undefined
}

/** The releases that have all its scopes; null if the update names one, or the current one has them. */
function ownersOf({ scopes = [], release }: UpdateApiKey): string[] | null {
  if (release !== undefined || foreignScopes(scopes, CURRENT.name).size === 0) return null
  const names = RELEASES.map(({ name }) => name)
  return names.filter((name) => foreignScopes(scopes, name).size === 0)
}

/** Why the update was refused; SettingsChanged if the reason is gone by now. */
async function updateRefusal(
  kind: Pick<KeyKind, 'one' | 'isOne'>,
  db: TenantDatabase,
  caller: Caller,
  id: string,
  input: KeyInput,
  versions: Versions,
): Promise<Error> {
  const found = await findKeyRow(kind, db, id)
  const outdated = versionRefusal(kind.one, found, versions)
  if (outdated) return outdated
  const { release, status } = found
  const refusal = !keepsAccess(input) && grantRefusal(caller, updatedRow(found, columnsOf(input)))
  if (refusal) return refusal
  const fields: FieldErrors = {}
  for (const [position, message] of foreignScopes(input.scopes ?? [], release)) {
    fields[`scopes[${position}]`] = [message]
  }
  if (Object.keys(fields).length > 0) return invalid(fields)
  const isRevival = status === 'expired' && input.expires_at !== undefined
  return isRevival ? await noRoom(db, 'expires_at') : new SettingsChanged()
}

/** 409 DUPLICATE. */
export function personExists(email: string | null | undefined): ApiError {
  return new ApiError(
    'DUPLICATE',
    `There is a person with the e-mail address "${email}" already.`,
    {
      fields: { email: ['Already exists.'] },
      reason: 'ALREADY_EXISTS',
    },
  )
}

/** 400 SERVICE_ERROR, at the field that would take the scope away, if a field does. */
export function lastSettingsKey({ scopes, expires_at }: UpdateApiKey): ApiError {
  const message =
    "This is the workspace's last live key with settings.keys.write: create another one first."
  const reason = 'LAST_SETTINGS_KEY'
  if (scopes && !covers(scopes, 'settings.keys.write')) return brokenRule('scopes', message, reason)
  if (expires_at) return brokenRule('expires_at', message, reason)
  return new ApiError('SERVICE_ERROR', message, { reason })
}

/** Without `partner_id` in the request, the rule refuses a later expiry for a deleted partner's key. */
function partnerRules(
  { one, otherPartner }: Pick<KeyKind, 'one' | 'otherPartner'>,
  { partner_id }: Pick<UpdateApiKey, 'partner_id'>,
) {
  const unknown = () =>
    typeof partner_id === 'string'
      ? invalid({ partner_id: [`No partner has the id "${partner_id}".`] })
      : brokenRule(
          'expires_at',
          `The ${nounOf(one)} is linked to a deleted partner: ${otherPartner}.`,
          'PARTNER_DELETED',
        )
  return {
    [CONSTRAINT.referenceExists]: unknown,
    [CONSTRAINT.partnerIsLive]: unknown,
    [CONSTRAINT.ownOrdersHavePartner]: ownOrdersWithoutPartner,
  }
}

function ownOrdersWithoutPartner(): ApiError {
  const message =
    'A key without a partner has no own orders: name a partner, or send own_orders_only false.'
  const fields = { own_orders_only: [message], partner_id: [message] }
  return new ApiError('SERVICE_ERROR', message, { fields, reason: 'OWN_ORDERS_WITHOUT_PARTNER' })
}
