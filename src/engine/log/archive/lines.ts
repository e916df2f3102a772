import { getTableColumns } from 'drizzle-orm'
import { auditLog } from '../../db/tables.ts'

const { caller, ...columns } = getTableColumns(auditLog)

/** What is archived of a row of the log: all columns except `caller`, which SQLite computes. */
export const ARCHIVED_COLUMNS = columns

export type LogRow = Omit<typeof auditLog.$inferSelect, 'caller'>

const COLUMNS = Object.keys(columns)

/** A row as a line of an object: without what is null, which is most of it. */
export function lineOf(row: LogRow): string {
  const told = Object.entries(row).filter(([, value]) => value !== null)
  return `${JSON.stringify(Object.fromEntries(told))}\n`
}

/** A line that was archived before a column existed lacks it. */
export function rowOf(line: string): LogRow {
  const row = JSON.parse(line)
  for (const name of COLUMNS) row[name] ??= name === 'dry_run' ? false : null
  return row
}

/** What each line says of a row that has this value. */
export function lineMember(member: Partial<Record<keyof LogRow, string>>): string {
  return JSON.stringify(member).slice(1, -1)
}
