import { eq, type SQL, sql } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import { type AuditSubject, closeAuditRow, openAuditRow, type UploadNote } from './audit.ts'
import type { Connection } from './connect.ts'
import { prepared, type Queries, type Query, q, type Values } from './prepared.ts'
import { auditLog, workspace } from './tables.ts'
import { isTransient, rethrow, unavailability, violationOf } from './violations.ts'

const RETRIES_MAX = 3
const RETRY_DELAY_MS = 50

const selectVersion = prepared(q.select({ version: workspace.settings_version }).from(workspace))
const selectOwnAuditRow = prepared(
  q
    .select({ seq: auditLog.seq })
    .from(auditLog)
    .where(eq(auditLog.request_id, sql.placeholder('request_id'))),
)

/** The settings have changed since the caller was looked up: look again, then replay. */
export class SettingsChanged extends Error {
  override name = 'SettingsChanged'
}

export interface Write<T extends Queries> {
  /** The id of the record that is created or changed; SQL that gives null refuses the write. */
  record: string | SQL
  status: 200 | 201
  upload?: UploadNote
  /** The statements that change something; the record's id is WRITTEN there (audit.ts). */
  changes: Query[]
  /** What to read back in the same transaction. */
  answer: T
  /**
   * Of placeholders in any of these, the audit row's among them: what a caller may name goes to one
   * statement, by its `with`. Every batch has `request_id` and `own_partner_id`.
   */
  values?: Values
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
  readonly #connection: Connection

  constructor(connection: Connection, subject: AuditSubject) {
    this.#connection = connection
    this.subject = subject
  }

  /** Throws SettingsChanged, or 503 UNAVAILABLE when D1 cannot be reached. */
  async read<T extends Queries>(queries: T, values?: Values): Promise<BatchResponse<T>> {
    const batch = [selectVersion, ...queries] as const
    const [versions, ...results] = await this.#batch(batch, values).catch(rethrow)
    this.#confirm(versions)
    return results as BatchResponse<T>
  }

  /** Goes on reading for an answer that has begun; settings were confirmed when it did. */
  async readOn<T extends Queries>(queries: T, values?: Values): Promise<BatchResponse<T>> {
    return await this.#batch(queries, values).catch(rethrow)
  }

  /** Confirms the caller's settings and nothing else; throws as `read` does. */
  async confirm(): Promise<void> {
    const [versions] = await this.#batch([selectVersion]).catch(rethrow)
    this.#confirm(versions)
  }

  /**
   * All changes and the audit row commit, or nothing does. Throws SettingsChanged, a Violation
   * (which rule of the data model refused the batch), or 503 UNAVAILABLE. Transient failures are
   * retried; whether a lost answer was a commit is told by the audit row, which holds the request
   * id: it is there, or the write is not.
   */
  async write<T extends Queries>(write: Write<T>): Promise<BatchResponse<T>> {
    const { values, answer } = write
    const changes = [
      openAuditRow(this.subject, write),
      ...write.changes,
      closeAuditRow(this.subject),
    ] as const
    for (let attempt = 1; ; attempt++) {
      try {
        const results: unknown[] = await this.#batch([...changes, ...answer], values)
        this.confirmed = this.committed = true
        return results.slice(changes.length) as BatchResponse<T>
      } catch (error) {
        if (isTransient(error) && attempt <= RETRIES_MAX) {
          await scheduler.wait(Math.random() * RETRY_DELAY_MS * 2 ** attempt)
        } else if (mayHaveLanded(error, attempt) && (await this.#landed())) {
          return await this.readOn(answer, values)
        } else {
          throw this.#refusal(error)
        }
      }
    }
  }

  #batch<T extends Queries>(queries: T, values?: Values): Promise<BatchResponse<T>> {
    const { request_id, partner_id: own_partner_id } = this.subject
    return this.#connection.batch(queries, { ...values, request_id, own_partner_id })
  }

  #confirm([row]: { version: number }[]): void {
    if (row?.version !== this.subject.settings_version) throw new SettingsChanged()
    this.confirmed = true
  }

  async #landed(): Promise<boolean> {
    const [rows] = await this.#batch([selectOwnAuditRow]).catch(rethrow)
    this.confirmed = this.committed = rows.length > 0
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
