import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { CONSTRAINT } from '../engine/db/constraints.ts'
import { qb } from '../engine/db/prepared.ts'
import { foreseen } from '../engine/db/rehearsal.ts'
import { apiKeys, fieldMappings, partners } from '../engine/db/tables.ts'
import { SettingsChanged, type TenantDatabase } from '../engine/db/transact.ts'
import { refusedBy } from '../engine/db/violations.ts'
import { ApiError } from '../engine/errors.ts'
import { writeNaming } from '../engine/identifiers/indexes.ts'
import { findKeyRow } from './api-keys/queries.ts'
import type { KeyRow } from './api-keys/row.ts'
import { WEBHOOK } from './api-keys/webhooks/kind.ts'
import { isAtVersion, NEXT_VERSION, type Versions, versionRefusal } from './versions.ts'

/** SQL that is true if the request that made the webhook made this record as well. */
function isMadeWith(webhook: string, kind: 'partner' | 'mapping', record: SQL): SQL {
  return sql`exists (select 1 from settings_history as made where ${record} and made.kind = ${kind}
    and made.action = 'created' and made.request_id = (select request_id from settings_history
      where record_id = ${webhook} and kind = 'api_key' and action = 'created' limit 1))`
}

/** What an undo rests on: that the connection is as it was made, and unused. */
function conditionsOf({ id, partner_id, webhook }: KeyRow) {
  const caller = `${id} ${partner_id}`
  const now = new Date().toISOString()
  const ofPartner = sql`made.record_id = ${partner_id}`
  return {
    madePartner: isMadeWith(id, 'partner', ofPartner),
    madeMapping: isMadeWith(
      id,
      'mapping',
      sql`${ofPartner} and made.resource = ${webhook?.resource}`,
    ),
    // What is older than the log, or archived, may have been used without a trace here.
    isUnused: sql`(not exists (select 1 from audit_log
        where caller = ${caller} and outcome is not null and not dry_run)
      and not exists (select 1 from waiting_deliveries where api_key_id = ${id})
      and not exists (select 1 from archived_key_uses where api_key_id = ${id})
      and exists (select 1 from workspace where julianday(api_keys.created_at) > julianday('now') - audit_retention_days))`,
    hasOthers: sql`exists (select 1 from api_keys as others where others.partner_id = ${partner_id}
      and others.id <> ${id} and others.revoked_at is null
      and (others.expires_at is null or others.expires_at > ${now}))`,
  }
}

/** What was made with the webhook, and whether all of it can still be removed. 404 NOT_FOUND without a webhook. */
export async function findUndoable(db: TenantDatabase, id: string) {
  const row = await findKeyRow(WEBHOOK, db, id)
  const { madePartner, madeMapping, isUnused, hasOthers } = conditionsOf(row)
  const [[found]] = await db.read([
    qb
      .select({
        partner: sql<number>`${madePartner}`.as('made_partner'),
        mapping: sql<number>`${madeMapping}`.as('made_mapping'),
        unused: sql<number>`${isUnused}`.as('is_unused'),
        others: sql<number>`${hasOthers}`.as('has_others'),
      })
      .from(apiKeys)
      .where(eq(apiKeys.id, id)),
  ])
  return { row, partner: false, mapping: false, unused: false, others: false, ...found }
}

/**
 * Removes the webhook, and the partner and mapping that were made with it, or nothing. 409 IN_USE once a delivery has
 * arrived, and if something else is linked to the partner by now; 412 PRECONDITION_FAILED if the webhook is at none of these versions.
 */
export async function disconnectSystem(
  db: TenantDatabase,
  id: string,
  versions?: Versions,
): Promise<void> {
  const row = await findKeyRow(WEBHOOK, db, id)
  const { partner_id } = row
  const resource = row.webhook?.resource
  const { madePartner, madeMapping, isUnused, hasOthers } = conditionsOf(row)
  const now = new Date().toISOString()
  const isMapping = sql`partner_id = ${partner_id} and resource = ${resource} and ${madeMapping}`
  const write = {
    record: sql`(select partner_id from api_keys where id = ${id} and ${WEBHOOK.isOne}
      and partner_id = ${partner_id} and revoked_at is null and ${isAtVersion(versions)}
      and ${isUnused} and not (${madePartner} and ${hasOthers}))`,
    status: 200 as const,
    changes: [
      qb.delete(fieldMappings).where(isMapping),
      qb.update(apiKeys).set({ revoked_at: now, version: NEXT_VERSION }).where(eq(apiKeys.id, id)),
      qb
        .update(partners)
        .set({ deleted_at: now, updated_at: now, version: NEXT_VERSION })
        .where(and(eq(partners.id, partner_id ?? ''), isNull(partners.deleted_at), madePartner)),
    ],
    answer: [qb.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.id, id))] as const,
    rehearsal: foreseen(() => [[{ id }]]),
  }
  const ends = sql`partner_id = ${partner_id} and (${madePartner} or named_by = ${resource} and ${madeMapping})`
  await writeNaming(db, write, { begins: [], ends }).catch(
    refusedBy({ [CONSTRAINT.recordExists]: () => notUndone(db, id, versions) }),
  )
}

/** Why nothing was removed; SettingsChanged if the reason is gone by now. */
async function notUndone(db: TenantDatabase, id: string, versions: Versions): Promise<Error> {
  const { row, unused, partner, others } = await findUndoable(db, id)
  if (row.revoked_at)
    return new ApiError('IN_USE', 'This webhook is revoked: there is nothing to undo.')
  const outdated = versionRefusal(WEBHOOK.one, row, versions)
  if (outdated) return outdated
  if (!unused) return new ApiError('IN_USE', USED)
  return partner && others ? new ApiError('IN_USE', LINKED) : new SettingsChanged()
}

const USED =
  'A delivery has arrived: this can no longer be undone. Revoke the webhook if nothing more is to come.'
const LINKED =
  'Another key or webhook is linked to the partner by now: this can no longer be undone. Revoke the webhook alone.'
