import { eq, type SQL, sql } from 'drizzle-orm'
import { WRITTEN_IN } from '../../engine/db/audit-row.ts'
import { literal, type Query, qb } from '../../engine/db/prepared.ts'
import {
  auditLog,
  inventory,
  inventoryUploadSlices,
  replacedValues,
} from '../../engine/db/tables.ts'
import { REMEMBERS } from '../../engine/db/undo-days.ts'
import {
  CREATED_MAX,
  CREATED_POSITION,
  FOUND_POSITION,
  UNREMEMBERED_CREATED_POSITION,
  UNREMEMBERED_POSITION,
} from '../replaced-stock.ts'
import { NUMBER_SHIFT, QUANTITY_MASK, type UploadedPairs } from './pairs.ts'
import type { CodeSlices } from './reported-codes.ts'

/** The request that uploads. */
export interface Uploading {
  request_id: string
  created_at: string
}

/** Pairs with a row that failed for its condition; more need not be known to list 1,000 rows. */
export const FOUND_MAX = 1000

const quantityIn = (asked: SQL) => sql`(${asked} & ${literal(QUANTITY_MASK)})`
const codesExist = (location: SQL, sku: SQL) => sql`(
  exists (select 1 from locations where code = ${location})
  and exists (select 1 from products where sku = ${sku}))`

const withRecord = (slice: string) => sql`
  json_each(${slice}) as place cross join json_each(place.value) as row
  left join inventory on inventory.location_code = place.key and inventory.sku_code = row.key`
const KEYS = sql`place.key as location_code, row.key as sku_code`

/**
 * The pairs of a slice (pairs.ts). `stored` is the quantity that is there, `quantity` the one that is to be there;
 * `failed` counts the rows whose condition does not hold, of which `first_failed` is the first. A pair is looked up
 * once, and its codes only if it has no record.
 */
export function pairsIn(slice: string, { isPlain }: UploadedPairs): SQL {
  if (isPlain) {
    return sql`(
      select ${KEYS}, inventory.seq, inventory.quantity as stored, row.value >> ${literal(NUMBER_SHIFT)} as number,
        ${quantityIn(sql`row.value`)} as quantity, row.value as asked, 1 as rows, 0 as failed,
        null as first_failed, inventory.seq is not null or ${codesExist(sql`place.key`, sql`row.key`)} as has_codes
      from ${withRecord(slice)}
    ) as pair`
  }
  // The LIMIT keeps SQLite from repeating the look-ups.
  return sql`(
    select location_code, sku_code, seq, stored, number, rows, has_codes, quantity,
      (number << ${literal(NUMBER_SHIFT)}) | quantity as asked, failed, first_failed
    from (
      select *, iif(outcome is null, plain, coalesce(outcome ->> 0, stored)) as quantity,
        coalesce(outcome ->> 1, 0) as failed, outcome ->> 2 as first_failed
      from (
        select ${KEYS}, inventory.seq, inventory.quantity as stored, row.value ->> 0 as number,
          row.value ->> 1 as plain, row.value ->> 2 as rows,
          inventory.seq is not null or ${codesExist(sql`place.key`, sql`row.key`)} as has_codes,
          iif(json_type(row.value, '$[1]') = 'object', coalesce(
            row.value -> 1 -> ('q' || coalesce(inventory.quantity, 'none')),
            row.value -> 1 -> 'else'), null) as outcome
        from ${withRecord(slice)}
        limit -1
      )
    )
  ) as pair`
}

/** Whether a pair is not as it is to be, or must be counted. */
export function differs({ hasConditions }: UploadedPairs): SQL {
  return hasConditions
    ? sql`(quantity is not stored or failed > 0 or not has_codes)`
    : sql`quantity is not stored`
}

/** The statements between those of the audit row. `malformed` counts the rows that failed before; `more` come last. */
export function uploadStatements(
  request: Uploading,
  pairs: UploadedPairs,
  codes: CodeSlices,
  malformed: number,
  more: Query[] = [],
) {
  const { request_id } = inventoryUploadSlices
  return [
    ...pairs.slices.map((slice, position) => findDifferences(request, pairs, slice, position)),
    changeRecords(request),
    createRecords(request, pairs, codes),
    rememberReplaced(request),
    ...(pairs.hasConditions ? [rememberFound(request)] : []),
    countRows(request, malformed),
    ...more,
    qb.delete(inventoryUploadSlices).where(eq(request_id, request.request_id)),
  ]
}

/** Adds a row for a slice that differs. */
function findDifferences(
  { request_id }: Uploading,
  pairs: UploadedPairs,
  slice: string,
  position: number,
) {
  const failed = sql`coalesce(sum(failed) filter (where has_codes), 0)`
  const found = sql`json_group_array(json_array(number, stored, first_failed))
    filter (where failed > 0 and has_codes)`
  const isMissing = pairs.hasConditions
    ? sql`seq is null and (quantity is not null or not has_codes)`
    : sql`seq is null`
  return qb.insert(inventoryUploadSlices).select(
    sql`select ${request_id}, ${literal(position)}, (select coalesce(max(seq), 0) from inventory),
        json_group_array(json_array(location_code, sku_code, asked, rows)) filter (where ${isMissing}),
        json_group_array(json_array(seq, stored, quantity))
          filter (where seq is not null and quantity is not stored),
        ${pairs.hasConditions ? failed : sql`0`}, ${pairs.hasConditions ? found : sql`'[]'`}
      from ${pairsIn(slice, pairs)}
      where ${differs(pairs)}
      having count(*) > 0`,
  )
}

/**
 * All of these records are there, so that none is inserted, and the empty codes are never stored. UPDATE FROM would
 * first write all new rows into a table of its own, and take a fifth longer.
 */
