import { and, desc, eq, gt, gte, inArray, lt, ne, not, or, type SQL, sql } from 'drizzle-orm'
import { picked } from '../../engine/db/columns.ts'
import { isRequest } from '../../engine/db/log-look-ups.ts'
import { qb } from '../../engine/db/prepared.ts'
import { SETTINGS_KINDS, settingsHistory } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { noRecord } from '../../engine/errors.ts'
import type { JsonObject } from '../../engine/json/json-object.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import { refuseReversed } from '../../engine/json/range.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import type { Seen, SettingsHistoryQuery } from './schema.ts'

// Triggers write the entries (migrations/0002).

/** How many entries a page compares with its filters, at most. */
const COMPARED_MAX = 1000
/** How many changes a conflict tells, at most. */
const SINCE_MAX = 20

const { seq, record_id, resource, version } = settingsHistory

const listed = {
  id: sql<number>`seq`.as('id'),
  ...picked(settingsHistory, ['seq', 'kind', 'record_id', 'resource', 'name', 'action', 'fields']),
  ...picked(settingsHistory, ['created_at', 'request_id', 'api_key_id', 'api_key_name', 'source']),
}

type HistoryFilters = Omit<SettingsHistoryQuery, 'limit' | 'cursor' | 'kind'>

/**
 * Changes of settings that the caller sees, newest first; one more than the limit if there are more. `end` is where the list
 * stopped if it has compared 1,000 entries; null if it has all of the page.
 */
export async function listSettingsChanges(
  db: TenantDatabase,
  { seen, ...filters }: HistoryFilters & { seen: Seen },
  { limit, before = Number.MAX_SAFE_INTEGER }: PageRequest,
) {
  refuseReversed({ from: filters.from, to: filters.to }, ['from', 'to'])
  const along = and(
    lt(seq, before),
    filters.record_id === undefined ? undefined : eq(record_id, filters.record_id),
  )
  const page = (match: SQL | undefined) =>
    qb
      .select(listed)
      .from(settingsHistory)
      .where(match)
      .orderBy(desc(seq))
      .limit(limit + 1)
  const narrowed = matching(seen, filters)
  if (!narrowed) {
    const [rows] = await db.read([page(along)])
    return { rows: rows.map(asNamed), end: null }
  }
  const compared = () => qb.select({ seq }).from(settingsHistory).where(along).orderBy(desc(seq))
  const [rows, [last]] = await db.read([
    page(and(inArray(seq, compared().limit(COMPARED_MAX)), narrowed)),
    compared()
      .limit(1)
      .offset(COMPARED_MAX - 1),
  ])
  return { rows: rows.map(asNamed), end: rows.length > limit ? null : (last ?? null) }
}

/** What the entries are compared with one by one; undefined if all of them are meant. */
function matching(
  seen: Seen,
  { resource: of, api_key_id, from, to }: HistoryFilters,
): SQL | undefined {
  const { created_at } = settingsHistory
  return and(
    isSeen(seen),
    of === undefined ? undefined : eq(resource, of),
    api_key_id === undefined ? undefined : eq(settingsHistory.api_key_id, api_key_id),
    from === undefined ? undefined : gte(created_at, from),
    to === undefined ? undefined : lt(created_at, to),
  )
}

/** Only a person has an address, which never changes. Undefined if the caller sees everything. */
function isSeen({ kinds, people, keys }: Seen): SQL | undefined {
  const { kind, before, after } = settingsHistory
  const isPerson = sql`coalesce(${after} ->> 'email', ${before} ->> 'email') is not null`
  const isOther = ne(kind, 'api_key')
  return and(
    kinds.length === SETTINGS_KINDS.length ? undefined : inArray(kind, kinds),
    people ? undefined : or(isOther, not(isPerson)),
    keys ? undefined : or(isOther, isPerson),
  )
}

/** One change with the record before and after it. 404 NOT_FOUND if the caller sees none. */
export async function findSettingsChange(db: TenantDatabase, id: number, seen: Seen) {
  const { before, after } = settingsHistory
  const [[row]] = await db.read([
    qb
      .select({ ...listed, before, after })
      .from(settingsHistory)
      .where(and(eq(seq, id), isSeen(seen))),
  ])
  if (!row) throw noRecord(`No change of settings has the id ${id}.`)
  const { seq: _, ...change } = asNamed(row)
  return { ...change, before: stateOf(row, row.before), after: stateOf(row, row.after) }
}

/**
 * What a request has changed, newest first, among the newest 1,000 changes of each record. `ids` are of the records that
 * its path names; its audit row names one more, while the database has it. If that one is a partner, the request may have
 * made a webhook of it as well.
 */
export async function changesByRequest(
  db: TenantDatabase,
  request_id: string,
  ids: string[],
  seen: Seen,
) {
  const logged = sql`(select record_id from audit_log where ${isRequest(request_id)})`
  const isMeant = and(eq(settingsHistory.request_id, request_id), isSeen(seen))
  const among = (id: string | SQL) => qb.select(listed).from(newestOf(id)).where(isMeant)
  const webhook = sql`(select id from api_keys where webhook is not null and partner_id = ${logged}
    and created_at >= (select created_at from audit_log where ${isRequest(request_id)}) order by seq limit 1)`
  const found = await db.read([among(logged), among(webhook), ...ids.map(among)])
  const byId = new Map(found.flat().map((change) => [change.id, asNamed(change)]))
  return [...byId.values()].toSorted((one, other) => other.id - one.id)
}

/** What the API calls columns that only webhooks or people have. */
const NAMES: Record<string, string> = {
  webhook: 'rules',
  webhook_secrets: 'secrets',
  email: 'email',
}

type Entry = Pick<typeof settingsHistory.$inferSelect, 'kind' | 'fields'>

function asNamed<Row extends Entry>(row: Row): Row {
  if (row.kind !== 'api_key') return row
  return { ...row, fields: row.fields.map((name) => NAMES[name] ?? name) }
}

function stateOf({ kind }: Entry, state: JsonObject | null): JsonObject | null {
  if (kind !== 'api_key' || state === null) return state
  const members = Object.entries(state).filter(([name, value]) => value !== null || !NAMES[name])
  return Object.fromEntries(members.map(([name, value]) => [NAMES[name] ?? name, value]))
}

/** The newest 1,000 changes of a record, and of a partner with those of its mappings. */
function newestOf(id: string | SQL) {
  return qb
    .select()
    .from(settingsHistory)
    .where(eq(record_id, id))
    .orderBy(desc(seq))
    .limit(COMPARED_MAX)
    .as('settings_history')
}

/** The record whose changes are meant, and for a mapping of which resource. */
export interface SettingsRecord {
  record_id: string
  resource?: Resource
}

/**
 * The changes of the record since it was at this version, oldest first, at most 20, and the record before them; among the
 * newest 1,000.
 */
export async function changesSince(
  db: TenantDatabase,
  { record_id: id, resource: of }: SettingsRecord,
  since: number,
) {
  const isOf = and(
    of === undefined ? sql`${resource} is null` : eq(resource, of),
    gt(version, since),
  )
  const [rows, [first]] = await db.read([
    qb.select(listed).from(newestOf(id)).where(isOf).orderBy(seq).limit(SINCE_MAX),
    qb
      .select({ before: settingsHistory.before })
      .from(newestOf(id))
      .where(isOf)
      .orderBy(seq)
      .limit(1),
  ])
  return { changes: rows.map(asNamed), before: first?.before ?? null }
}
