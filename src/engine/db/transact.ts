import { type SQL, sql } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import { ApiError, type ErrorCode, unavailable } from '../errors.ts'
import type { Pace } from '../limits/pace.ts'
import {
  type AuditRow,
  type AuditSubject,
  type CodesRead,
  closeAuditRow,
  type DocumentPlan,
  insertAuditRows,
  type NamedTable,
  NO_DOCUMENT,
  openAuditRow,
  ownRowValues,
  type UploadNote,
  WRITTEN_IN,
} from './audit-row.ts'
import { ANSWER_MS_MAX, type Connection } from './connect.ts'
import { CONSTRAINT } from './constraints.ts'
import { IS_CURRENT } from './current.ts'
import { deliveryStatements, outcomeIn } from './delivery.ts'
import { waitingTotals } from './delivery-tables.ts'
import { prepared, type Queries, type Query, qb, type Values } from './prepared.ts'
import { type Rehearsal, type Rehearsed, selectVerdict } from './rehearsal.ts'
import { retrying } from './retry.ts'
import { auditLog, workspace } from './tables.ts'
import {
  isFull,
  isTransient,
  rethrow,
  unavailability,
  Violation,
  violationOf,
} from './violations.ts'
import type { DeliveredChange } from './waiting.ts'

// For finding out whether a write without an answer has committed.
const SETTLE_MS_MAX = 5000

// Requests that are sent again in a run have fixed ids, so two calls may share one.
const REFUSED_BEFORE =
  'The same request was refused at the same time. This attempt has changed nothing.'

const version = {
  settings_version: workspace.settings_version,
  changes_epoch: workspace.changes_epoch,
  stock_listed_after: workspace.stock_listed_after,
}
const selectVersion = prepared(() => qb.select(version).from(workspace).where(IS_CURRENT))
const waiting = sql<number>`coalesce((select records from ${waitingTotals} where subject = 'all'), 0)`
const selectVersionAndWaiting = prepared(() =>
  qb
    .select({ ...version, waiting: waiting.as('waiting') })
    .from(workspace)
    .where(IS_CURRENT),
)
const selectOwnStatus = prepared(() =>
  qb
    .select({ status: auditLog.status, outcome: auditLog.outcome })
    .from(auditLog)
    .where(sql`audit_log.seq = ${WRITTEN_IN}`),
)

/** There is no record, or the database does not answer. */
const ABOUT_NO_WRITE: ErrorCode[] = ['NOT_FOUND', 'UNAVAILABLE']

/**
 * The settings that the caller depends on have changed since they were read, or the reason that refused its
 * change of settings no longer exists. The request is rerun with settings that are read again.
 */
export class SettingsChanged extends Error {
  override name = 'SettingsChanged'
}

type Version = (typeof selectVersionAndWaiting)['_']['result'][number]
type Versions = (Pick<Version, 'settings_version'> & Partial<Version>)[]

export interface Write<T extends Queries> {
  /** The id of the record that is created or changed. SQL whose value is null refuses the write. */
  record: string | SQL
  /** Of a delivery that waits, the status that a request with a key would have got. */
  status: number
  upload?: UploadNote
  /** The statements that change something. In them, WRITTEN_ID is the record's id (audit-row.ts). */
  changes: Query[]
  /** SQL that must be true after all changes; otherwise the write is refused (audit-row.ts). */
  holds?: SQL
  /** The record's table, if the audit row gets the name of a record that is there. */
  names?: NamedTable
  /** The name of a record that is created, for the audit row. */
  name?: string
  /** What to read back in the same transaction. */
  answer: T
  /** What a dry run answers, without writing. */
  rehearsal: Rehearsal<BatchResponse<NoInfer<T>>>
  /**
   * Values for the placeholders of all statements above. Fields of a body may have the names of other
   * placeholders, so they go to their own statement by its `with`. Every batch has `own_partner_id`,
   * `own_session_id` and those of `ownRowValues` (audit-row.ts).
   */
  values?: Values
}

