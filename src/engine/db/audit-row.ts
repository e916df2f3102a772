import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { byName } from '../json/by-name.ts'
import type { JsonObject } from '../json/json-object.ts'
import { IS_CURRENT } from './current.ts'
import { CODES_VERSION } from './item-codes.ts'
import { IS_UNTIMED } from './log-look-ups.ts'
import { placeholders, prepared, preparedFor, qb } from './prepared.ts'
import {
  auditLog,
  type DeliveryOutcome,
  type DocumentReason,
  type ListPage,
  workspace,
} from './tables.ts'

/** The part of an audit row that is known before the outcome: who asks for what. */
export interface AuditSubject {
  request_id: string
  created_at: string
  /** The latest version at which the caller's settings are known to be current. */
  settings_version: number
  api_key_id: string
  api_key_name: string
  partner_id: string | null
  partner_name: string | null
  /** The caller's session in the dashboard. The row does not have it. */
  session_id: string | null
  method: string
  path: string
  /** The id of the request that this one repeats, or that has brought its record among others. */
  replay_of: string | null
  /** The request asks what it would do. */
  dry_run: boolean
  /** What becomes of a delivery. */
  outcome: DeliveryOutcome | null
  /** The event of a delivery, and its id, as the sender has them. */
  sender_event: string | null
  sender_id: string | null
}

/** Why a request failed, as the audit log keeps it (src/engine/log/explanation.ts). */
export interface Explanation {
  message: string | null
  details: JsonObject | null
  error_fields: string | null
}

/** What the audit row of an inventory upload holds beside its counts. */
export interface UploadNote {
  source: string
  notes: string | null
  rows_total: number
}

/** Whether a request's document is kept; both null if none was meant to be. */
export interface DocumentState {
  /** In ms since 1970. */
  document_until: number | null
  document_reason: DocumentReason | null
}

export const NO_DOCUMENT: DocumentState = { document_until: null, document_reason: null }

/** What the row of a write says of its document, which is stored later. */
export interface DocumentPlan extends DocumentState {
  /** Holds only for an upload with failed rows. */
  ifFailed: boolean
}

interface Outcome {
  record: string | SQL
  status: number
  upload?: UploadNote | undefined
  /** The name of a record that the write creates. */
  name?: string | undefined
  /** The record's table. Its name goes into the audit row. */
  names?: NamedTable | undefined
  /** SQL that must be true after the write's changes. */
  holds?: SQL | undefined
  document: DocumentPlan
  /** What the write rests on besides the settings. */
  codes?: CodesRead | null
}

/** Values of placeholders: a partner, and the version of its item codes. */
export interface CodesRead {
  codes_of: string
  codes_version: number
}

const NAMES = { orders: 'order_number', products: 'sku', locations: 'code' }
/** `any`: of a write that may change a record of any of these, or what another request did. That has its id as name. */
export type NamedTable = keyof typeof NAMES | 'any'

const NO_NAME = sql<null>`null`

/** SQL for the name of the record with this id; null without a table. */
export function storedName(table: NamedTable | undefined, id: SQL): SQL<string | null> {
  if (!table) return NO_NAME
  if (table === 'any') {
    return sql`coalesce(${storedName('orders', id)}, ${storedName('products', id)}, ${storedName('locations', id)}, ${id})`
  }
  return sql`(select ${sql.identifier(NAMES[table])} from ${sql.identifier(table)} where id = ${id})`
}

const ID = sql.placeholder('request_id')

/** SQL for a column of the request's own row: of the write, or of what has taken its id. Null without one. */
function ownColumn(name: 'record_id' | 'seq'): SQL {
  const column = sql.raw(name)
  return sql`coalesce(
    (select ${column} from audit_log where audit_log.caller = ${sql.placeholder('requested_by')}
      and audit_log.created_at = ${sql.placeholder('requested_at')} and audit_log.request_id = ${ID}),
    (select ${column} from audit_log where ${IS_UNTIMED} and audit_log.request_id = ${ID}))`
}

/** SQL for the id of the record that a write creates or changes. In a write's statements only. */
export const WRITTEN_ID: SQL = ownColumn('record_id')

/** SQL for the number of the request that writes. In a write's statements only. */
export const WRITTEN_IN: SQL = ownColumn('seq')

/** Values of the placeholders by which a batch finds the request's own row. */
export function ownRowValues({ request_id, created_at, api_key_id, partner_id }: AuditSubject) {
  const requested_by = `${api_key_id} ${partner_id ?? ''}`
  return { request_id, requested_at: created_at, requested_by }
}

const RECORD_ID = sql`${sql.placeholder('record_id')}`
const RECORD_NAME = sql`${sql.placeholder('record_name')}`
// Set explicitly: otherwise values of the batch with these names would be stored, such as an order's notes.
const NO_UPLOAD = { source: null, notes: null, rows_total: null }

// By table: a statement is prepared once for each SQL that finds a record.
const insertAuditRow = insertingIf(IS_CURRENT)
/** Of a write that has read item codes before. */
const insertIfSameCodes = insertingIf(
  sql`${IS_CURRENT} and ${CODES_VERSION} = ${sql.placeholder('codes_version')}`,
)

