import { asc, desc, eq, sql } from 'drizzle-orm'
import { waitingDeliveries, waitingTotals } from '../../engine/db/delivery-tables.ts'
import { prepared, qb } from '../../engine/db/prepared.ts'
import { apiKeys } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'

// What an administrator has to do about deliveries that wait, at a glance. At most 10,000 wait.

/** So many groups are shown. The others have fewer deliveries. */
export const GROUPS_MAX = 12

/** In the order of the index, so that nothing is sorted, and from the index alone. */
function countByNeed() {
  return qb
    .select({
      needs: waitingDeliveries.needs,
      needs_code: waitingDeliveries.needs_code,
      partner_id: waitingDeliveries.partner_id,
      resource: waitingDeliveries.resource,
      counted: sql<number>`count(*)`.as('counted'),
      lowest_seq: sql<number>`min(seq)`.as('lowest_seq'),
    })
    .from(waitingDeliveries)
    .groupBy(
      waitingDeliveries.needs,
      waitingDeliveries.needs_code,
      waitingDeliveries.partner_id,
      waitingDeliveries.resource,
    )
    .as('counts')
}

/**
 * Those with one remedy: of a product or location, of a mapping, of the switch or a pause of one partner. Reads an entry
 * of an index for each delivery that waits, and nothing of the deliveries.
 */
function groupByRemedy() {
  const counts = countByNeed()
  return qb
    .select({
      needs: counts.needs,
      needs_code: counts.needs_code,
      of_partner: sql<
        string | null
      >`iif(needs in ('settings', 'switch', 'product_code', 'location_code'), partner_id, null)`.as(
        'of_partner',
      ),
      of_resource: sql<Resource | null>`iif(needs = 'settings', resource, null)`.as('of_resource'),
      records: sql<number>`sum(counted)`.as('records'),
      first_seq: sql<number>`min(lowest_seq)`.as('first_seq'),
    })
    .from(counts)
    .groupBy(sql`1, 2, 3, 4`)
    .orderBy(sql`records desc, first_seq`)
    .limit(GROUPS_MAX)
    .as('found')
}

const selectGroups = prepared(() => {
  const groups = groupByRemedy()
  return qb
    .select({
      needs: groups.needs,
      needs_code: groups.needs_code,
      partner_id: groups.of_partner,
      resource: groups.of_resource,
      records: groups.records,
      delivery_id: waitingDeliveries.delivery_id,
      oldest_at: waitingDeliveries.created_at,
    })
    .from(groups)
    .innerJoin(waitingDeliveries, eq(waitingDeliveries.seq, groups.first_seq))
    .orderBy(desc(groups.records), asc(groups.first_seq))
})

const selectNextTry = prepared(() =>
  qb
    .select({ due_at: waitingDeliveries.due_at })
    .from(waitingDeliveries)
    .where(sql`due_at is not null and needs = 'time'`)
    .orderBy(sql`due_at`)
    .limit(1),
)

export type NeedGroup = (typeof selectGroups)['_']['result'][number]

/** What waits, by what it needs: the largest groups first, each with its oldest delivery. */
export async function groupDeliveries(db: TenantDatabase) {
  const [found, [next]] = await db.read([selectGroups, selectNextTry])
  return { groups: found, next_try: next?.due_at ?? null }
}

const selectOfPartner = prepared(() =>
  qb
    .select({ records: sql<number>`coalesce(sum(records), 0)` })
    .from(waitingTotals)
    .where(
      sql`subject in (select ${apiKeys.id} from ${apiKeys}
        where ${apiKeys.partner_id} = ${sql.placeholder('partner_id')} and ${apiKeys.webhook} is not null)`,
    ),
)

/** How many deliveries of the partner wait: a row for each of its webhooks. */
export async function countOfPartner(db: TenantDatabase, partner_id: string): Promise<number> {
  const [[row]] = await db.read([selectOfPartner.with({ partner_id })])
  return row?.records ?? 0
}

const selectOfRecord = prepared(() =>
  qb
    .select({
      records: sql<number>`count(*)`.as('records'),
      due: sql<number>`count(*) filter (where is_due)`.as('due'),
    })
    .from(waitingDeliveries)
    .where(sql`needs = ${sql.placeholder('needs')} and needs_code = ${sql.placeholder('code')}`),
)

/** How many deliveries wait for the product or location of this name, and how many of them can be applied by now. */
export async function countForRecord(
  db: TenantDatabase,
  needs: 'product' | 'location',
  code: string,
): Promise<{ records: number; due: number }> {
  const [[row]] = await db.read([selectOfRecord.with({ needs, code })])
  return row ?? { records: 0, due: 0 }
}