/** What the audit row of one of several changes has of its own. */
type OwnRow = Partial<Pick<AuditSubject, 'path' | 'replay_of'>>

/** What one request may use of what all share. */
export interface RequestLimits {
  /** Waits until there is memory for a large result of so many bytes. */
  takeMemory: (bytes: number) => Promise<void>
  pace: Pace
}

/**
 * A tenant's database for one request. Each `read` and each `write` is one D1 batch, that is one transaction
 * and one round trip, and confirms that the settings that the caller depends on are current.
 */
export class TenantDatabase {
  /** D1 has told this request that the caller's settings are current. */
  confirmed = false
  /**
   * State of this request's write. `unknown`: an attempt got no answer, so it may have committed or may
   * still commit. `blocked`: it has not committed and never will.
   */
  writeState: 'none' | 'unknown' | 'committed' | 'blocked' = 'none'
  /** The result of the write was read after its transaction: others may have changed the record in between. */
  isReadBack = false
  /** How new the document of a delivery is, where its rules say so. */
  delivered: DeliveredChange | null = null
  /** The waiting delivery that this request tries again. It ends with the write. */
  retried: string | null = null
  /** What the row of this request's write says of its document. */
  document: DocumentPlan = { ...NO_DOCUMENT, ifFailed: false }
  /** The version of the partner's item codes that this request has read. Its write is refused at any other. */
  codesRead: CodesRead | null = null
  /** Of the state after this request's write, if the connection tells bookmarks (bookmarks.ts). */
  bookmark: string | null = null
  /** The record that a dry run would have written, for its audit row. A new one has an id that no record has. */
  rehearsed: Rehearsed | null = null
  /** The workspace's at the last read; cursors of the feed of changes belong to one. */
  changes_epoch = 0
  /** At the last read: the slices of stock of all later requests are there (src/records/replaced-stock.ts). */
  stock_listed_after = 0
  /** Whether reads also tell how many deliveries wait. */
  countsWaiting = false
  /** How many deliveries wait, at the last read that told it. */
  waiting: number | null = null
  readonly subject: AuditSubject
  /** Whether `write` writes nothing, and gives what it would give. */
  readonly rehearses: boolean
  readonly #connection: Connection
  #reads: Connection
  readonly takeMemory: RequestLimits['takeMemory']
  /** Of the request's long work. */
  readonly pace: Pace

  constructor(
    connection: Connection,
    subject: AuditSubject,
    limits: RequestLimits,
    rehearses = subject.dry_run,
  ) {
    this.#connection = connection
    this.#reads = connection
    this.subject = subject
    this.takeMemory = limits.takeMemory
    this.pace = limits.pace
    this.rehearses = rehearses
  }

