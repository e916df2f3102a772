import { readFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from '../../failure.ts'
import { migrationFiles } from '../state.ts'
import { readSql } from './file.ts'

/** A table's columns but generated ones, which no dump holds. */
export interface Table {
  name: string
  columns: string[]
  /** Columns of the primary key. */
  key: string[]
  /** Columns that hold text. */
  texts: string[]
}

/** Rows of a table, and octets in all their values: enough to miss no row and no cut-off text. */
export interface Extent {
  rows: number
  octets: number
}
export type Extents = Record<string, Extent>

/** A dump, loaded into memory as a database of its own. */
export interface Dump {
  db: DatabaseSync
  tables: Table[]
  /** The tenant whose workspace it holds. */
  tenant: string
}

/** Loads a dump, as `d1 export` and sqlite3 write them; throws a Failure unless it is one of ours. */
export async function readDump(file: string): Promise<Dump> {
  const db = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
  try {
    db.exec(`BEGIN; ${await readSql(file)}\n; COMMIT`)
    const orphan = db.prepare('PRAGMA foreign_key_check').get()
    if (orphan) throw new Error(`a row of ${orphan.table} refers to one that is missing`)
    const workspace = db.prepare('SELECT tenant FROM workspace').get()
    if (!workspace) throw new Error('it has no workspace')
    return { db, tables: tablesOf(db), tenant: String(workspace.tenant) }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(
      `${file} is no export of a tenant: ${error instanceof Error ? error.message : error}.`,
    )
  }
}

export function extentsOf({ db, tables }: Dump): Extents {
  const rows = tables.map((table) => db.prepare(extentSql(table)).get())
  return extentsFrom(rows)
}

/** One row a table, to be read in one batch. */
export function extentsSql({ tables }: Dump): string {
  return tables.map(extentSql).join('; ')
}

export function extentsFrom(rows: (Record<string, unknown> | undefined)[]): Extents {
  return Object.fromEntries(
    rows.map((row) => [
      String(row?.name),
      { rows: Number(row?.extent_rows), octets: Number(row?.extent_octets) },
    ]),
  )
}

/** Tables whose extents differ, as `orders: 9 of 10 rows`. */
export function differencesOf(expected: Extents, found: Extents): string[] {
  return Object.entries(expected).flatMap(([name, { rows, octets }]) => {
    const other = found[name]
    if (other?.rows === rows && other.octets === octets) return []
    const what =
      other?.rows === rows ? [other.octets, octets, 'octets'] : [other?.rows ?? 0, rows, 'rows']
    return [`${name}: ${what[0]} of ${what[1]} ${what[2]}`]
  })
}

/** Applies to the dump what it lacks of migrations/; throws a Failure where it is ahead of them. */
export async function migrateDump({ db }: Dump): Promise<void> {
  const known = await migrationFiles()
  const applied = db
    .prepare('SELECT name FROM d1_migrations')
    .all()
    .map(({ name }) => String(name))
  const ahead = applied.filter((name) => !known.includes(name))
  if (ahead.length > 0) {
    throw new Failure(
      `The export comes from a newer Crossdock, with ${ahead.join(', ')}: use that one.`,
    )
  }
  for (const name of known.filter((file) => !applied.includes(file))) {
    db.exec(await readFile(`migrations/${name}`, 'utf8'))
    db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').run(name)
  }
}

function tablesOf(db: DatabaseSync): Table[] {
  const names = db
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY rowid`,
    )
    .all()
  const tableInfo = db.prepare('SELECT name, pk, type FROM pragma_table_info(?)')
  return names.map(({ name }) => {
    const info = tableInfo.all(String(name))
    const namesOf = (columns: typeof info) => columns.map((column) => String(column.name))
    return {
      name: String(name),
      columns: namesOf(info),
      key: namesOf(info.filter(({ pk }) => pk !== 0)),
      texts: namesOf(info.filter(({ type }) => type === 'TEXT')),
    }
  })
}

function extentSql({ name, columns }: Table): string {
  const octets = columns.map((column) => `coalesce(octet_length("${column}"), 0)`).join(' + ')
  return `SELECT '${name}' AS name, count(*) AS extent_rows, coalesce(sum(${octets}), 0) AS extent_octets FROM "${name}"`
}
