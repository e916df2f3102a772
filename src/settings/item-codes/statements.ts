import { and, eq, gt, gte, lt, type SQL, sql } from 'drizzle-orm'
import { WRITTEN_IN } from '../../engine/db/audit-row.ts'
import { waitingDeliveries } from '../../engine/db/delivery-tables.ts'
import { itemCodes, itemCodeTables } from '../../engine/db/item-code-tables.ts'
import { literal, type Query, qb } from '../../engine/db/prepared.ts'
import { partners, settingsHistory } from '../../engine/db/tables.ts'
import { endOfPrefix } from '../../engine/json/search/prefix.ts'
import type { CodeKind } from '../../engine/mapping/item-code.ts'

/** The codes of one kind of a partner. */
export interface CodeTable {
  partnerId: string
  kind: CodeKind
}

const { partner_id, kind: ofKind, code, record_name, units } = itemCodes
const shown = { code, record_name, units }

/** SQL for the id of the partner; null if there is none. */
export function livePartner({ partnerId }: CodeTable): SQL<string> {
  return sql`(select id from partners where id = ${partnerId} and deleted_at is null)`
}

export function selectPartner({ partnerId }: CodeTable) {
  return qb
    .select({ id: partners.id })
    .from(partners)
    .where(sql`id = ${partnerId} and deleted_at is null`)
}

function isIn({ partnerId, kind }: CodeTable): SQL | undefined {
  return and(eq(partner_id, partnerId), eq(ofKind, kind))
}

export function selectCode(table: CodeTable, one: string) {
  return qb
    .select(shown)
    .from(itemCodes)
    .where(and(isIn(table), eq(code, one)))
}

/** Codes in their order, after one, of those that begin with a text. */
export function selectCodes(
  table: CodeTable,
  {
    search,
    after,
    rows,
  }: { search?: string | undefined; after?: string | undefined; rows: number },
) {
  const begins = search === undefined ? [] : [gte(code, search), lt(code, endOfPrefix(search))]
  const beyond = after === undefined ? undefined : gt(code, after)
  return qb
    .select(shown)
    .from(itemCodes)
    .where(and(isIn(table), ...begins, beyond))
    .orderBy(code)
    .limit(rows)
}

/** How many codes there are. */
export function selectCount({ partnerId, kind }: CodeTable) {
  return qb
    .select({ codes: itemCodeTables.codes })
    .from(itemCodeTables)
    .where(and(eq(itemCodeTables.partner_id, partnerId), eq(itemCodeTables.kind, kind)))
}

// A slice is a JSON array of [code, name of our record, units], each code once in all slices.
const given = (slice: string) => sql`json_each(${slice}) as given`
const stored = ({ partnerId, kind }: CodeTable) =>
  sql`item_codes as stored on stored.partner_id = ${partnerId} and stored.kind = ${kind}
    and stored.code = given.value ->> 0`
const DIFFERS = sql`(stored.record_name, stored.units) is not (given.value ->> 1, given.value ->> 2)`

/** SQL for how many codes of a slice are new, and how many mean something else by it. */
function countsIn(table: CodeTable, slice: string) {
  return sql`(select count(*) filter (where stored.code is null) as added,
      count(*) filter (where stored.code is not null and ${DIFFERS}) as changed
    from ${given(slice)} left join ${stored(table)}) as counted`
}

/** What `changesOf` would do. */
export function selectCounts(table: CodeTable, slice: string) {
  return qb
    .select({ created: sql<number>`added`, updated: sql<number>`changed` })
    .from(countsIn(table, slice))
}

/** SQL that is true if the partner has room for what is new in the slices. */
export function hasRoomForCodes(
  table: CodeTable,
  slices: string[],
  { kept, max }: { kept: string[] | null; max: number },
) {
  const added = slices.map((slice) => sql`(select added from ${countsIn(table, slice)})`)
  const removed =
    kept === null
      ? sql`0`
      : sql`(select count(*) from item_codes where ${isAmongRemoved(table, kept)})`
  const there = sql`coalesce((select codes from item_code_tables where partner_id = ${table.partnerId} and kind = ${table.kind}), 0)`
  return sql`(${sql.join([there, ...added], sql` + `)} - ${removed} <= ${literal(max)})`
}

function isAmongRemoved({ partnerId, kind }: CodeTable, kept: string[]): SQL {
  const others = kept.map((slice) => sql` and code not in (select value from json_each(${slice}))`)
  return sql`partner_id = ${partnerId} and kind = ${kind}${sql.join(others)}`
}

/** How many codes are beside those that are kept: slices of JSON arrays of codes. */
export function selectRemoved(table: CodeTable, kept: string[]) {
  return qb
    .select({ removed: sql<number>`count(*)` })
    .from(itemCodes)
    .where(isAmongRemoved(table, kept))
}

const ofTable = ({ partnerId, kind }: CodeTable) =>
  sql`partner_id = ${partnerId} and kind = ${kind}`

/** Begins a change: nothing is counted yet. */
function begin({ partnerId, kind }: CodeTable): Query {
  const none = { created: 0, updated: 0, removed: 0 }
  return qb
    .insert(itemCodeTables)
    .values({ partner_id: partnerId, kind, ...none })
    .onConflictDoUpdate({ target: [itemCodeTables.partner_id, itemCodeTables.kind], set: none })
}

/** Ends it. The batch fails by `item_codes_have_room` if there are more codes than a partner may have. */
function end(table: CodeTable): Query {
  return qb
    .update(itemCodeTables)
    .set({
      codes: sql`codes + created - removed`,
      version: sql`version + (created + updated + removed > 0)`,
    })
    .where(ofTable(table))
}

