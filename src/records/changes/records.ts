import { sql } from 'drizzle-orm'
import { prepared, type Queries, qb } from '../../engine/db/prepared.ts'
import { orderItems } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { isAmong } from '../../engine/db/wide-rows.ts'
import { byName } from '../../engine/json/by-name.ts'
import { ITEM_COLUMNS, type ItemRow, RECORD_COLUMNS, shownItem } from '../columns.ts'
import { type FeedPlace, type FeedResource, resourceAt } from './cursor.ts'
import { type FeedRow, feedColumns, TABLES } from './statements.ts'

/** A record at its last change. */
export interface Change {
  resource: FeedResource
  request_id: string | null
  changed_at: string | null
  record: object
}

type RecordPlace = Pick<FeedPlace, 'place' | 'seq'>
type Whole = RecordPlace & { record: { id?: string } }
type Line = { order_id: string; line: ItemRow }

/** Resources whose records may be wide: stock is not. */
const WIDE = ['products', 'locations', 'orders'] as const
const LINE_COLUMNS = Object.entries(ITEM_COLUMNS)

const place = sql<number>`changed_place`.as('place')
const selectWhole = byName(WIDE, (name) => {
  const table = TABLES[name]
  const columns = { seq: table.seq, place, record: RECORD_COLUMNS[name] }
  return prepared(() => qb.select(columns).from(table).where(isAmong(table.seq)))
})
const selectLines = prepared(() =>
  qb
    .select({ order_id: orderItems.order_id, line: ITEM_COLUMNS })
    .from(orderItems)
    .where(
      sql`order_id in (select orders.id from orders
        where orders.seq in (select value from json_each(${sql.placeholder('seqs')})))`,
    )
    .orderBy(orderItems.order_id, orderItems.position),
)

/**
 * The changes of a page. Reads wide records now, once there is memory for them. One that has changed again since the
 * page was read is left out: it has moved to the end of the feed.
 */
export async function changedRecords(db: TenantDatabase, rows: FeedRow[]): Promise<Change[]> {
  const wide = await readWide(db, rows)
  return rows.flatMap((row) => {
    const { request_id, changed_at, wide_bytes } = row
    const record = wide_bytes === null ? recordOf(row) : wide.get(nameOf(row))
    return record ? { resource: resourceOf(row), request_id, changed_at, record } : []
  })
}

/** By nameOf. */
async function readWide(db: TenantDatabase, rows: FeedRow[]): Promise<Map<string, object>> {
  const wide = rows.filter(({ wide_bytes }) => wide_bytes !== null)
  const bytes = wide.reduce((sum, row) => sum + (row.wide_bytes ?? 0), 0)
  const queries = WIDE.flatMap((name) => {
    const seqs = wide.filter((row) => resourceOf(row) === name).map(({ seq }) => seq)
    const own = { seqs: JSON.stringify(seqs) }
    if (seqs.length === 0) return []
    return [selectWhole[name].with(own), ...(name === 'orders' ? [selectLines.with(own)] : [])]
  })
  if (queries.length === 0) return new Map()
  const results: unknown[][] = [...(await db.readLarge(bytes, queries as never as Queries))]
  const read = results.flat() as (Whole | Line)[]
  const lines = Map.groupBy(read.filter(isLine), ({ order_id }) => order_id)
  const whole = read.filter((row): row is Whole => !isLine(row))
  return new Map(whole.map((row) => [nameOf(row), withLines(row, lines)]))
}

function isLine(row: Whole | Line): row is Line {
  return 'line' in row
}

function withLines(row: Whole, lines: Map<string, Line[]>): object {
  const { record } = row
  if (resourceOf(row) !== 'orders') return record
  const items = (lines.get(record.id ?? '') ?? []).map(({ line }) => shownItem(line))
  return { ...record, items }
}

function nameOf({ place, seq }: RecordPlace): string {
  return `${place} ${seq}`
}

function resourceOf(row: RecordPlace): FeedResource {
  const resource = resourceAt(row)
  if (!resource) throw new Error(`No resource has the place ${row.place}.`)
  return resource
}

function recordOf(row: FeedRow): object {
  const members = feedColumns(resourceOf(row)).map((column, at) => {
    const value = row[`c${at}`] ?? null
    return [column.name, value === null ? null : column.mapFromDriverValue(value)]
  })
  const record = Object.fromEntries(members)
  return row.lines === null ? record : { ...record, items: itemsIn(row.lines) }
}

function itemsIn(lines: string) {
  const values: unknown[][] = JSON.parse(lines)
  return values.map((line) => {
    const members = LINE_COLUMNS.map(([name], at) => [name, line[at]])
    return shownItem(Object.fromEntries(members) as ItemRow)
  })
}
