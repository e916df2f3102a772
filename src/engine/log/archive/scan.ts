import { ApiError, errorName, unavailable } from '../../errors.ts'
import { type ArchiveRange, type Entry, type Log, selectEntries } from './entries.ts'
import { type LogRow, rowOf } from './lines.ts'
import { archivedLines, archiveKey, MissingArchive } from './objects.ts'

/** A look-up reads at most so many objects, and compares at most so many rows; then its page goes on. */
export const OBJECTS_READ_MAX = 20
export const ARCHIVED_COMPARED_MAX = 100_000
/** It begins to read no further object after so long. */
const BEGINS_MS_MAX = 10_000

/** A row's place in the log. */
export interface LogPlace {
  seq: number
  created_at: string
  request_id: string
}

/** In place of an id: it comes before all ids of its time. */
export const BEFORE_IDS = '~'

/** Newest first: in order of seq, of created_at and then seq, or, by caller, of created_at and then request_id. */
export type ScanOrder = 'seq' | 'time' | 'caller'

export interface Asked extends Omit<ArchiveRange, 'up_to'> {
  order: ScanOrder
  /** The rows of the archive: it may have grown since. */
  archived_to: number
  /** Rows after this place only. */
  after?: LogPlace | undefined
  /** No rows after this place are asked for. */
  until?: LogPlace | undefined
  limit: number
  matches: (row: LogRow) => boolean
  /** A text that the line of each such row has. */
  mark?: string | undefined
}

export interface FoundRows<Kept> {
  rows: (LogPlace & { row: Kept })[]
  /** Where the look-up stopped before it had all: it has found every row before this place. */
  end: LogPlace | null
}

/** The place before all rows up to this seq, of which none is of a later time. */
export function placeAbove(seq: number, created_at: string): LogPlace {
  return { seq: seq + 1, created_at, request_id: BEFORE_IDS }
}

/** Negative if `one` comes before `other`. */
export function compare(order: ScanOrder, one: LogPlace, other: LogPlace): number {
  if (order !== 'seq' && one.created_at !== other.created_at) {
    return one.created_at > other.created_at ? -1 : 1
  }
  if (order !== 'caller') return other.seq - one.seq
  return Number(one.request_id < other.request_id) - Number(one.request_id > other.request_id)
}

/**
 * The first `limit` archived rows that match, in this order; of each, `keep` says what is held in memory. 503 UNAVAILABLE
 * if R2 does not answer.
 */
export async function scanArchive<Kept>(
  log: Log,
  asked: Asked,
  keep: (row: LogRow) => Kept,
): Promise<FoundRows<Kept>> {
  const { order, after, until, limit } = asked
  const top = new Top<Kept>(order, limit)
  const ends_at = Date.now() + BEGINS_MS_MAX
  let objects = 0
  let compared = 0
  for await (const entry of entriesOf(log, asked)) {
    // What older objects have comes after this place.
    const place = placeAbove(entry.last_seq, entry.last_at)
    if (until && compare(order, until, place) < 0) break
    if (top.isFullBefore(place)) break
    const isTooMuch = objects >= OBJECTS_READ_MAX || compared + entry.rows > ARCHIVED_COMPARED_MAX
    const isSpent = isTooMuch || Date.now() > ends_at
    // Where rows were stored late, a page reads some objects of the last page again. It must not end where it began.
    const hasAdvanced = objects > 0 && (!after || compare(order, after, place) < 0)
    if (isSpent && hasAdvanced) return { rows: top.upTo(place), end: place }
    objects += 1
    compared += entry.rows
    await readObject(log, entry, asked, (row) => {
      top.add(row, keep)
      return !(order === 'seq' && top.isFull)
    })
  }
  return { rows: top.rows, end: null }
}

/** The objects in which rows may be, newest first. */
async function* entriesOf(log: Log, asked: Asked): AsyncGenerator<Entry> {
  const { archived_to, order, after, from, to } = asked
  const times = [to, order === 'seq' ? undefined : after?.created_at]
  const latest = times.filter((time) => time !== undefined).sort()[0]
  let up_to = order === 'seq' && after ? Math.min(after.seq - 1, archived_to) : archived_to
  for (;;) {
    const range = { up_to, from, to: latest }
    const [entries] = await log.db.readOn([selectEntries(range, OBJECTS_READ_MAX + 1)])
    yield* entries
    const last = entries.at(-1)
    if (!last || entries.length <= OBJECTS_READ_MAX) return
    up_to = last.first_seq - 1
  }
}

/** Calls `use` with each row of the object that is asked for, until it returns false. */
export async function readObject(
  { db, bucket, tenant }: Log,
  entry: Entry,
  { order, after, mark, matches }: Pick<Asked, 'order' | 'after' | 'mark' | 'matches'>,
  use: (row: LogRow) => boolean,
): Promise<void> {
  if (!bucket)
    throw unavailable('The archive of the audit log is not bound to this Worker.', 'NOT_SET_UP')
  try {
    for await (const lines of archivedLines(bucket, archiveKey(tenant, entry))) {
      for (const line of lines) {
        if (db.pace.spend(line.length)) await db.pace.rest()
        if (mark !== undefined && !line.includes(mark)) continue
        const row = rowOf(line)
        if (row.created_at < entry.kept_since) continue
        if (after && compare(order, after, row) >= 0) continue
        if (matches(row) && !use(row)) return
      }
    }
  } catch (error) {
    throw failureOf(error, tenant)
  }
}

function failureOf(error: unknown, tenant: string): unknown {
  if (error instanceof ApiError) return error
  const name = errorName(error)
  console.error(JSON.stringify({ event: 'audit_archive_not_read', tenant, name }))
  if (error instanceof MissingArchive) {
    return unavailable(
      'The archive of the audit log lacks an object. Ask for other times.',
      'STORE_UNREACHABLE',
    )
  }
  return unavailable(
    'The archive of the audit log did not answer. Repeat this call.',
    'STORE_UNREACHABLE',
  )
}

/** The first rows in an order. */
class Top<Kept> {
  rows: (LogPlace & { row: Kept })[] = []
  readonly #order: ScanOrder
  readonly #limit: number

  constructor(order: ScanOrder, limit: number) {
    this.#order = order
    this.#limit = limit
  }

  get isFull(): boolean {
    return this.rows.length === this.#limit
  }

  isFullBefore(place: LogPlace): boolean {
    const last = this.rows.at(-1)
    return this.isFull && last !== undefined && compare(this.#order, last, place) <= 0
  }

  /** The rows that no row of an older object comes before. The last row of a newer object may be at this very place. */
  upTo(place: LogPlace) {
    return this.rows.filter((row) => compare(this.#order, row, place) <= 0)
  }

  /** Rows come nearly in order, so the search from the end is short. */
  add(row: LogRow, keep: (row: LogRow) => Kept): void {
    const { seq, created_at, request_id } = row
    const place = { seq, created_at, request_id }
    let at = this.rows.length
    for (let last = this.rows[at - 1]; last && compare(this.#order, last, place) > 0; ) {
      at -= 1
      last = this.rows[at - 1]
    }
    if (at === this.#limit) return
    this.rows.splice(at, 0, { ...place, row: keep(row) })
    if (this.rows.length > this.#limit) this.rows.pop()
  }
}
