import { eq, type SQL, sql } from 'drizzle-orm'
import { byName } from '../json/by-name.ts'
import type { AddressableResource } from '../mapping/identifier.ts'
import { type Explanation, WRITTEN_IN } from './audit-row.ts'
import { waitingDeliveries, waitingDeliveriesEnds, waitingTotals } from './delivery-tables.ts'
import { placeholders, prepared, type Query, qb } from './prepared.ts'
import { auditLog } from './tables.ts'

/** How new a document is, of one partner and record. */
export interface DeliveredChange {
  partner_id: string
  resource: AddressableResource
  identifier: string
  changed_at: string
}

type Row = typeof waitingDeliveries.$inferSelect

/** A delivery to keep, as the request knows it. */
export type DeliveryToKeep = Omit<
  Row,
  'seq' | 'position' | 'log_seq' | 'is_due' | 'tries' | 'created_at' | 'ends_at' | 'delivery_id'
>

/** What a further try has found. */
export type ToRetry = Pick<
  Row,
  | 'delivery_id'
  | 'needs'
  | 'needs_code'
  | 'due_at'
  | 'error_code'
  | 'message'
  | 'identifier'
  | 'record_name'
  | 'changed_at'
>

/** As the trigger workspace_waiting_days_set_ends has it. */
export const ENDS_AT = sql`(select strftime('%Y-%m-%dT%H:%M:%fZ', ${sql.placeholder('created_at')}, '+' || waiting_days || ' days') from workspace)`

/** What was missing may have come before this statement. Triggers tell only what waits already. */
const hasCome = (partner_id: SQL) => {
  const [needs, code] = [sql.placeholder('needs'), sql.placeholder('needs_code')]
  const isCode = (kind: string) => sql`exists (select 1 from item_codes
    where partner_id = ${partner_id} and kind = ${sql.raw(`'${kind}'`)} and code = ${code})`
  return sql`case ${needs}
    when 'product' then exists (select 1 from products where sku = ${code})
    when 'location' then exists (select 1 from locations where code = ${code})
    when 'product_code' then ${isCode('products')}
    when 'location_code' then ${isCode('locations')}
    else 0 end`
}

const insertWaiting = prepared(() =>
  qb.insert(waitingDeliveries).values({
    ...placeholders('api_key_id', 'partner_id', 'resource', 'identifier', 'record_name'),
    ...placeholders(
      'changed_at',
      'sender_event',
      'sender_id',
      'sent_with',
      'content_type',
      'needs',
    ),
    ...placeholders('needs_code', 'due_at', 'error_code', 'message', 'bytes', 'body'),
    delivery_id: sql`${sql.placeholder('delivery_id')}`,
    created_at: sql`${sql.placeholder('created_at')}`,
    ends_at: ENDS_AT,
    is_due: hasCome(sql`${sql.placeholder('partner_id')}`),
    log_seq: WRITTEN_IN,
  }),
)

/** For `set`, which takes SQL. */
function given<Name extends string>(...names: Name[]): Record<Name, SQL> {
  return byName(names, (name) => sql`${sql.placeholder(name)}`)
}

/** What a try has not found stays as another one has found it. */
function givenOrKnown<Name extends string>(...names: Name[]): Record<Name, SQL> {
  return byName(names, (name) => sql`coalesce(${sql.placeholder(name)}, ${sql.identifier(name)})`)
}

/** Keeps a delivery, in the batch of its audit row. The batch fails by `waiting_totals_have_room` if there is no room. */
export function keepWaiting(kept: DeliveryToKeep & Pick<Row, 'delivery_id' | 'created_at'>): Query {
  return insertWaiting.with(kept)
}

const updateWaiting = prepared(() =>
  qb
    .update(waitingDeliveries)
    .set({
      ...given('needs', 'needs_code', 'due_at', 'error_code', 'message'),
      ...givenOrKnown('identifier', 'record_name', 'changed_at'),
      is_due: hasCome(sql`waiting_deliveries.partner_id`),
      tries: sql`tries + 1`,
    })
    .where(eq(waitingDeliveries.delivery_id, sql.placeholder('delivery_id'))),
)

/** Lets a delivery wait on after a try. */
export function waitOn(found: ToRetry): Query {
  return updateWaiting.with(found)
}

const deleteWaiting = prepared(() =>
  qb
    .delete(waitingDeliveries)
    .where(eq(waitingDeliveries.delivery_id, sql.placeholder('delivery_id'))),
)

