import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Connection } from './connect.ts'
import { placeholders, prepared, preparedFor, q } from './prepared.ts'
import { retrying } from './retry.ts'
import { auditLog, workspace } from './tables.ts'
import { violationOf } from './violations.ts'

const FLUSH_DELAY_MS = 50
// A request's work after its answer is cut off after 30 s: what is not stored by then goes to the log.
const FLUSH_MS_MAX = 20_000
const FLUSH_ANSWER_MS_MAX = 5000
// Of at most 2,000 characters a path: well below the 2 MB that D1 takes.
const FLUSH_ROWS_MAX = 250
/** Of expired rows, at once: some 80 ms locally, for which the tenant's other requests wait. */
export const EXPIRED_ROWS_MAX = 5000

/** Who asks for what: what an audit row holds before the outcome is known. */
export interface AuditSubject {
  request_id: string
  created_at: string
  settings_version: number
  api_key_id: string
  api_key_name: string
  partner_id: string | null
  partner_name: string | null
  method: string
  path: string
}

/** What an inventory upload leaves in the audit log beside its counts. */
export interface UploadNote {
  source: string
  notes: string | null
  rows_total: number
}

interface Outcome {
  record: string | SQL
  status: number
  upload?: UploadNote | undefined
}

/** The id of the record that a write's audit row names, within the write's batch. */
export const WRITTEN: SQL = sql`(select record_id from audit_log where request_id = ${sql.placeholder('request_id')})`

const RECORD_ID = sql`${sql.placeholder('record_id')}`
// Said, lest a batch's values of these names be taken: an order has notes as well.
const NO_UPLOAD = { source: null, notes: null, rows_total: null }

const insertAuditRow = preparedFor((record_id) =>
  q.insert(auditLog).values({
    ...placeholders('request_id', 'created_at', 'api_key_id', 'api_key_name', 'partner_id'),
    ...placeholders('partner_name', 'method', 'path', 'status', 'source', 'notes', 'rows_total'),
    settings_version: sql`(select settings_version from workspace where settings_version = ${sql.placeholder('settings_version')})`,
    record_id,
    duration_ms: 0,
  }),
)

const updateDuration = prepared(
  q
    .update(auditLog)
    .set({
      duration_ms: sql`max(0, cast((unixepoch('subsec') - unixepoch(${sql.placeholder('created_at')}, 'subsec')) * 1000 as integer))`,
    })
    .where(eq(auditLog.request_id, sql.placeholder('request_id'))),
)

/** A row whose request id is in the log already is passed over: a retry, or a write that landed. */
export const insertAuditRows = prepared(
  q
    .insert(auditLog)
    .select(sql`select ${membersOfRow()} from json_each(${sql.placeholder('rows')}) where true`)
    .onConflictDoNothing(),
)

function membersOfRow(): SQL {
  const { rows_updated, ...columns } = getTableColumns(auditLog)
  const members = Object.values(columns).map(({ name }) => sql`value ->> ${sql.raw(`'${name}'`)}`)
  return sql.join(members, sql`, `)
}

/**
 * A write's audit row, first in its batch. Refused with NOT NULL `audit_log.settings_version` when
 * settings have moved on, with CHECK `audit_log_write_names_record` when `record` is no record.
 */
export function openAuditRow(subject: AuditSubject, { record, status, upload }: Outcome) {
  const row = { ...NO_UPLOAD, ...upload, ...subject, status }
  if (typeof record !== 'string') return insertAuditRow(record).with(row)
  return insertAuditRow(RECORD_ID).with({ ...row, record_id: record })
}

/** Last among a write's changes: the time since the request came in, as the database sees it. */
export function closeAuditRow({ created_at }: AuditSubject) {
  return updateDuration.with({ created_at })
}

export type AuditRow = AuditSubject & {
  record_id: string | null
  status: number
  error_code: string | null
  duration_ms: number
}

interface Pending {
  rows: AuditRow[]
  flushing: boolean
}

// Rows of reads and refusals that wait for a flush, by tenant, of all requests in this isolate.
const pending = new Map<string, Pending>()

/**
 * Adds the row of a read or a refusal; for `waitUntil`. A request writes whatever is pending, until
 * somebody has taken its own row: once it is answered, or a moment later while another one is
 * writing. So under load one insert carries many rows, and no request rests on another's promise,
 * which may never come true. What cannot be written goes to the log.
 */
export async function recordAfterwards(
  connection: Connection,
  tenant: string,
  row: AuditRow,
): Promise<void> {
  const queue = pending.get(tenant) ?? { rows: [], flushing: false }
  pending.set(tenant, queue)
  queue.rows.push(row)
  await scheduler.wait(queue.flushing ? FLUSH_DELAY_MS : 0)
  while (queue.rows.includes(row)) {
    queue.flushing = true
    await flush(connection, queue.rows.splice(0, FLUSH_ROWS_MAX), Date.now() + FLUSH_MS_MAX)
    queue.flushing = false
  }
}

async function flush(connection: Connection, rows: AuditRow[], ends_at: number): Promise<void> {
  try {
    await store(connection, rows, ends_at - Date.now())
  } catch (error) {
    // A row that the database refuses takes no other with it.
    const isDivided = rows.length > 1 && violationOf(error) && Date.now() < ends_at
    if (isDivided) return flushHalves(connection, rows, ends_at)
    for (const row of rows) console.error(JSON.stringify({ event: 'audit_row_not_stored', ...row }))
  }
}

/** Whatever went wrong may pass, but what the database's own rules have refused. */
async function store(connection: Connection, rows: AuditRow[], msMax: number): Promise<void> {
  const values = { rows: JSON.stringify(rows) }
  const mayPass = (error: unknown) => violationOf(error) === null
  await retrying(msMax, mayPass, (msLeft) =>
    connection.batch([insertAuditRows], values, Math.min(msLeft, FLUSH_ANSWER_MS_MAX)),
  )
}

async function flushHalves(
  connection: Connection,
  rows: AuditRow[],
  ends_at: number,
): Promise<void> {
  const half = Math.ceil(rows.length / 2)
  await flush(connection, rows.slice(0, half), ends_at)
  await flush(connection, rows.slice(half), ends_at)
}

/**
 * Deletes rows that are older at `now`, an instant in ISO 8601, than the workspace keeps them: the
 * oldest first, at most EXPIRED_ROWS_MAX. Gives how many. The statement itself reads how long that
 * is, so that a change of it holds at once.
 */
export async function deleteExpiredRows(connection: Connection, now: string): Promise<number> {
  const { audit_retention_days, id } = workspace
  const keptSince = sql`(select strftime('%Y-%m-%dT%H:%M:%fZ', ${now}, '-' || ${audit_retention_days} || ' days')
    from ${workspace} where ${id} = 1)`
  const { seq, created_at } = auditLog
  const expired = sql`(select ${seq} from ${auditLog} where ${created_at} < ${keptSince}
    order by ${created_at}, ${seq} limit ${sql.raw(String(EXPIRED_ROWS_MAX))})`
  const [{ meta }] = await connection.batch([q.delete(auditLog).where(sql`${seq} in ${expired}`)])
  return meta.changes
}