function count(table: CodeTable, slice: string): Query {
  return qb
    .update(itemCodeTables)
    .set({ created: sql`created + counted.added`, updated: sql`updated + counted.changed` })
    .from(countsIn(table, slice))
    .where(ofTable(table))
}

/** `WHERE true` tells SQLite where the SELECT ends. */
function put({ partnerId, kind }: CodeTable, slice: string): Query {
  return qb
    .insert(itemCodes)
    .select(
      sql`select ${partnerId}, ${kind}, given.value ->> 0, given.value ->> 1, given.value ->> 2
        from ${given(slice)} where true`,
    )
    .onConflictDoUpdate({
      target: [partner_id, ofKind, code],
      set: { record_name: sql`excluded.record_name`, units: sql`excluded.units` },
      setWhere: sql`(item_codes.record_name, item_codes.units) is not (excluded.record_name, excluded.units)`,
    })
}

/** What a write of many codes does. With `kept`, it removes all codes that are not among these. */
export function putMany(table: CodeTable, slices: string[], kept: string[] | null): Query[] {
  return [
    begin(table),
    ...(kept === null ? [] : removeOthers(table, kept)),
    ...slices.flatMap((slice) => [
      count(table, slice),
      freeRenamed(table, slice),
      put(table, slice),
    ]),
    end(table),
    freeRefused(table),
    rememberCounts(table),
  ]
}

function removeOthers(table: CodeTable, kept: string[]): Query[] {
  const isRemoved = isAmongRemoved(table, kept)
  return [
    qb
      .update(itemCodeTables)
      .set({ removed: sql`(select count(*) from item_codes where ${isRemoved})` })
      .where(ofTable(table)),
    qb.delete(itemCodes).where(isRemoved),
  ]
}

export function putOne(table: CodeTable, one: string, slice: string): Query[] {
  return [
    begin(table),
    count(table, slice),
    rememberOne(table, one, slice),
    freeRenamed(table, slice),
    put(table, slice),
    end(table),
    freeRefused(table),
  ]
}

export function deleteOne(table: CodeTable, one: string): Query[] {
  return [
    begin(table),
    qb.update(itemCodeTables).set({ removed: 1 }).where(ofTable(table)),
    rememberOne(table, one, null),
    qb.delete(itemCodes).where(and(isIn(table), eq(code, one))),
    end(table),
  ]
}

// Triggers mark what waits for a code that is new or means something else (migrations/0005). These two look at what waits
// once for all codes of a slice, because thousands of codes may have named one record.

/** Marks what waits for a record that codes have stood for so far. CROSS JOIN looks up each code of the slice, once. */
function freeRenamed(table: CodeTable, slice: string): Query {
  const needs = table.kind === 'products' ? 'product' : 'location'
  return qb
    .update(waitingDeliveries)
    .set({ is_due: true })
    .where(
      sql`needs = ${needs} and partner_id = ${table.partnerId} and needs_code in (
        select stored.record_name from ${given(slice)} cross join ${stored(table)}
        where stored.record_name <> given.value ->> 1)`,
    )
}

/** Marks what was refused, if units have changed: a quantity may have been too large. */
function freeRefused(table: CodeTable): Query {
  return qb
    .update(waitingDeliveries)
    .set({ is_due: true })
    .where(
      sql`needs = 'settings' and partner_id = ${table.partnerId} and resource in ('orders', 'inventory')
        and exists (select 1 from item_code_tables where ${ofTable(table)} and updated > 0)`,
    )
}

// The history has the codes of a partner as a member of the partner: one entry for each request, with the version that
// the partner has already, because nothing else of it changes.
function remember(table: CodeTable, before: SQL, after: SQL): Query {
  const member = `item_codes.${table.kind}`
  return qb.insert(settingsHistory).select(
    sql`select null, 'partner', partners.id, null, partners.name, partners.version, 'changed', json_array(${member}),
        own.created_at, own.request_id, own.api_key_id, own.api_key_name,
        iif(own.path like '/dashboard/%', 'dashboard', 'api'),
        json_object(${member}, ${before}), json_object(${member}, ${after})
      from item_code_tables as changed, partners, audit_log as own
      where changed.partner_id = ${table.partnerId} and changed.kind = ${table.kind}
        and created + updated + removed > 0
        and partners.id = ${table.partnerId} and own.seq = ${WRITTEN_IN}`,
  )
}

const rememberCounts = (table: CodeTable) =>
  remember(
    table,
    sql`json_object('codes', codes - created + removed)`,
    sql`json_object('codes', codes, 'created', created, 'updated', updated, 'removed', removed)`,
  )

const ONE = sql`json_object('code', code, 'name', record_name, 'units', units)`

/** Before the code is changed. */
function rememberOne(table: CodeTable, one: string, slice: string | null): Query {
  const before = sql`(select ${ONE} from item_codes where ${ofTable(table)} and code = ${one})`
  const after =
    slice === null
      ? sql`null`
      : sql`(select json_object('code', value ->> 0, 'name', value ->> 1, 'units', value ->> 2)
          from json_each(${slice}))`
  return remember(table, sql`json(${before})`, sql`json(${after})`)
}

/** What the request itself has done; no row if it has changed nothing. */
export function selectDone({ partnerId }: CodeTable, request_id: string) {
  const { record_id, after } = settingsHistory
  return qb
    .select({ after })
    .from(settingsHistory)
    .where(and(eq(record_id, partnerId), eq(settingsHistory.request_id, request_id)))
    .limit(1)
}
