import { createHash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import type { Chunk } from '../../cron/job.ts'
import type { Connection } from '../../db/connect.ts'
import { firstSeqSince } from '../../db/log-position.ts'
import { literal, qb } from '../../db/prepared.ts'
import { retrying } from '../../db/retry.ts'
import { archivedKeyUses, auditArchives, auditLog, workspace } from '../../db/tables.ts'
import { isTransient } from '../../db/violations.ts'
import { DAY_MS } from '../../json/date-time.ts'
import type { Pace } from '../../limits/pace.ts'
import { ARCHIVED_COLUMNS, type LogRow, lineOf } from './lines.ts'
import { type ArchiveObject, archiveKey, storeArchive } from './objects.ts'

/** The most rows of an object. Deleting them takes some 160 ms locally: the tenant's other requests wait for it. */
export const ARCHIVED_ROWS_MAX = 10_000
/** The most bytes of its text, which is in memory while it is made. */
const TEXT_BYTES_MAX = 8 * 1024 * 1024
/** Fewer rows wait until the oldest has been due for so long: a small object costs as much as a large one. */
const WAIT_MS = 7 * DAY_MS
/** So many rows are read at a time, or so many bytes of their texts: an upload's `notes` may have 30 KB. */
const READ_ROWS = 500
const READ_BYTES = 1024 * 1024
/** To hash and to compress a character takes some 50 ns. */
const PACKED_STEPS = 2
/** Of a row, for the names and numbers in its line. */
const NAMES_BYTES = 400
// With the deadline of the object before it, a chunk ends within its time (engine/cron/run.ts).
const MOVE_MS_MAX = 10_000

// Two reads in a row have more than READ_BYTES, unless READ_ROWS ends them.
const READS_MAX = ARCHIVED_ROWS_MAX / READ_ROWS + 2 * (TEXT_BYTES_MAX / READ_BYTES) + 1
const MOVES_MAX = 4
/** The most statements of D1 for a chunk. */
export const CHUNK_QUERIES_MAX = 2 + READS_MAX + 4 * MOVES_MAX

/** A tenant's log, and where its rows go. */
export interface ArchiveSource
  extends Pick<Chunk, 'tenant' | 'connection' | 'now' | 'spend' | 'pace'> {
  bucket: R2Bucket
}

export interface ArchivedChunk {
  rows: number
  /** There may be more to move. */
  hasMore: boolean
}

const NOTHING: ArchivedChunk = { rows: 0, hasMore: false }

/** The rows that were stored are not those of the log any more: the deletion was at work. None has moved. */
class LogChanged extends Error {
  override name = 'LogChanged'
}

/**
 * Moves the oldest rows to R2, at most ARCHIVED_ROWS_MAX of them, if at `now` the workspace no longer wants them in the
 * database. First R2 confirms the object. Then one batch adds it to `audit_archives` and deletes its rows, if they are
 * still the same. So whatever fails, and whoever does the same at the same time, each row is in one place, and the call
 * may be repeated. Throws LogChanged if they are not the same.
 */
export async function archiveChunk(source: ArchiveSource): Promise<ArchivedChunk> {
  const { connection, tenant, bucket, now, spend, pace } = source
  const [[state]] = await connection.batch([selectState(now)])
  if (!state || state.oldest_at === null || state.oldest_at >= state.cutoff) return NOTHING
  const [due] = await connection.batch([selectDue(state.cutoff)])
  const reads = readsOf(due)
  const isFull = due.length === ARCHIVED_ROWS_MAX || reads.isFull
  const waits = Date.parse(state.oldest_at) > Date.parse(state.cutoff) - WAIT_MS
  if (due.length === 0 || (waits && !isFull)) return NOTHING
  const rows = await readRows(source, reads.ends)
  const { object, bytes } = await packed(rows, state.last_at ?? '', pace)
  spend()
  await storeArchive(bucket, archiveKey(tenant, object), bytes)
  const isMoved = await retrying(MOVE_MS_MAX, isTransient, (msLeft) =>
    move(connection, object, rows, msLeft),
  )
  if (!isMoved) throw new LogChanged()
  return { rows: object.rows, hasMore: isFull }
}

/**
 * SQL for the days that rows stay at least: also as long as a write may be undone, and as a document may be kept, so
 * that all that is done with a request is done with one in the database. In a statement that reads `workspace`.
 */
const HOT_DAYS: SQL = sql`max(audit_hot_days, min(undo_days, audit_retention_days),
  coalesce(keep_documents ->> 'days', 0),
  coalesce((select max(keep_documents ->> 'days') from partners where keep_documents is not null), 0))`

/** No row if none is to leave the database. */
function selectState(now: string) {
  const oldest_at = sql<string | null>`(select created_at from ${auditLog} order by seq limit 1)`
  const last_at = sql<
    string | null
  >`(select last_at from ${auditArchives} order by last_seq desc limit 1)`
  const cutoff = sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', ${now}, '-' || ${HOT_DAYS} || ' days')`
  return qb
    .select({
      cutoff: cutoff.as('cutoff'),
      oldest_at: oldest_at.as('oldest_at'),
      last_at: last_at.as('archived_to'),
    })
    .from(workspace)
    .where(sql`id = 1 and audit_hot_days < audit_retention_days`)
}

/** Rows in the order of seq, and what tells whether they are still the same. */
class Rows {
  readonly lines: string[] = []
  bytes = 0
  first_seq = 0
  last_seq = 0
  first_at = '~'
  last_at = ''
  /** How many have a document_reason: nothing else may still change in a row of this age. */
  withReason = 0
  readonly lastUses = new Map<string, string>()

  get count(): number {
    return this.lines.length
  }

  add(row: LogRow): void {
    const { seq, created_at, api_key_id } = row
    const line = lineOf(row)
    this.first_seq ||= seq
    this.last_seq = seq
    if (created_at < this.first_at) this.first_at = created_at
    if (created_at > this.last_at) this.last_at = created_at
    if (row.document_reason !== null) this.withReason += 1
    if (created_at > (this.lastUses.get(api_key_id) ?? '')) {
      this.lastUses.set(api_key_id, created_at)
    }
    this.lines.push(line)
    this.bytes += Buffer.byteLength(line)
  }
}

/** The rows to move, and about how many bytes each has. The newest row of all stays, so that its seq is not given again. */
function selectDue(cutoff: string) {
  const sizes = Object.values(ARCHIVED_COLUMNS)
    .filter((column) => column.getSQLType() === 'text')
    .map(({ name }) => sql`coalesce(octet_length(${sql.identifier(name)}), 0)`)
  return qb
    .select({
      seq: auditLog.seq,
      bytes: sql<number>`${sql.join(sizes, sql` + `)} + ${literal(NAMES_BYTES)}`.as('bytes'),
    })
    .from(auditLog)
    .where(sql`seq < min((select max(seq) from audit_log), ${firstSeqSince(cutoff)})`)
    .orderBy(auditLog.seq)
    .limit(ARCHIVED_ROWS_MAX)
}

/** The last seq of each read. `isFull`: more rows are due than an object takes. */
function readsOf(due: { seq: number; bytes: number }[]): { ends: number[]; isFull: boolean } {
  const ends: number[] = []
  let [rows, bytes, total, last] = [0, 0, 0, 0]
  for (const row of due) {
    if (rows > 0 && total + row.bytes > TEXT_BYTES_MAX)
      return { ends: [...ends, last], isFull: true }
    if (rows === READ_ROWS || (rows > 0 && bytes + row.bytes > READ_BYTES)) {
      ends.push(last)
      rows = 0
      bytes = 0
    }
    rows += 1
    bytes += row.bytes
    total += row.bytes
    last = row.seq
  }
  return { ends: [...ends, last], isFull: false }
}

async function readRows({ connection, pace }: ArchiveSource, ends: number[]): Promise<Rows> {
  const rows = new Rows()
  for (const end of ends) {
    const before = rows.bytes
    const [read] = await connection.batch([
      qb
        .select(ARCHIVED_COLUMNS)
        .from(auditLog)
        .where(sql`seq > ${rows.last_seq} and seq <= ${end}`)
        .orderBy(auditLog.seq),
    ])
    for (const row of read) rows.add(row)
    await pace.spent(rows.bytes - before)
  }
  return rows
}

/** The newest row comes first: most look-ups want the newest. */
async function packed(rows: Rows, archived_to: string, pace: Pace) {
  const { first_seq, last_seq, first_at, count, bytes } = rows
  const hash = createHash('sha256')
  const parts = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const part = rows.lines.splice(-READ_ROWS).toReversed().join('')
      if (part === '') return controller.close()
      const encoded = new TextEncoder().encode(part)
      hash.update(encoded)
      controller.enqueue(encoded)
      await pace.spent(part.length * PACKED_STEPS)
    },
  })
  const compressed = await new Response(
    parts.pipeThrough(new CompressionStream('gzip')),
  ).arrayBuffer()
  const last_at = rows.last_at > archived_to ? rows.last_at : archived_to
  const object: ArchiveObject = {
    ...{ first_seq, last_seq, first_at, last_at, rows: count, bytes },
    sha256: hash.digest('hex'),
  }
  return { object, bytes: compressed }
}

