import { eq, type SQL, sql } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import {
  type AuditRow,
  type AuditSubject,
  closeAuditRow,
  insertAuditRows,
  openAuditRow,
  type UploadNote,
} from './audit.ts'
import { ANSWER_MS_MAX, type Connection } from './connect.ts'
import { prepared, type Queries, type Query, q, type Values } from './prepared.ts'
import { retrying } from './retry.ts'
import { auditLog, workspace } from './tables.ts'
import { isTransient, rethrow, unavailability, violationOf } from './violations.ts'

// To find out, behind a write that was left without an answer, what has become of it.
const SETTLE_MS_MAX = 5000

const SETTINGS_MOVED = 'audit_log.settings_version'

const selectVersion = prepared(q.select({ version: workspace.settings_version }).from(workspace))
const selectOwnStatus = prepared(
  q
    .select({ status: auditLog.status })
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
  /**
   * What has become of this request's write. `unknown`: an attempt was left without an answer, and
   * has landed or may land yet. `fenced`: it has not, and never will.
   */
  fate: 'none' | 'unknown' | 'committed' | 'fenced' = 'none'
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
   * retried. Whether an attempt that was not heard of has committed is told by the audit row, which
   * holds the request id and takes it once: it is there, or the write is not.
   */
  async write<T extends Queries>(write: Write<T>): Promise<BatchResponse<T>> {
    const { values, answer } = write
    const changes = [
      openAuditRow(this.subject, write),
      ...write.changes,
      closeAuditRow(this.subject),
    ] as const
    try {
      const results: readonly unknown[] = await retrying(ANSWER_MS_MAX, isTransient, (msLeft) =>
        this.#attempt([...changes, ...answer], values, msLeft),
      )
      this.confirmed = true
      this.fate = 'committed'
      return results.slice(changes.length) as BatchResponse<T>
    } catch (error) {
      if (!(await this.#hasLanded(error))) throw this.#refusal(error)
      return await this.#settle(answer, values).catch(rethrow)
    }
  }

  /**
   * Before a refusal is sent while the write's fate is unknown: stores the refusal's audit row, which
   * takes the request id, so that no attempt can land from then on. Or finds that one has; or that
   * D1 does not say, and the fate stays unknown.
   */
  async fence(row: AuditRow): Promise<void> {
    const rows = JSON.stringify([row])
    const stored = this.#settle([insertAuditRows, selectOwnStatus], { rows })
    const own = await stored.then(([, [found]]) => found).catch(() => null)
    if (own) this.fate = own.status === row.status ? 'fenced' : 'committed'
  }

  #batch<T extends Queries>(queries: T, values?: Values, msMax?: number) {
    const { request_id, partner_id: own_partner_id } = this.subject
    return this.#connection.batch(queries, { ...values, request_id, own_partner_id }, msMax)
  }

  /** Only a violation says for certain that nothing was written. */
  async #attempt(queries: Queries, values: Values | undefined, msMax: number) {
    try {
      return await this.#batch(queries, values, msMax)
    } catch (error) {
      if (!violationOf(error)) this.fate = 'unknown'
      throw error
    }
  }

  #settle<T extends Queries>(queries: T, values?: Values): Promise<BatchResponse<T>> {
    return retrying(SETTLE_MS_MAX, isTransient, (msLeft) => this.#batch(queries, values, msLeft))
  }

  #confirm([row]: { version: number }[]): void {
    if (row?.version !== this.subject.settings_version) throw new SettingsChanged()
    this.confirmed = true
  }

  async #hasLanded(error: unknown): Promise<boolean> {
    const violation = violationOf(error)
    const metItself = violation?.constraint === 'audit_log.request_id'
    if (this.fate !== 'unknown' && !metItself) return false
    const [[own]] = await this.#settle([selectOwnStatus]).catch(rethrow)
    if (own) this.fate = 'committed'
    // Versions only rise: none of the attempts, which had that one, will be taken.
    else if (violation?.constraint === SETTINGS_MOVED) this.fate = 'none'
    this.confirmed = own !== undefined
    return this.confirmed
  }

  #refusal(error: unknown): unknown {
    const violation = violationOf(error)
    if (violation?.constraint === SETTINGS_MOVED) return new SettingsChanged()
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