  /**
   * What would refuse the write that `act` makes, by a dry run of it; null if nothing would. Throws the errors that say
   * nothing about the write.
   */
  async refusalOf(act: (db: TenantDatabase) => Promise<unknown>): Promise<ApiError | null> {
    try {
      await act(new TenantDatabase(this.#connection, this.subject, this, true))
      return null
    } catch (error) {
      if (error instanceof ApiError && !ABOUT_NO_WRITE.includes(error.code)) return error
      throw error
    }
  }

  /**
   * For one of several changes that this request makes, each with an audit row of its own, which names this request unless
   * `row` says otherwise. Several attempts with one id change something once.
   */
  forChange(request_id: string, row: OwnRow = {}): TenantDatabase {
    const subject = { ...this.subject, replay_of: this.subject.request_id, ...row, request_id }
    return new TenantDatabase(this.#connection, subject, this)
  }

  /** Sends the reads of this request to another copy of the database. */
  readFrom(connection: Connection): void {
    this.#reads = connection
  }

  /** Sends the reads of this request to the primary database. */
  readFromPrimary(): void {
    this.#reads = this.#connection
  }

  /** Throws SettingsChanged, or 503 UNAVAILABLE when D1 cannot be reached. */
  async read<T extends Queries>(queries: T, values?: Values): Promise<BatchResponse<T>> {
    const batch = [this.#selectVersion(), ...queries] as const
    const [versions, ...results] = await this.#read(batch, values).catch(rethrow)
    this.#confirm(versions)
    return results as BatchResponse<T>
  }

  /** Reads more for an answer that has begun, without confirming settings again. */
  async readOn<T extends Queries>(queries: T, values?: Values): Promise<BatchResponse<T>> {
    return await this.#read(queries, values).catch(rethrow)
  }

  /** As readOn, for a result of so many bytes: waits until there is memory for it. */
  async readLarge<T extends Queries>(
    bytes: number,
    queries: T,
    values?: Values,
  ): Promise<BatchResponse<T>> {
    await this.takeMemory(bytes)
    return await this.readOn(queries, values)
  }

  /** Confirms the caller's settings and nothing else; throws as `read` does. */
  async confirm(): Promise<void> {
    const [versions] = await this.#read([this.#selectVersion()]).catch(rethrow)
    this.#confirm(versions)
  }

  /**
   * Commits all changes and the audit row, or nothing. Throws SettingsChanged, a Violation (the constraint
   * that refused the batch), or 503 UNAVAILABLE. Retries transient failures. If an attempt gets no answer,
   * the write's audit row tells whether it has committed. Its request id is unique, so a write commits at
   * most once. In a dry run it reads, and throws what the write would throw.
   */
  async write<T extends Queries>(write: Write<T>): Promise<BatchResponse<T>> {
    if (this.rehearses) return await this.#rehearse(write)
    const { values } = write
    const outcome = { ...write, document: this.document, codes: this.codesRead }
    const delivery = deliveryStatements(this.subject, this.delivered, write.names, this.retried)
    const answer = [...write.answer, ...delivery.answer] as const
    const isAsked = delivery.answer.length > 0
    const changes = [
      openAuditRow(this.subject, outcome),
      ...write.changes,
      ...delivery.changes,
      ...closeAuditRow(this.subject, outcome),
    ] as const
    try {
      const results: readonly unknown[] = await retrying(ANSWER_MS_MAX, isTransient, (msLeft) =>
        this.#attempt([...changes, ...answer], values, msLeft),
      )
      this.writeState = 'committed'
      this.#confirm(results[0] as Versions)
      return this.#answerOf<T>(results.slice(changes.length), isAsked)
    } catch (error) {
      if (!(await this.#hasCommitted(error))) throw this.#refusal(error)
      this.isReadBack = true
      return this.#answerOf<T>(await this.#settle(answer, values).catch(rethrow), isAsked)
    }
  }

  /** What the write asked for. After that stands what became of a delivery, if that `isAsked`. */
  #answerOf<T extends Queries>(results: readonly unknown[], isAsked: boolean): BatchResponse<T> {
    if (isAsked) this.subject.outcome = outcomeIn(results.at(-1))
    return (isAsked ? results.slice(0, -1) : results) as BatchResponse<T>
  }

  /**
   * For a refusal that is to be sent while `writeState` is `unknown`: stores the refusal's audit row, which
   * takes the request id, so that no attempt can commit afterwards. `writeState` becomes `blocked`, or
   * `committed` if an attempt has committed before; it stays `unknown` if D1 does not answer.
   */
  async blockLateWrite(row: AuditRow): Promise<void> {
    const rows = JSON.stringify([row])
    const stored = this.#settle([insertAuditRows, selectOwnStatus], { rows })
    const own = await stored.then(([, [found]]) => found).catch(() => null)
    if (own) this.writeState = own.status === row.status ? 'blocked' : 'committed'
  }

  async #rehearse<T extends Queries>(write: Write<T>): Promise<BatchResponse<T>> {
    const { rules, reads, foresee } = write.rehearsal
    const verdict = selectVerdict(write.record, write.names, rules)
    const [[found], ...rows] = await this.read([verdict, ...reads], write.values)
    const { record_id, record_name, ...held } = found as NonNullable<typeof found>
    if (record_id === null) throw new Violation(CONSTRAINT.recordExists)
    const broken = rules.find((_, at) => Reflect.get(held, `rule_${at}`) === 0)
    if (broken) throw new Violation(broken[0])
    this.rehearsed = { record_id, record_name }
    return foresee(rows as never)
  }

  #batch<T extends Queries>(queries: T, values?: Values, msMax?: number) {
    return this.#connection.batch(queries, this.#valuesOf(values), msMax)
  }

  #read<T extends Queries>(queries: T, values?: Values) {
    return this.#reads.batch(queries, this.#valuesOf(values))
  }

  #valuesOf(values?: Values): Values {
    const { partner_id: own_partner_id, session_id: own_session_id } = this.subject
    return { ...values, ...ownRowValues(this.subject), own_partner_id, own_session_id }
  }

  /** Only an answer of SQLite itself proves that nothing was written. */
  async #attempt(queries: Queries, values: Values | undefined, msMax: number) {
    try {
      return await this.#batch(queries, values, msMax)
    } catch (error) {
      if (!violationOf(error) && !isFull(error)) this.writeState = 'unknown'
      throw error
    }
  }

