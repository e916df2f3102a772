import { and, eq, sql } from 'drizzle-orm'
import { WRITTEN_ID } from '../engine/db/audit-row.ts'
import { CONSTRAINT } from '../engine/db/constraints.ts'
import { type Query, qb } from '../engine/db/prepared.ts'
import { REHEARSED_APART } from '../engine/db/rehearsal.ts'
import { apiKeys, fieldMappings, type StoredSecret } from '../engine/db/tables.ts'
import { SettingsChanged, singleRow, type TenantDatabase } from '../engine/db/transact.ts'
import { refusedBy } from '../engine/db/violations.ts'
import { invalid } from '../engine/errors.ts'
import {
  hasRoomFor,
  type Naming,
  tooManyFields,
  writeNaming,
} from '../engine/identifiers/indexes.ts'
import type { Caller } from '../engine/identity/caller.ts'
import { mintKey } from '../engine/identity/key.ts'
import type { Mapping } from '../engine/mapping/schema.ts'
import type { WebhookRules } from '../engine/webhooks/rules.ts'
import { hasRoom, noRoom } from './api-keys/bound.ts'
import { grantRefusal } from './api-keys/grant.ts'
import { keyRow, selectKeys } from './api-keys/row.ts'
import { columnsOf } from './api-keys/webhooks/kind.ts'
import { mappingNaming } from './mappings/queries.ts'
import {
  findPartner,
  HAS_ROOM_FOR_PARTNER,
  insertPartner,
  noRoomForPartner,
  partnerExists,
} from './partners/queries.ts'
import { NEXT_VERSION } from './versions.ts'

/** What it takes to receive from a system. */
export interface SystemToConnect {
  partner_id: string
  /** How the partner is called; null if it is there already. */
  new_partner: string | null
  /** What understands its documents. A mapping that the partner has already stays. */
  mapping: Mapping | null
  webhook: {
    id: string
    name: string
    rules: WebhookRules
    secrets: StoredSecret[]
    rate_limit: number | null
  }
}

/**
 * Makes partner, mapping and webhook, or nothing. `key` stands in the address: it is shown only here. `mapping` says
 * whether the partner has one now, and whether it was made. 403 SCOPE_MISSING for what the caller may not grant, 409 DUPLICATE if a partner has the name, 400 SERVICE_ERROR
 * if there is no room.
 */
export async function connectSystem(
  db: TenantDatabase,
  caller: Caller,
  connection: SystemToConnect,
) {
  const { partner_id, new_partner, mapping, webhook } = connection
  const { rules, secrets, ...columns } = webhook
  const granted = { ...columns, ...columnsOf(rules), partner_id, webhook_secrets: secrets }
  const refusal = grantRefusal(caller, granted)
  if (refusal) throw refusal
  const { value, hash, hint } = await mintKey(caller.tenant, 'xh')
  const now = new Date().toISOString()
  const naming = namingOf(connection)
  const made = { hash, hint, version: NEXT_VERSION, created_at: now }
  const write = {
    record: sql`(select ${partner_id} where ${isThere(connection)} and ${hasRoomFor(naming)}
      and ${hasRoom(now)})`,
    status: 201 as const,
    changes: [
      ...(new_partner === null ? [] : [insertPartner({ name: new_partner }, now)]),
      ...(mapping ? [insertMapping(rules, mapping, now)] : []),
      qb.insert(apiKeys).values({ ...granted, ...made, partner_id: WRITTEN_ID }),
    ],
    answer: [selectKeys(eq(apiKeys.id, webhook.id)), selectMapped(connection)] as const,
    rehearsal: REHEARSED_APART,
  }
  const [rows, mapped] = await writeNaming(db, write, naming).catch(
    refusedBy({
      [CONSTRAINT.recordExists]: () => notConnected(db, connection),
      [CONSTRAINT.partnerNameIsNew]: () => partnerExists(new_partner ?? undefined),
      [CONSTRAINT.partnerIsLive]: () => noSuchPartner(partner_id),
    }),
  )
  const [found] = mapped
  const state = !found ? 'none' : found.updated_at === now ? 'made' : 'there'
  return { row: keyRow(singleRow(rows)), key: value, mapping: state } as const
}

function namingOf({ partner_id, mapping, webhook: { rules } }: SystemToConnect): Naming {
  const none = { begins: [], ends: sql`false` }
  if (!mapping) return none
  const { begins } = mappingNaming(partner_id, rules.resource, mapping.identifier_field)
  return { ...none, begins }
}

function isThere({ partner_id, new_partner }: SystemToConnect) {
  return new_partner === null
    ? sql`exists (select 1 from partners where id = ${partner_id} and deleted_at is null)`
    : HAS_ROOM_FOR_PARTNER
}

function insertMapping({ resource }: WebhookRules, mapping: Mapping, now: string): Query {
  const values = { ...mapping, resource, updated_at: now, version: NEXT_VERSION }
  return qb
    .insert(fieldMappings)
    .values({ ...values, partner_id: WRITTEN_ID })
    .onConflictDoNothing()
}

function selectMapped({ partner_id, webhook: { rules } }: SystemToConnect) {
  const { resource, updated_at } = fieldMappings
  const isThis = and(eq(fieldMappings.partner_id, partner_id), eq(resource, rules.resource))
  return qb.select({ updated_at }).from(fieldMappings).where(isThis)
}

/** Why nothing was made; SettingsChanged if the reason is gone by now. */
async function notConnected(db: TenantDatabase, connection: SystemToConnect): Promise<Error> {
  const naming = namingOf(connection)
  if (connection.new_partner === null) {
    const found = await findPartner(db, connection.partner_id).catch(() => null)
    if (!found) return noSuchPartner(connection.partner_id)
    const [[field]] = await db.read([
      qb.select({ hasRoom: sql<number>`${hasRoomFor(naming)}` }).from(sql`(select 1)`),
    ])
    if (!field?.hasRoom) return tooManyFields('mapping')
  } else {
    const refusal = await noRoomForPartner(db, naming)
    if (!(refusal instanceof SettingsChanged)) return refusal
  }
  return await noRoom(db, '')
}

function noSuchPartner(id: string): Error {
  return invalid({ partner_id: [`No partner has the id "${id}".`] })
}
