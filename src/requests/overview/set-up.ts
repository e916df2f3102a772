import { type SQL, sql } from 'drizzle-orm'
import { prepared, qb } from '../../engine/db/prepared.ts'

/** Of the workspace so many of the newest changes are looked through. */
const CHANGES_MAX = 20

const has = (table: string) => sql.raw(`exists (select 1 from ${table} where seq > 0)`)

/** Up to two of those that end so. The tenant's first key is one of them. */
const liveKeys = (ends: SQL) => sql`(select count(*) from (
  select 1 from api_keys where revoked_at is null and expires_at ${ends} limit 2))`

const steps = sql`json_array(
  ${liveKeys(sql`is null`)} + ${liveKeys(sql`> ${sql.placeholder('now')}`)} >= 2,
  ${has('locations')},
  ${has('products')},
  keep_documents is not null or exists (
    select 1 from (
      select fields from settings_history where record_id = tenant
      order by seq desc limit ${sql.raw(String(CHANGES_MAX))}) as change, json_each(change.fields) as field
    where field.value in ('keep_documents', 'audit_retention_days')))`

/** Nothing of a tenant that has orders or stock. */
export const selectSetUp = prepared(() =>
  qb
    .select({ steps: sql<string>`${steps}`.as('steps') })
    .from(sql`workspace`)
    .where(sql`id = 1 and not ${has('orders')} and not ${has('inventory')}`),
)

/** What has been done of what a tenant begins with. */
export interface SetUp {
  isConnected: boolean
  hasLocations: boolean
  hasProducts: boolean
  isKeepingDecided: boolean
}

/** Null for a tenant that has begun. */
export function setUpIn([row]: { steps: string }[]): SetUp | null {
  if (!row) return null
  const [connected, locations, products, keeping]: number[] = JSON.parse(row.steps)
  return {
    isConnected: Boolean(connected),
    hasLocations: Boolean(locations),
    hasProducts: Boolean(products),
    isKeepingDecided: Boolean(keeping),
  }
}