const failUnlessWaiting = prepared(() =>
  qb
    .update(waitingTotals)
    .set({ records: sql`null` })
    .where(
      sql`subject = 'all' and not exists (
        select 1 from waiting_deliveries where delivery_id = ${sql.placeholder('delivery_id')})`,
    ),
)

/** Ends the waiting of a delivery that is tried. The batch fails by `waiting_totals.records` if it does not wait any more. */
export function endTried(delivery_id: string): Query[] {
  return [failUnlessWaiting.with({ delivery_id }), deleteWaiting.with({ delivery_id })]
}

/** Gives what waits of one webhook to its successor. */
export const moveWaiting = prepared(() =>
  qb
    .update(waitingDeliveries)
    .set({ api_key_id: sql`${sql.placeholder('to')}` })
    .where(sql`api_key_id = ${sql.placeholder('from')}`),
)

/** Ends what meets the condition without applying it. The audit rows say how it has ended. */
export function endAs(outcome: 'superseded' | 'dismissed', condition: SQL) {
  return qb
    .insert(waitingDeliveriesEnds)
    .select(sql`select seq, log_seq, ${outcome} from waiting_deliveries where ${condition}`)
}

const noteError = prepared(() =>
  qb
    .update(auditLog)
    .set(given('error_code', 'message', 'details', 'error_fields'))
    .where(sql`audit_log.seq = ${WRITTEN_IN}`),
)

/** Says in the audit row of a delivery why it waits. */
export function whyWaiting(error_code: string, explanation: Explanation): Query {
  const details = explanation.details && JSON.stringify(explanation.details)
  return noteError.with({ error_code, ...explanation, details })
}

const IS_LIVE = sql`exists (select 1 from api_keys where api_keys.id = waiting_deliveries.api_key_id
  and api_keys.revoked_at is null and (api_keys.expires_at is null or api_keys.expires_at > ${sql.placeholder('now')}))`

/**
 * The oldest first; of stock the newest first: what waited sets only quantities of pairs that have none.
 */
export const IN_TURN = sql`resource = 'inventory', iif(resource = 'inventory', -seq, seq)`

/** What is to be tried at `now`. A webhook that has ended applies nothing by itself any more. */
export const selectDue = prepared(() =>
  qb
    .select({ delivery_id: waitingDeliveries.delivery_id })
    .from(waitingDeliveries)
    .where(
      sql`seq in (select seq from waiting_deliveries where is_due = 1
        union select seq from waiting_deliveries where due_at <= ${sql.placeholder('now')}) and ${IS_LIVE}`,
    )
    .orderBy(IN_TURN)
    .limit(sql.placeholder('limit')),
)

/** The delivery, to be tried again. */
export const selectToRetry = prepared(() =>
  qb
    .select({
      webhook_id: sql<string>`api_key_id`.as('webhook_id'),
      delivery_id: waitingDeliveries.delivery_id,
      position: waitingDeliveries.position,
      sender_event: waitingDeliveries.sender_event,
      sender_id: waitingDeliveries.sender_id,
      sent_with: waitingDeliveries.sent_with,
      created_at: waitingDeliveries.created_at,
      tries: waitingDeliveries.tries,
      content_type: waitingDeliveries.content_type,
      body: waitingDeliveries.body,
    })
    .from(waitingDeliveries)
    .where(eq(waitingDeliveries.delivery_id, sql.placeholder('delivery_id'))),
)

const EXPIRED = sql`ends_at <= ${sql.placeholder('now')}
  and seq in (select seq from waiting_deliveries where ends_at <= ${sql.placeholder('now')} order by ends_at limit 50)`

/** Ends those that have waited for too long by `now`, at most 50. */
export const endExpired = prepared(() => endAs('dismissed', EXPIRED))

const { seq } = waitingDeliveries

/** Something that waits for what may come without a person, and something that waits at all. */
export const selectHopeful = [
  prepared(() => qb.select({ seq }).from(waitingDeliveries).where(sql`needs <> 'person'`).limit(1)),
  prepared(() => qb.select({ seq }).from(waitingDeliveries).limit(1)),
] as const

/** How many records wait, since when, and how much of what may wait that is (migrations/0004). */
export const selectWaiting = prepared(() =>
  qb
    .select({
      records: sql<number>`coalesce(max(records) filter (where subject = 'all'), 0)`.as('records'),
      since: sql<
        string | null
      >`(select created_at from waiting_deliveries order by seq limit 1)`.as('since'),
      share: sql<number>`coalesce(max(max(
        records / iif(subject = 'all', 10000.0, 5000.0),
        bytes / iif(subject = 'all', 100000000.0, 50000000.0))), 0)`.as('share'),
    })
    .from(waitingTotals),
)
