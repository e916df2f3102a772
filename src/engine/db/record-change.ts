import { type Column, is, or, SQL, sql } from 'drizzle-orm'
import { WRITTEN_IN } from './audit-row.ts'

interface RecordTable {
  updated_at: Column
  version: Column
}

/** For a statement that creates or changes records: the request that did. The feed of changes is in its order. */
export const CHANGED_HERE = {
  changed_in: WRITTEN_IN,
  changed_by: sql`${sql.placeholder('request_id')}`,
}

/** For `set` of a statement that changes a record: when it changed, in which request, and that it did. */
export function changedAt({ version }: RecordTable, now: string) {
  return { updated_at: now, version: sql`${version} + 1`, ...CHANGED_HERE }
}

/**
 * SQL that is true if the record does not hold all these values already; undefined without values. An object is
 * compared as text, so members in another order are a difference, as they are in the answer.
 */
export function differsFrom(table: object, values: object): SQL | undefined {
  const columns = Object.entries(values).flatMap(([name, value]) => {
    const column = Reflect.get(table, name) as Column
    if (value === undefined) return []
    return [sql`${column} is not ${is(value, SQL) ? value : sql.param(value, column)}`]
  })
  return or(...columns)
}
