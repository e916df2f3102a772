import { type SQL, sql } from 'drizzle-orm'
import { picked } from '../../engine/db/columns.ts'
import { CONSTRAINT } from '../../engine/db/constraints.ts'
import { newRow, type RehearsedRule } from '../../engine/db/rehearsal.ts'
import { apiKeys } from '../../engine/db/tables.ts'
import { ApiKey, type UpdateApiKey } from './schema.ts'

// The rules of migrations/ for keys, as questions: a trigger, a CHECK or a reference refuses the write itself.

/** The columns of a key that the API shows, and those of a webhook and of a person. */
export const stored = picked(apiKeys, [
  'seq',
  'version',
  ...ApiKey.columns,
  'webhook',
  'webhook_secrets',
  'email',
])

export function newKeyRow(values: object) {
  return { ...newRow(stored, values), last_used_at: null }
}

type Named = Pick<UpdateApiKey, 'partner_id' | 'own_orders_only'>

export function newKeyRules({ partner_id, own_orders_only }: Named): RehearsedRule[] {
  const partner = partner_id ?? null
  return [
    partnerIsLive(sql`${partner}`),
    [CONSTRAINT.ownOrdersHavePartner, sql`${own_orders_only && partner === null ? 0 : 1}`],
    partnerExists(sql`${partner}`),
  ]
}

/** The rules of an update of the key with this id. What the update leaves out stays as it is. */
export function updateRules(key: string, columns: UpdateApiKey): RehearsedRule[] {
  const { partner_id, own_orders_only, scopes, expires_at } = columns
  const partner = partner_id === undefined ? storedIn(key, 'partner_id') : sql`${partner_id}`
  const isOwn =
    own_orders_only === undefined
      ? storedIn(key, 'own_orders_only')
      : sql`${own_orders_only ? 1 : 0}`
  const moves = partner_id !== undefined || expires_at !== undefined
  const endsAccess = scopes !== undefined || expires_at !== undefined
  return [
    ...(moves ? [partnerIsLive(partner)] : []),
    [CONSTRAINT.ownOrdersHavePartner, sql`(${isOwn} = 0 or ${partner} is not null)`],
    ...(endsAccess ? [settingsAccess(key, { scopes, expires_at })] : []),
    partnerExists(partner),
  ]
}

/** Neither a copy of the key nor the key itself may begin anew with a deleted partner. */
export function partnerOfKeyIsLive(key: string): RehearsedRule {
  return partnerIsLive(storedIn(key, 'partner_id'))
}

interface Ending {
  scopes?: string[] | undefined
  expires_at?: string | null | undefined
  revoked_at?: string
}

const WRITES_KEYS = sql`value in ('settings.*', 'settings.write', 'settings.keys.*', 'settings.keys.write')`

/** The trigger api_keys_keep_settings_access. */
export function settingsAccess(
  key: string,
  { scopes, expires_at, revoked_at }: Ending,
): RehearsedRule {
  const after = {
    scopes: scopes ? sql`${JSON.stringify(scopes)}` : sql`scopes`,
    expires_at: expires_at === undefined ? sql`expires_at` : sql`${expires_at}`,
    revoked_at: revoked_at === undefined ? sql`revoked_at` : sql`${revoked_at}`,
  }
  const keys = sql`(select scopes, expires_at, revoked_at from api_keys where id <> ${key} and email is null
    union all select ${after.scopes}, ${after.expires_at}, ${after.revoked_at} from api_keys where id = ${key} and email is null)`
  const some = sql`exists (select 1 from ${keys} as kept, json_each(kept.scopes)
    where ${WRITES_KEYS} and kept.revoked_at is null and (kept.expires_at is null or (
      old.expires_at is not null
      and kept.expires_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))))`
  const loses = sql`exists (select 1 from api_keys as old where old.id = ${key} and old.revoked_at is null and old.email is null
    and exists (select 1 from json_each(old.scopes) where ${WRITES_KEYS}) and not ${some})`
  return [CONSTRAINT.someKeyMayWriteKeys, sql`not ${loses}`]
}

function storedIn(key: string, column: 'partner_id' | 'own_orders_only'): SQL {
  return sql`(select ${sql.identifier(column)} from api_keys where id = ${key})`
}

function partnerIsLive(partner: SQL): RehearsedRule {
  const isDeleted = sql`exists (select 1 from partners where id = ${partner} and deleted_at is not null)`
  return [CONSTRAINT.partnerIsLive, sql`not ${isDeleted}`]
}

function partnerExists(partner: SQL): RehearsedRule {
  const exists = sql`exists (select 1 from partners where id = ${partner})`
  return [CONSTRAINT.referenceExists, sql`(${partner} is null or ${exists})`]
}
