import { sql } from 'drizzle-orm'
import { byName } from '../json/by-name.ts'
import type { AddressableResource } from '../mapping/identifier.ts'
import { type AuditSubject, type NamedTable, WRITTEN_IN } from './audit-row.ts'
import { deliveredChanges } from './delivery-tables.ts'
import { placeholders, prepared, preparedFor, type Query, qb } from './prepared.ts'
import { auditLog, type DeliveryOutcome } from './tables.ts'
import { type DeliveredChange, endTried } from './waiting.ts'

const insertChange = prepared(() =>
  qb
    .insert(deliveredChanges)
    .values(placeholders('partner_id', 'resource', 'identifier', 'changed_at', 'applied_on'))
    .onConflictDoUpdate({
      target: [deliveredChanges.partner_id, deliveredChanges.resource, deliveredChanges.identifier],
      set: { changed_at: sql`excluded.changed_at`, applied_on: sql`excluded.applied_on` },
    }),
)

/**
 * Remembers how new the applied document is, which ends what waits and is older (migrations/0004). The batch fails by
 * `delivered_changes_only_rise` if a newer one was applied.
 */
function rememberChange(change: DeliveredChange): Query {
  return insertChange.with({ ...change, applied_on: new Date().toISOString().slice(0, 10) })
}

/** Says in the row of a delivery that its record had all these values already. */
const noteUnchanged = preparedFor((record_id) =>
  qb
    .update(auditLog)
    .set({ outcome: 'unchanged' })
    .where(sql`audit_log.seq = ${WRITTEN_IN} and not ${record_id}`),
)

const CHANGED = byName(['orders', 'products', 'locations'], changedIn)

function changedIn(table: AddressableResource) {
  return sql`exists (select 1 from ${sql.identifier(table)} as written
    where written.id = audit_log.record_id and written.changed_in = audit_log.seq)`
}

/** What the write of a delivery does besides: nothing for any other request. */
export function deliveryStatements(
  { outcome }: AuditSubject,
  change: DeliveredChange | null,
  names: NamedTable | undefined,
  retried: string | null,
): { changes: Query[]; answer: Query[] } {
  if (outcome === null) return { changes: [], answer: [] }
  const isCertain = names === undefined || names === 'any'
  return {
    changes: [
      ...(change ? [rememberChange(change)] : []),
      ...(retried === null ? [] : endTried(retried)),
      ...(isCertain ? [] : [noteUnchanged(CHANGED[names])]),
    ],
    // A batch that creates has created.
    answer: outcome === 'created' ? [] : [selectOutcome],
  }
}

/** What became of the delivery. */
export const selectOutcome = prepared(() =>
  qb.select({ outcome: auditLog.outcome }).from(auditLog).where(sql`audit_log.seq = ${WRITTEN_IN}`),
)

export function outcomeIn(rows: unknown): DeliveryOutcome | null {
  const [row] = rows as { outcome: DeliveryOutcome | null }[]
  return row?.outcome ?? null
}
