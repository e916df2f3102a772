import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { LIMIT_DEFAULT, LIMIT_MAX, type PageRequest, pageValues } from '../json/pagination.ts'
import type { Prepared } from './prepared.ts'
import type { TenantDatabase } from './transact.ts'

/**
 * The most bytes that a request reads before it knows the size of the result, for a page of the default
 * limit. engine/exchange/memory.ts relies on it.
 */
export const READ_BYTES_MAX = 256 * 1024
/** The most bytes to read at a time for an answer that is sent while it is read. */
export const BATCH_BYTES_MAX = 1024 * 1024

/** The most bytes that the texts of a row may have in a list. Wider rows come without them. */
export const ROW_BYTES_MAX = Math.floor(READ_BYTES_MAX / LIMIT_DEFAULT)

/** The most bytes that the texts of a row may have in a list that reads so many rows at a time. */
export function rowBytesMax(rows: number): number {
  // The other half is for the columns beside the texts.
  return rows <= LIMIT_MAX ? ROW_BYTES_MAX : Math.floor(BATCH_BYTES_MAX / 2 / rows)
}

/** A row of a list. */
export interface ListRow {
  seq: number
  /** The size of the row's texts in bytes if they are left out, else null. */
  wide_bytes: number | null
}

/** The rows of a list. `readWide` reads whole rows, for those that came without their texts. */
export interface List<Row extends ListRow> {
  rows: Row[]
  readWide: ReadWide<Row>
}

/** `confirms`: also confirms the caller's settings, for an answer that may take long. */
type ReadWide<Row> = (seqs: number[], options?: { confirms: boolean }) => Promise<Row[]>

type Columns = Record<string, SQLiteColumn>

/**
 * The columns to select in a list. `texts` are NULL in a row where they exceed `row_bytes_max` bytes, together with the
 * bytes of what is read `beside` them.
 */
export function narrowColumns<C extends Columns>(columns: C, texts: (keyof C)[], beside = sql`0`) {
  const size = sql`(${sizeOf(texts.map((name) => columns[name]))} + ${beside})`
  const isWide = sql`${size} > ${sql.placeholder('row_bytes_max')}`
  const narrowed = Object.entries(columns).map(([name, column]) => [
    name,
    texts.includes(name) ? sql`case when not ${isWide} then ${column} end`.mapWith(column) : column,
  ])
  const wide_bytes = sql<number | null>`case when ${isWide} then ${size} end`
  // The types are those of whole rows.
  return { ...(Object.fromEntries(narrowed) as C), wide_bytes }
}

/** The same columns for whole rows. */
export function wholeColumns<C extends Columns>(columns: C) {
  return { ...columns, wide_bytes: sql<number | null>`null` }
}

/** Condition: `seq` is in the JSON array of the placeholder `seqs`. */
export function isAmong(seq: SQLiteColumn): SQL {
  return sql`${seq} in (select value from json_each(${sql.placeholder('seqs')}))`
}

function sizeOf(columns: (SQLiteColumn | undefined)[]): SQL {
  return sql`(${sql.join(
    columns.map((column) => sql`coalesce(octet_length(${column}), 0)`),
    sql` + `,
  )})`
}

/** Reads a page in one round trip. `readWide` takes another one each time. */
export async function readPage<Row extends ListRow>(
  db: TenantDatabase,
  { narrow, whole }: { narrow: Prepared<Row[]>; whole: Prepared<Row[]> },
  request: PageRequest,
): Promise<List<Row>> {
  const values = { ...pageValues(request), row_bytes_max: rowBytesMax(request.limit) }
  const [rows] = await db.read([narrow], values)
  return { rows, readWide: wideReader(db, whole) }
}

/** Reads rows by their `seq`: `whole` is a query with the placeholder `seqs`. */
export function wideReader<Row>(db: TenantDatabase, whole: Prepared<Row[]>): ReadWide<Row> {
  return async (seqs, { confirms } = { confirms: false }) => {
    const values = { seqs: JSON.stringify(seqs) }
    const [rows] = await (confirms ? db.read([whole], values) : db.readOn([whole], values))
    return rows
  }
}

/** As withColumns, for a list that has all columns. */
export async function asListed<Row extends ListRow>(_: TenantDatabase, list: List<Row>) {
  return list
}

/**
 * The rows of a list with other columns than the list has. Both are queries with the placeholder `seqs`. All texts are
 * read when they are asked for.
 */
export async function withColumns<Row extends ListRow>(
  db: TenantDatabase,
  { rows }: Pick<List<ListRow>, 'rows'>,
  { narrow, whole }: { narrow: Prepared<Row[]>; whole: Prepared<Row[]> },
): Promise<List<Row>> {
  const seqs = rows.map(({ seq }) => seq)
  const values = { seqs: JSON.stringify(seqs), row_bytes_max: -1 }
  const [found] = seqs.length > 0 ? await db.readOn([narrow], values) : [[]]
  const bySeq = new Map(found.map((row) => [row.seq, row]))
  return { rows: seqs.flatMap((seq) => bySeq.get(seq) ?? []), readWide: wideReader(db, whole) }
}

/**
 * Yields all rows of a list whole, in order and in batches, each of which has wide rows of up to BATCH_BYTES_MAX. They
 * are read together, when the batch is asked for: with a read for each run of them, a list that mixes wide and narrow
 * rows would need as many reads as it has rows.
 */
export async function* wholeRows<Row extends ListRow>({ rows, readWide }: List<Row>) {
  let at = 0
  while (at < rows.length) {
    let bytes = 0
    const batch = takeWhile(rows, at, ({ wide_bytes }, index) => {
      bytes += wide_bytes ?? 0
      return index === 0 || bytes <= BATCH_BYTES_MAX
    })
    yield await readWhole(batch, readWide)
    at += batch.length
  }
}

/** All rows of the list whole, in memory at once. Waits first until there is memory for wide rows. */
export async function allRows<Row extends ListRow>(
  db: TenantDatabase,
  list: List<Row>,
): Promise<Row[]> {
  const bytes = list.rows.reduce((sum, { wide_bytes }) => sum + (wide_bytes ?? 0), 0)
  if (bytes > 0) await db.takeMemory(bytes)
  const rows: Row[] = []
  for await (const batch of wholeRows(list)) rows.push(...batch)
  return rows
}

/** Leaves out a row that was deleted meanwhile. */
async function readWhole<Row extends ListRow>(rows: Row[], readWide: List<Row>['readWide']) {
  const wide = rows.filter(isWide)
  if (wide.length === 0) return rows
  const read = await readWide(wide.map(({ seq }) => seq))
  const bySeq = new Map(read.map((row) => [row.seq, row]))
  return rows.flatMap((row) => (isWide(row) ? (bySeq.get(row.seq) ?? []) : row))
}

function isWide({ wide_bytes }: ListRow): boolean {
  return wide_bytes !== null
}

function takeWhile<Row>(rows: Row[], start: number, take: (row: Row, index: number) => boolean) {
  let end = start
  for (let row = rows[end]; row !== undefined && take(row, end - start); row = rows[end]) end += 1
  return rows.slice(start, end)
}