function insertingIf(guard: SQL) {
  const named = (table: keyof typeof NAMES) =>
    preparedFor((record_id) => inserting(record_id, storedName(table, record_id), guard))
  return {
    none: preparedFor((record_id) => inserting(record_id, RECORD_NAME, guard)),
    ...byName(['orders', 'products', 'locations'], named),
  }
}

function inserting(record_id: SQL, record_name: SQL, guard: SQL) {
  return qb
    .insert(auditLog)
    .values({
      ...placeholders('request_id', 'created_at', 'api_key_id', 'api_key_name', 'partner_id'),
      ...placeholders('partner_name', 'method', 'path', 'status', 'source', 'notes', 'rows_total'),
      ...placeholders('replay_of', 'document_until', 'document_reason'),
      ...placeholders('outcome', 'sender_event', 'sender_id'),
      settings_version: sql`(select ${workspace.settings_version} from ${workspace} where ${guard})`,
      record_id,
      record_name,
      duration_ms: DURATION,
    })
    .returning({ settings_version: auditLog.settings_version })
}

const DURATION: SQL = sql`max(0, cast((unixepoch('subsec') - unixepoch(${sql.placeholder('created_at')}, 'subsec')) * 1000 as integer))`

const isMeant = sql`(not ${sql.placeholder('if_failed')} or rows_failed > 0)`
const DOCUMENT = {
  document_until: sql`case when ${isMeant} then ${sql.placeholder('document_until')} end`,
  document_reason: sql`case when ${isMeant} then ${sql.placeholder('document_reason')} end`,
}

const OF_ANY_TABLE = storedName('any', sql`audit_log.record_id`)
const closeRow = preparedFor((record_name) => closing(DURATION, record_name))

function closing(duration_ms: SQL, record_name: SQL) {
  return qb
    .update(auditLog)
    .set({ duration_ms, record_name, ...DOCUMENT })
    .where(sql`audit_log.seq = ${WRITTEN_IN}`)
}

/** Updates the state of the document in a stored row, of the request that `ownRowValues` names. */
export function noteDocument(state: DocumentState) {
  return qb.update(auditLog).set(state).where(sql`audit_log.seq = ${WRITTEN_IN}`)
}

/** Adds to a stored row, of the request that `ownRowValues` names, why the request failed. */
export function explainAuditRow(explanation: Explanation) {
  return qb.update(auditLog).set(explanation).where(sql`audit_log.seq = ${WRITTEN_IN}`)
}

/** Skips a row that is in the log already: of a retry, or of a write that has committed. */
export const insertAuditRows = prepared(() =>
  qb
    .insert(auditLog)
    .select(sql`select ${membersOfRow()} from json_each(${sql.placeholder('rows')}) where true`)
    .onConflictDoNothing(),
)

function membersOfRow(): SQL {
  const { rows_updated, caller, ...columns } = getTableColumns(auditLog)
  const members = Object.values(columns).map(({ name }) => sql`value ->> ${sql.raw(`'${name}'`)}`)
  return sql.join(members, sql`, `)
}

/**
 * A write's audit row, the first statement of its batch; returns the settings version. The batch fails with
 * NOT NULL `audit_log.settings_version` if the settings that the caller depends on have changed, or item codes that it has
 * read, and with
 * CHECK `audit_log_write_names_record` if `record` is null.
 */
export function openAuditRow(subject: AuditSubject, outcome: Outcome) {
  const { record, status, upload, name, names = 'none', codes } = outcome
  // What commits has not failed, unless it is an upload.
  const { ifFailed, ...document } = outcome.document
  const planned = ifFailed ? NO_DOCUMENT : document
  const row = { ...NO_UPLOAD, ...upload, ...planned, ...subject, status, record_name: name ?? null }
  const insert = codes ? insertIfSameCodes : insertAuditRow
  if (typeof record === 'string') {
    return insert.none(RECORD_ID).with({ ...row, ...codes, record_id: record })
  }
  return insert[names === 'any' ? 'none' : names](record).with({ ...row, ...codes })
}

/**
 * The last of a write's changes, if they decide what its audit row says: of an upload, of an undo, and of a
 * write with `holds`. Stores the name, the document and the time since the request came in, by the database's clock.
 * The batch fails with NOT NULL `audit_log.duration_ms` unless `holds` is true by then. No other write pays for it.
 */
export function closeAuditRow({ created_at }: AuditSubject, outcome: Outcome) {
  const { holds, upload, names } = outcome
  if (!holds && !upload && names !== 'any') return []
  const { ifFailed, ...document } = outcome.document
  const name = names === 'any' ? OF_ANY_TABLE : NO_NAME
  const update = holds
    ? prepared(() => closing(sql`case when ${holds} then ${DURATION} end`, name))
    : closeRow(name)
  return [update.with({ created_at, if_failed: ifFailed ? 1 : 0, ...document })]
}

/** The numbers of records or rows in an audit row. */
export interface RecordCounts {
  rows_total: number
  rows_created: number
  rows_failed: number
}

export type AuditRow = AuditSubject &
  Explanation &
  Partial<RecordCounts> &
  DocumentState & {
    record_id: string | null
    record_name: string | null
    status: number
    error_code: string | null
    duration_ms: number
    list_page: ListPage | null
  }
