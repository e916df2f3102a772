import { and, desc, eq, getTableColumns, lt, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { prepared, preparedFor, qb } from '../../engine/db/prepared.ts'
import { isAmong, narrowColumns, wholeColumns } from '../../engine/db/wide-rows.ts'
import { isLong } from '../../engine/model/fields.ts'
import { fieldNames, type RecordDefinition } from '../../engine/model/record.ts'
import { byActivity } from './filters.ts'

type Column<Data, NotNull = true> = SQLiteColumn & { readonly _: { data: Data; notNull: NotNull } }

/** The columns that each table of such records has. */
export interface CatalogueTable extends SQLiteTable {
  seq: Column<number>
  id: Column<string>
  is_active: Column<boolean>
  updated_at: Column<string>
  version: Column<number>
  changed_by: Column<string, false>
}

interface ListColumns extends Record<string, SQLiteColumn> {
  seq: Column<number>
  is_active: Column<boolean>
}

export type Statements = ReturnType<typeof statementsOf>

/** The statements that read a kind of records. */
export function statementsOf({ key, fields, lists }: RecordDefinition, table: CatalogueTable) {
  const { seq, id, is_active, version, changed_by } = table
  const listed: ListColumns = { ...tableColumns(table, lists), is_active, seq }
  const whole: ListColumns = { ...tableColumns(table, Object.keys(fields)), is_active, seq }
  /** What the response to a POST shows. */
  const created = { id, ...tableColumns(table, lists), version, changed_by }
  const shown = { ...tableColumns(table, Object.keys(fields)), id, is_active, version, changed_by }

  const narrowed = (columns: ListColumns) => {
    const long = fieldNames(fields, isLong).filter((name) => name in columns)
    return narrowColumns(columns, long)
  }
  const pageOf = (condition?: SQL) =>
    prepared(() =>
      qb
        .select(narrowed(listed))
        .from(table)
        .where(and(condition, lt(seq, sql.placeholder('before'))))
        .orderBy(desc(seq))
        .limit(sql.placeholder('rows')),
    )
  const wideOf = (columns: ListColumns) =>
    prepared(() => qb.select(wholeColumns(columns)).from(table).where(isAmong(seq)))
  const select = <Columns extends Record<string, SQLiteColumn>>(columns: Columns) =>
    preparedFor((at) => qb.select(columns).from(table).where(eq(id, at)))

  return {
    /** What lists show, with the number of the record. */
    listed: narrowed(listed),
    created,
    selectShown: select(shown),
    selectCreated: select(created),
    selectState: select({ id, ...tableColumns(table, [key]), is_active }),
    selectPage: pagesBy((names) => {
      const exact = names.map((name) => eq(tableColumn(table, name), sql.placeholder(name)))
      return byActivity((condition) => pageOf(and(...exact, condition)))
    }),
    selectWide: wideOf(listed),
    /** Rows of a list with all columns of their records. */
    inFull: {
      narrow: prepared(() => qb.select(narrowed(whole)).from(table).where(isAmong(seq))),
      whole: wideOf(whole),
    },
  }
}

/** Makes the statements of each set of filters once. */
function pagesBy<T>(make: (names: string[]) => T): (names: string[]) => T {
  const made = new Map<string, T>()
  return (names) => {
    const pages = made.get(names.join()) ?? make(names)
    made.set(names.join(), pages)
    return pages
  }
}

export function tableColumn(table: CatalogueTable, name: string): SQLiteColumn {
  const column = getTableColumns(table)[name]
  if (!column) throw new Error(`The table has no column "${name}".`)
  return column
}

export function tableColumns(table: CatalogueTable, names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, tableColumn(table, name)]))
}