function changeRecords({ request_id, created_at }: Uploading) {
  return qb
    .insert(inventory)
    .select(
      sql`select row.value ->> 0, '', '', row.value ->> 2, ${WRITTEN_IN}, ${request_id}, ${created_at}
        from inventory_upload_slices as slice cross join json_each(slice.changed) as row
        where slice.request_id = ${request_id}`,
    )
    .onConflictDoUpdate({
      target: inventory.seq,
      set: {
        quantity: sql`excluded.quantity`,
        changed_in: sql`excluded.changed_in`,
        changed_by: sql`excluded.changed_by`,
        changed_at: sql`excluded.changed_at`,
      },
    })
}

/**
 * The records of one upload are created without a gap: in order of their numbers if there is one slice, else slice by
 * slice, by location. Sorting many records and writing their index entries out of order would take half as long again.
 */
function createRecords(
  { request_id, created_at }: Uploading,
  { slices }: UploadedPairs,
  codes: CodeSlices,
) {
  const [location, sku] = [sql`row.value ->> 0`, sql`row.value ->> 1`]
  return qb.insert(inventory).select(
    sql`select null, ${location}, ${sku}, ${quantityIn(sql`(row.value ->> 2)`)}, ${WRITTEN_IN},
        ${request_id}, ${created_at}
      from inventory_upload_slices as slice cross join json_each(slice.rows) as row
      where slice.request_id = ${request_id} and (${allAreKnown(codes)} or ${codesExist(location, sku)})
      ${slices.length === 1 ? sql`order by row.value ->> 2` : sql``}`,
  )
}

/** Looks each distinct code up, once, and only when a pair has no record: most uploads have none such. */
function allAreKnown({ locations, skus }: CodeSlices): SQL {
  const areKnown = (slices: string[], record: SQL) =>
    slices.map(
      (slice) => sql`not exists (select 1 from json_each(${slice}) where not exists
        (select 1 from ${record} = value))`,
    )
  const known = [
    ...areKnown(locations, sql`locations where code`),
    ...areKnown(skus, sql`products where sku`),
  ]
  return known.length === 0 ? sql`true` : sql.join(known, sql` and `)
}

const isCreated = (request_id: string) =>
  sql`seq > (select min(newest_seq) from inventory_upload_slices where request_id = ${request_id})`

/** As replaced-stock.ts says. */
function rememberReplaced({ request_id }: Uploading) {
  const first = sql`first + part * ${literal(CREATED_MAX)}`
  const ofPart = sql`seq between ${first} and ${first} + ${literal(CREATED_MAX - 1)}`
  return qb.insert(replacedValues).select(
    sql`with recursive
        asked (remembers) as materialized (select ${REMEMBERS}),
        created (first, last) as (select min(seq), max(seq) from inventory where ${isCreated(request_id)}),
        parts (part, first, last) as (
          select 0, first, last from created where first is not null
          union all
          select part + 1, first, last from parts where first + (part + 1) * ${literal(CREATED_MAX)} <= last)
      select ${WRITTEN_IN}, iif(remembers, position, unremembered), 'inventory', replaced from (
        select position, ${literal(UNREMEMBERED_POSITION)} + position as unremembered, remembers,
          '{"changed":' || iif(remembers, changed, ${WITHOUT_QUANTITIES}) || '}' as replaced
        from inventory_upload_slices cross join asked
        where request_id = ${request_id} and changed <> '[]'
        union all
        select ${literal(CREATED_POSITION)} + part, ${literal(UNREMEMBERED_CREATED_POSITION)} + part, remembers, iif(remembers,
          (select json_object('created', json_object(
            'first', min(seq), 'last', max(seq), 'quantities', json_group_array(quantity)))
            from inventory where ${ofPart}),
          json_object('created', json_object('first', ${first}, 'last', min(last, ${first} + ${literal(CREATED_MAX - 1)}))))
        from parts cross join asked
      )`,
  )
}

const WITHOUT_QUANTITIES = sql`(
  select json_group_array(json_array(value ->> 0, null, null)) from json_each(changed))`

function rememberFound({ request_id }: Uploading) {
  return qb.insert(replacedValues).select(
    sql`select ${WRITTEN_IN}, ${literal(FOUND_POSITION)}, 'inventory',
        json_object('found', json_group_array(json_array(number, stored)))
      from (
        select row.value ->> 0 as number, row.value ->> 1 as stored
        from inventory_upload_slices as slice cross join json_each(slice.found) as row
        where slice.request_id = ${request_id}
        order by row.value ->> 2 limit ${literal(FOUND_MAX)}
      )
      having count(*) > 0`,
  )
}

/** Goes through the pairs that were not created only if there are any: their codes are unknown. */
function countRows({ request_id }: Uploading, malformed: number) {
  const ofSlices = sql`from inventory_upload_slices as slice`
  const ofRequest = sql`where slice.request_id = ${request_id}`
  const counted = sql`(
    select (select count(*) from inventory where ${isCreated(request_id)}) as created,
      sum(json_array_length(slice.rows)) as missing, coalesce(sum(slice.failed), 0) as failed
    ${ofSlices} ${ofRequest}) as counted`
  const unknown = sql`(
    select sum(row.value ->> 3) ${ofSlices} cross join json_each(slice.rows) as row
    ${ofRequest} and not ${codesExist(sql`row.value ->> 0`, sql`row.value ->> 1`)})`
  return qb
    .update(auditLog)
    .set({
      rows_created: sql`counted.created`,
      rows_failed: sql`${literal(malformed)} + counted.failed
        + iif(counted.missing > counted.created, ${unknown}, 0)`,
    })
    .from(counted)
    .where(sql`audit_log.seq = ${WRITTEN_IN}`)
}
