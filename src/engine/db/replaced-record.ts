import { and, type Column, eq, getTableName, type SQL, sql, type Table } from 'drizzle-orm'
import { WRITTEN_ID, WRITTEN_IN } from './audit-row.ts'
import { type Query, qb } from './prepared.ts'
import { replacedValues } from './tables.ts'
import { REMEMBERS } from './undo-days.ts'

/** A value of a column as it is stored: JSON objects as text, flags as 0 or 1. */
export type Stored = string | number | null

/** The line's position, then what it was verified as, then what the write made of it. */
export type ReplacedLine = [
  position: number,
  quantity_before: number,
  status_before: string,
  quantity: number,
  status: string,
]

/** What a PUT replaced, as `replaced_values` holds it: one row, in position 0. */
export interface ReplacedRecord {
  id: string
  /** The version that the PUT gave the record. */
  version: number
  /** The fields of the PUT: before it, and after it. Some may be the same. */
  from: Record<string, Stored>
  to: Record<string, Stored>
  /** Of an order: the lines that it verified. */
  lines: ReplacedLine[] | null
}

interface RecordTable extends Table {
  id: Column
  version: Column
}

/**
 * The statement that remembers the fields which a PUT replaces, before the statement that does so; for a write
 * whose WRITTEN_ID is the record's. `differs` is true if the PUT changes anything. `lines` is SQL for JSON.
 */
export function rememberRecord(
  table: RecordTable,
  values: object,
  differs: SQL | undefined,
  lines: SQL = sql`null`,
): Query {
  const fields = Object.entries(values).filter(([, value]) => value !== undefined)
  const columnOf = (name: string) => Reflect.get(table, name) as Column
  const from = fields.map(([name]) => sql`${name}, ${columnOf(name)}`)
  const to = fields.map(([name, value]) => [
    name,
    value === null ? null : columnOf(name).mapToDriverValue(value),
  ])
  return qb.insert(replacedValues).select(
    sql`select ${WRITTEN_IN}, 0, ${getTableName(table)}, json_object(
        'id', ${table.id}, 'version', ${table.version} + 1, 'from', json_object(${sql.join(from, sql`, `)}),
        'to', json(${JSON.stringify(Object.fromEntries(to))}), 'lines', json(${lines}))
      from ${table} where ${and(eq(table.id, WRITTEN_ID), differs, REMEMBERS)}`,
  )
}
