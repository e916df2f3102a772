import {
  type AuditRow,
  type AuditSubject,
  type Explanation,
  explainAuditRow,
  insertAuditRows,
  ownRowValues,
} from '../db/audit-row.ts'
import type { Connection } from '../db/connect.ts'
import { retrying } from '../db/retry.ts'
import { isFull, violationOf } from '../db/violations.ts'
import { makeRoom } from './make-room.ts'

const FLUSH_DELAY_MS = 50
// Cloudflare ends a request's work 30 s after its answer. Rows not stored by then go to the log.
const FLUSH_MS_MAX = 20_000
const FLUSH_ANSWER_MS_MAX = 5000
// A row that says why its request failed has up to 16 KB, and D1 takes 2 MB.
const FLUSH_ROWS_MAX = 100

interface Pending {
  rows: AuditRow[]
  flushing: boolean
}

// By tenant: rows of reads and refusals that wait for a flush, from all requests in this isolate.
const pending = new Map<string, Pending>()

/**
 * Stores the audit row of a read or a refusal; for `waitUntil`. Each request flushes pending rows until its
 * own row is among them or another request has taken it. It starts at once, or 50 ms later if another
 * request is flushing. So under load one insert stores many rows, and no request waits for another's
 * promise, which may never settle. Rows that cannot be stored go to the log.
 */
export async function recordAfterwards(
  connection: Connection,
  tenant: string,
  row: AuditRow,
): Promise<void> {
  const queue = pending.getOrInsertComputed(tenant, () => ({ rows: [], flushing: false }))
  queue.rows.push(row)
  await scheduler.wait(queue.flushing ? FLUSH_DELAY_MS : 0)
  while (queue.rows.includes(row)) {
    queue.flushing = true
    const rows = queue.rows.splice(0, FLUSH_ROWS_MAX)
    await flush(connection, tenant, rows, Date.now() + FLUSH_MS_MAX)
    queue.flushing = false
  }
}

/**
 * Adds to a stored row why the request failed in part; for `waitUntil`. If it cannot be stored, the log
 * says so.
 */
export async function explainAfterwards(
  connection: Connection,
  subject: AuditSubject,
  explanation: Explanation,
): Promise<void> {
  const update = explainAuditRow(explanation)
  const values = ownRowValues(subject)
  try {
    await retrying(FLUSH_MS_MAX, isRetryable, (msLeft) =>
      connection.batch([update], values, Math.min(msLeft, FLUSH_ANSWER_MS_MAX)),
    )
  } catch {
    const { request_id } = subject
    console.error(JSON.stringify({ event: 'audit_row_not_explained', request_id, ...explanation }))
  }
}

async function flush(
  connection: Connection,
  tenant: string,
  rows: AuditRow[],
  ends_at: number,
): Promise<void> {
  try {
    await store(connection, rows, ends_at - Date.now())
  } catch (error) {
    // Halves the rows until a row that the database refuses is alone, so that the others are stored.
    const isDivided = rows.length > 1 && violationOf(error) && Date.now() < ends_at
    if (isDivided) return flushHalves(connection, tenant, rows, ends_at)
    if (isFull(error) && (await makeRoom(tenant, connection))) {
      return flush(connection, tenant, rows, ends_at)
    }
    for (const row of rows) console.error(JSON.stringify({ event: 'audit_row_not_stored', ...row }))
  }
}

/** Retries after any error except one of the database's constraints, and the lack of room. */
async function store(connection: Connection, rows: AuditRow[], msMax: number): Promise<void> {
  const values = { rows: JSON.stringify(rows) }
  await retrying(msMax, isRetryable, (msLeft) =>
    connection.batch([insertAuditRows], values, Math.min(msLeft, FLUSH_ANSWER_MS_MAX)),
  )
}

function isRetryable(error: unknown): boolean {
  return violationOf(error) === null && !isFull(error)
}

async function flushHalves(
  connection: Connection,
  tenant: string,
  rows: AuditRow[],
  ends_at: number,
): Promise<void> {
  const half = Math.ceil(rows.length / 2)
  await flush(connection, tenant, rows.slice(0, half), ends_at)
  await flush(connection, tenant, rows.slice(half), ends_at)
}