  #settle<T extends Queries>(queries: T, values?: Values): Promise<BatchResponse<T>> {
    return retrying(SETTLE_MS_MAX, isTransient, (msLeft) => this.#batch(queries, values, msLeft))
  }

  #selectVersion() {
    const { settings_version, api_key_id } = this.subject
    const select = this.countsWaiting ? selectVersionAndWaiting : selectVersion
    return select.with({ settings_version, api_key_id })
  }

  #confirm([row]: Versions): void {
    if (!row) throw new SettingsChanged()
    this.subject.settings_version = row.settings_version
    this.changes_epoch = row.changes_epoch ?? this.changes_epoch
    this.stock_listed_after = row.stock_listed_after ?? this.stock_listed_after
    this.waiting = row.waiting ?? this.waiting
    this.confirmed = true
  }

  async #hasCommitted(error: unknown): Promise<boolean> {
    const violation = violationOf(error)
    const isInLog = isRepetition(violation)
    if (this.writeState !== 'unknown' && !isInLog) return false
    const [[own]] = await this.#settle([selectOwnStatus]).catch(rethrow)
    // The row of a delivery that waits has the status of what refused it.
    if (own && own.status >= 400 && own.outcome !== 'waiting') {
      this.writeState = 'blocked'
      throw unavailable(REFUSED_BEFORE, 'RECORD_CHANGING')
    }
    if (own) this.writeState = 'committed'
    // Versions only rise, so no attempt with the old version can commit.
    else if (violation?.constraint === CONSTRAINT.settingsAreCurrent) this.writeState = 'none'
    this.confirmed = own !== undefined
    return this.confirmed
  }

  #refusal(error: unknown): unknown {
    const violation = violationOf(error)
    if (violation?.constraint === CONSTRAINT.settingsAreCurrent) return new SettingsChanged()
    if (violation) this.confirmed = true
    return violation ?? unavailability(error) ?? error
  }
}

function isRepetition(violation: Violation | null): boolean {
  const { requestIsNew, requestIdIsNew } = CONSTRAINT
  return violation?.constraint === requestIsNew || violation?.constraint === requestIdIsNew
}

/** The one row that a committed write reads back. */
export function singleRow<Row>(rows: Row[]): Row {
  const [row] = rows
  if (row === undefined || rows.length > 1) throw new Error(`${rows.length} rows read back, not 1`)
  return row
}
