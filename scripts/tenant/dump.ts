import { readFile, stat } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from '../failure.ts'
import { migrationFiles } from './state.ts'

// A JavaScript string holds no more, and SQLite takes its text as one.
const BYTES_MAX = 500_000_000

/** A table's columns but generated ones, which no dump holds. */
export interface Table {
  name: string
  columns: string[]
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
  return names.map(({ name }) => ({
    name: String(name),
    columns: db
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(String(name))
      .map((column) => String(column.name)),
  }))
}

function extentSql({ name, columns }: Table): string {
  const octets = columns.map((column) => `coalesce(octet_length("${column}"), 0)`).join(' + ')
  return `SELECT '${name}' AS name, count(*) AS extent_rows, coalesce(sum(${octets}), 0) AS extent_octets FROM "${name}"`
}

/** SQLite's parser stops at U+0000, which text may hold: it goes in as `char(0)`. */
async function readSql(file: string): Promise<string> {
  const found = await stat(file).catch(() => null)
  if (!found?.isFile()) throw new Failure(`There is no file ${file}.`, 2)
  if (found.size > BYTES_MAX) {
    throw new Failure(
      `${file} is larger than ${BYTES_MAX / 1_000_000} MB: docs/operations.md says how to move such a tenant.`,
    )
  }
  const sql = await readFile(file, 'utf8')
  return sql.replaceAll('\0', "'||char(0)||'")
}
