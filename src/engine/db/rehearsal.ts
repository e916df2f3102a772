import { type GetColumnData, is, type SQL, sql } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type NamedTable, storedName, type UploadNote } from './audit-row.ts'
import type { Constraint } from './constraints.ts'
import { type Queries, type Query, qb } from './prepared.ts'

// A dry run answers what the write would answer, and sends no statement that writes. A batch that is made to roll
// back would refuse by the same constraints, but its error is all that comes out of it, and no text of a customer
// may be in an error. So a write says what it rests on, and what it makes of that (docs/decisions.md).

/** The constraint, and SQL that is true if the write keeps it. */
export type RehearsedRule = readonly [Constraint, SQL]

/** The rows of each query that a write reads back. */
type Rows = [unknown, ...unknown[]]

/** What the audit row of a dry run says as that of the write would. */
export interface Rehearsed {
  record_id: string
  record_name: string | null
  upload?: UploadNote & { rows_created: number; rows_failed: number }
}

/** What a write would do, told by what it reads. WRITTEN_ID has no value here. */
export interface Rehearsal<Answer> {
  /** In the order in which the statements of the write would break them. */
  rules: readonly RehearsedRule[]
  reads: readonly Query[]
  /** What the write would read back. */
  foresee: (rows: never) => Answer
}

/** Of a write whose answer needs nothing that is stored, except for its rules. */
export function foreseen<Answer extends Rows>(
  answer: () => Answer,
  rules: readonly RehearsedRule[] = [],
): Rehearsal<Answer> {
  return { rules, reads: [], foresee: answer }
}

/** Of a write whose answer is made of these rows, as they are before it. */
export function foreseenFrom<Read extends Queries, Answer extends Rows>(
  reads: Read,
  foresee: (rows: BatchResponse<Read>) => Answer,
  rules: readonly RehearsedRule[] = [],
): Rehearsal<Answer> {
  return { rules, reads, foresee }
}

/** Of a write that its caller rehearses by other statements, and never gives to a database that rehearses. */
export const REHEARSED_APART: Rehearsal<never> = {
  rules: [],
  reads: [],
  foresee() {
    throw new Error('This write has no rehearsal of its own.')
  },
}

/** Reads the record that the write would name, and whether each rule holds: `rule_0` is 0 if the first one does not. */
export function selectVerdict(
  record: string | SQL,
  names: NamedTable | undefined,
  rules: readonly RehearsedRule[],
) {
  const record_id = sql<string | null>`${record}`
  const held = rules.map(([, holds], at) => [`rule_${at}`, holds.as(`rule_${at}`)] as const)
  return qb
    .select({
      record_id: record_id.as('verdict_id'),
      record_name: storedName(names, record_id).as('verdict_name'),
      ...Object.fromEntries(held),
    })
    .from(sql`(select 1)`)
}

/** The row of a new record: its values, and the defaults of all other columns. */
export function newRow<Columns extends object>(columns: Columns, values: object): RowOf<Columns> {
  const row = Object.entries(columns).map(([name, column]) => {
    const value = Reflect.get(values, name) ?? (is(column, SQLiteColumn) ? column.default : null)
    return [name, stored(value ?? null)]
  })
  return Object.fromEntries(row) as RowOf<Columns>
}

/** What is no column is null. */
type RowOf<Columns> = {
  [Name in keyof Columns]: Columns[Name] extends SQLiteColumn ? GetColumnData<Columns[Name]> : null
}

/** The row after an update; one that has all these values already stays as it is, without `changes`. */
export function updatedRow<Row extends object>(row: Row, input: object, changes: object = {}): Row {
  const given = Object.entries(input).filter(([, value]) => value !== undefined)
  const isSame = given.every(([name, value]) => {
    return JSON.stringify(Reflect.get(row, name)) === JSON.stringify(stored(value))
  })
  if (isSame) return row
  const values = given.map(([name, value]) => [name, stored(value)])
  const shown = Object.entries(changes).filter(([name]) => Object.hasOwn(row, name))
  return { ...row, ...Object.fromEntries([...values, ...shown]) }
}

/** The value as it is read back: an object without the digits that a number of JavaScript cannot hold. */
function stored(value: unknown): unknown {
  return typeof value === 'object' ? JSON.parse(JSON.stringify(value)) : value
}
