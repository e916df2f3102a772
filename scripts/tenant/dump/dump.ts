import { readFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from '../../failure.ts'
import type { Dump, Table } from '../loaded-dump.ts'
import { migrationFiles } from '../state.ts'
import { restoreNul } from './cut-texts.ts'
import { readSql } from './file.ts'

/** The rows of a table and the bytes in their values. Comparing both finds missing rows and cut texts. */
export interface Extent {
  rows: number
  octets: number
}
export type Extents = Record<string, Extent>

// Excludes the tables of SQLite and of D1.
const OURS = `name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`

/** SQLite's lists of tables, indexes and triggers, and of the highest seq of each table. */
const BESIDE_TABLES = [
  { name: 'sqlite_master', columns: ['type', 'name'], where: OURS },
  { name: 'sqlite_sequence', columns: ['name', 'seq'], where: 'true' },
]

/** Loads a dump by `d1 export` or sqlite3. Throws a Failure unless it is an export of a tenant. */
export async function readDump(file: string): Promise<Dump> {
  const db = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
  try {
    db.exec(`BEGIN; ${await readSql(file)}\n; COMMIT`)
    const tables = tablesOf(db)
    restoreNul(db, tables)
    const orphan = db.prepare('PRAGMA foreign_key_check').get()
    if (orphan) throw new Error(`a row of ${orphan.table} refers to one that is missing`)
    const workspace = db.prepare('SELECT tenant FROM workspace').get()
    if (!workspace) throw new Error('it has no workspace')
    return { db, tables, tenant: String(workspace.tenant), applied: appliedIn(db) }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(
      `${file} is not an export of a tenant: ${error instanceof Error ? error.message : error}.`,
    )
  }
}

export function extentsOf(dump: Dump): Extents {
  return extentsFrom(extentStatements(dump).map((sql) => dump.db.prepare(sql).get()))
}

/** Statements, each with one row, to read all extents in one batch. */
export function extentStatements({ tables }: Dump): string[] {
  return [...tables.map((table) => ({ ...table, where: 'true' })), ...BESIDE_TABLES].map(extentSql)
}

export function extentsFrom(rows: (Record<string, unknown> | undefined)[]): Extents {
  return Object.fromEntries(
    rows.map((row) => [
      String(row?.name),
      { rows: Number(row?.extent_rows), octets: Number(row?.extent_octets) },
    ]),
  )
}

/** Tables whose extents differ, such as `orders: 9 of 10 rows`. */
export function differencesOf(expected: Extents, found: Extents): string[] {
  return Object.entries(expected).flatMap(([name, { rows, octets }]) => {
    const other = found[name]
    if (other?.rows === rows && other.octets === octets) return []
    const what =
      other?.rows === rows ? [other.octets, octets, 'octets'] : [other?.rows ?? 0, rows, 'rows']
    return [`${name}: ${what[0]} of ${what[1]} ${what[2]}`]
  })
}

/**
 * Applies missing migrations to the dump. Throws a Failure if the dump has migrations that this build lacks, unless the
 * code that serves runs on them already, as after a rollback: `inUse` gives those that the tenant's database has.
 */
export async function migrateDump(dump: Dump, inUse = async (): Promise<string[]> => []) {
  const { db, applied } = dump
  const known = await migrationFiles()
  const ahead = applied.filter((name) => !known.includes(name))
  const used = ahead.length > 0 ? await inUse() : []
  if (ahead.some((name) => !used.includes(name))) {
    throw new Failure(
      `The export comes from a newer Crossdock, with ${ahead.join(', ')}: import it with that version.`,
    )
  }
  await refuseIncomplete(dump)
  for (const name of known.filter((file) => !applied.includes(file))) {
    db.exec(await readFile(`migrations/${name}`, 'utf8'))
    db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').run(name)
  }
  dump.tables = tablesOf(db)
}

/** A truncated file may end between two statements. Then it lacks indexes or triggers, which come last. */
async function refuseIncomplete({ db, applied }: Dump): Promise<void> {
  const whole = new DatabaseSync(':memory:')
  for (const name of await migrationFiles()) {
    if (applied.includes(name)) whole.exec(await readFile(`migrations/${name}`, 'utf8'))
  }
  const has = db.prepare('SELECT 1 FROM sqlite_master WHERE type = ? AND name = ?')
  const objects = whole.prepare(`SELECT type, name FROM sqlite_master WHERE ${OURS}`).all()
  const missing = objects.find(({ type, name }) => !has.get(`${type}`, `${name}`))
  if (!missing) return
  throw new Failure(`The export is not complete: it lacks the ${missing.type} ${missing.name}.`)
}

function appliedIn(db: DatabaseSync): string[] {
  const rows = db.prepare('SELECT name FROM d1_migrations ORDER BY id').all()
  return rows.map(({ name }) => String(name))
}

function tablesOf(db: DatabaseSync): Table[] {
  const names = db
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND ${OURS} ORDER BY rowid`)
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

function extentSql({ name, columns, where }: Pick<Table, 'name' | 'columns'> & { where: string }) {
  const octets = columns.map((column) => `coalesce(octet_length("${column}"), 0)`).join(' + ')
  return `SELECT '${name}' AS name, count(*) AS extent_rows, coalesce(sum(${octets}), 0) AS extent_octets FROM "${name}" WHERE ${where}`
}
