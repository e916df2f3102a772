import { type SQL, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import {
  type AuditSubject,
  closeAuditRow,
  openAuditRow,
  type UploadNote,
  writtenRecord,
} from './audit.ts'
import type { Drizzle } from './connect.ts'
import { auditLog, workspace } from './tables.ts'
import { isTransient, rethrow, unavailability, violationOf } from './violations.ts'

const RETRIES_MAX = 3
const RETRY_DELAY_MS = 50

type Query = BatchItem<'sqlite'>
type Queries = Readonly<[Query, ...Query[]]>

/** The settings have changed since the caller was looked up: look again, then replay. */
export class SettingsChanged extends Error {
  override name = 'SettingsChanged'
}

export interface Write<T extends Queries> {
  /** The id of the record that is created or changed; SQL that gives null refuses the write. */
  record: string | SQL
  status: 200 | 201
  upload?: UploadNote
  /** The statements that change something; `id` is the record's, as the database sees it. */
  changes: (q: Drizzle, id: SQL) => Query[]
  /** What to read back in the same transaction. */
  answer: (q: Drizzle, id: SQL) => T
}

/**
 * A tenant's database as one request may use it: each `read` and each `write` is one D1 batch,
 * which is one transaction and one round trip, and confirms that the caller's settings are current.
 */
export class TenantDatabase {
  /** D1 has told this request that the caller's settings are current. */
  confirmed = false
  /** This request's write, with its audit row, has committed. */
  committed = false
  readonly subject: AuditSubject
  readonly #q: Drizzle

  constructor(q: Drizzle, subject: AuditSubject) {
    this.#q = q
    this.subject = subject
  }

  /** Throws SettingsChanged, or 503 UNAVAILABLE when D1 cannot be reached. */
  async read<T extends Queries>(build: (q: Drizzle) => T): Promise<BatchResponse<T>> {
    const version = this.#q.select({ version: workspace.settings_version }).from(workspace)
    const [versions, ...results] = await this.#batch([version, ...build(this.#q)]).catch(rethrow)
    this.#confirm(versions)
    return results as BatchResponse<T>
  }

  /** Goes on reading for an answer that has begun; settings were confirmed when it did. */
  async readOn<T extends Queries>(build: (q: Drizzle) => T): Promise<BatchResponse<T>> {
    return (await this.#batch([...build(this.#q)]).catch(rethrow)) as BatchResponse<T>
  }

  /** Confirms the caller's settings and nothing else; throws as `read` does. */
  async confirm(): Promise<void> {
    await this.read((q) => [q.select({ one: sql`1` }).from(workspace)])
  }

  /**
   * All changes and the audit row commit, or nothing does. Throws SettingsChanged, a Violation
   * (which rule of the data model refused the batch), or 503 UNAVAILABLE. Transient failures are
   * retried; whether a lost answer was a commit is told by the audit row, which holds the request
   * id: it is there, or the write is not.
   */
  async write<T extends Queries>(write: Write<T>): Promise<BatchResponse<T>> {
    const id = writtenRecord(this.subject)
    const changes = [
      openAuditRow(this.#q, this.subject, write),
      ...write.changes(this.#q, id),
      closeAuditRow(this.#q, this.subject),
    ]
    for (let attempt = 1; ; attempt++) {
      try {
        const results = await this.#batch([...changes, ...write.answer(this.#q, id)])
        this.confirmed = this.committed = true
        return results.slice(changes.length) as BatchResponse<T>
      } catch (error) {
        if (isTransient(error) && attempt <= RETRIES_MAX) {
          await scheduler.wait(Math.random() * RETRY_DELAY_MS * 2 ** attempt)
        } else if (mayHaveLanded(error, attempt) && (await this.#landed())) {
          return await this.readOn((q) => write.answer(q, id))
        } else {
          throw this.#refusal(error)
        }
      }
    }
  }

  async #batch(queries: Query[]): Promise<unknown[]> {
    const [first, ...rest] = queries
    return first ? await this.#q.batch([first, ...rest]) : []
  }

  #confirm(versions: unknown): void {
    const [row] = versions as { version: number }[]
    if (row?.version !== this.subject.settings_version) throw new SettingsChanged()
    this.confirmed = true
  }

  async #landed(): Promise<boolean> {
    const [rows] = await this.#batch([
      this.#q
        .select({ seq: auditLog.seq })
        .from(auditLog)
        .where(sql`${auditLog.request_id} = ${this.subject.request_id}`),
    ]).catch(rethrow)
    this.confirmed = this.committed = (rows as unknown[]).length > 0
    return this.committed
  }

  #refusal(error: unknown): unknown {
    const violation = violationOf(error)
    if (violation?.constraint === 'audit_log.settings_version') return new SettingsChanged()
    if (violation) this.confirmed = true
    return violation ?? unavailability(error) ?? error
  }
}

/** The row that a committed write reads back: there is exactly one. */
export function only<Row>(rows: Row[]): Row {
  const [row] = rows
  if (row === undefined || rows.length > 1) throw new Error(`${rows.length} rows read back, not 1`)
  return row
}

/** A refusal of the very first attempt wrote nothing, unless it met its own row. */
function mayHaveLanded(error: unknown, attempt: number): boolean {
  const violation = violationOf(error)
  return attempt > 1 || violation === null || violation.constraint === 'audit_log.request_id'
}