/** Whether the archive has the rows, by this call or another one. False if they are no longer the same. */
async function move(
  connection: Connection,
  object: ArchiveObject,
  rows: Rows,
  msMax: number,
): Promise<boolean> {
  const statements = [
    addObject(object, rows),
    addKeyUses(object, rows),
    qb
      .delete(auditLog)
      .where(sql`seq between ${object.first_seq} and ${object.last_seq} and ${isAdded(object)}`),
    qb.select({ is_added: sql<number>`${isAdded(object)}`.as('is_added') }).from(workspace),
  ] as const
  const [, , , [added]] = await connection.batch(statements, {}, msMax)
  return added?.is_added === 1
}

function addObject(object: ArchiveObject, { withReason }: Rows) {
  const { last_seq, first_seq, first_at, last_at, rows, bytes, sha256 } = object
  const values = sql`cast(${last_seq} as integer), cast(${first_seq} as integer), ${first_at}, ${last_at},
    cast(${rows} as integer), cast(${bytes} as integer), ${sha256}`
  const isSame = sql`(select count(*) = ${rows} and count(document_reason) = ${withReason}
    from ${auditLog} where seq <= ${last_seq})`
  const isNext = sql`not exists (select 1 from ${auditArchives} where last_seq >= ${first_seq})`
  return qb.insert(auditArchives).select(sql`select ${values} where ${isSame} and ${isNext}`)
}

function isAdded({ last_seq, sha256 }: ArchiveObject): SQL {
  return sql`exists (select 1 from ${auditArchives} as archive
    where archive.last_seq = ${last_seq} and archive.sha256 = ${sha256})`
}

function addKeyUses(object: ArchiveObject, { lastUses }: Rows) {
  const uses = JSON.stringify([...lastUses])
  return qb
    .insert(archivedKeyUses)
    .select(sql`select value ->> 0, value ->> 1 from json_each(${uses}) where ${isAdded(object)}`)
    .onConflictDoUpdate({
      target: archivedKeyUses.api_key_id,
      set: { last_used_at: sql`max(last_used_at, excluded.last_used_at)` },
    })
}
