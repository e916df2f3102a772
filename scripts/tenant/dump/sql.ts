import type { SQLOutputValue } from 'node:sqlite'
import type { Dump, Table } from '../loaded-dump.ts'
import { literal } from '../rows.ts'

// D1 accepts statements of up to 100,000 bytes. A row may be longer, such as an order with two objects of 64 KB.
// As hex a UTF-16 unit takes up to six bytes, and a row has some twenty texts.
const STATEMENT_BYTES_MAX = 90_000
const PIECE_LENGTH = 14_000
const SHORT_LENGTH_MAX = 500
const PIECES = 'import_pieces'

// wrangler removes the keywords of a transaction anywhere in a file, even inside a text.
const PLAIN = /^(?!.*(?:TRANSACTION|COMMIT))[\x20-\x5b\x5d-\x7e\xa0-\ud7ff\ue000-\uffff]*$/

/** The dump as statements that D1 accepts, to be run as one batch. */
export function* dumpSql(dump: Dump): Generator<string> {
  yield 'PRAGMA defer_foreign_keys = TRUE'
  yield `CREATE TABLE ${PIECES} (position INTEGER PRIMARY KEY, piece TEXT NOT NULL) STRICT`
  for (const table of dump.tables) {
    yield definitionOf(dump, table.name)
    yield* insertRows(dump, table)
  }
  yield `DROP TABLE ${PIECES}`
  yield 'DELETE FROM sqlite_sequence'
  yield* insertRows(dump, { name: 'sqlite_sequence', columns: ['name', 'seq'], key: [], texts: [] })
  // Indexes and triggers come last: every tenant has them, so a truncated file lacks some (dump.ts).
  const rest =
    "SELECT sql FROM sqlite_master WHERE type <> 'table' AND sql IS NOT NULL ORDER BY type, rowid"
  for (const { sql } of dump.db.prepare(rest).iterate()) yield String(sql)
}

function definitionOf({ db }: Dump, table: string): string {
  return String(db.prepare('SELECT sql FROM sqlite_master WHERE name = ?').get(table)?.sql)
}

function* insertRows({ db }: Dump, { name, columns }: Table): Generator<string> {
  const names = columns.map((column) => `"${column}"`).join(', ')
  const into = `INSERT INTO "${name}" (${names}) SELECT`
  for (const row of db.prepare(`SELECT ${names} FROM "${name}"`).iterate()) {
    const values = columns.map((column) => row[column] ?? null)
    const insert = `${into} ${values.map(expressionOf).join(', ')}`
    if (Buffer.byteLength(insert) <= STATEMENT_BYTES_MAX) yield insert
    else yield* insertLongRow(into, values)
  }
}

/** Inserts long texts in pieces first. The row's own statement joins them. */
function* insertLongRow(into: string, values: SQLOutputValue[]): Generator<string> {
  const expressions: string[] = []
  let last = 0
  for (const value of values) {
    if (typeof value !== 'string' || value.length <= SHORT_LENGTH_MAX) {
      expressions.push(expressionOf(value))
      continue
    }
    const first = last + 1
    for (const piece of piecesOf(value))
      yield `INSERT INTO ${PIECES} SELECT ${++last}, ${expressionOf(piece)}`
    expressions.push(joined(first, last))
  }
  yield `${into} ${expressions.join(', ')}`
  yield `DELETE FROM ${PIECES}`
}

function joined(first: number, last: number): string {
  const pieces = `SELECT piece FROM ${PIECES} WHERE position BETWEEN ${first} AND ${last} ORDER BY position`
  return `(SELECT group_concat(piece, '') FROM (${pieces}))`
}

/** A value as SQL. Text that wrangler or D1 could misread, such as line breaks, is written as bytes. */
function expressionOf(value: SQLOutputValue): string {
  if (value === null) return 'NULL'
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`
  if (typeof value !== 'string') return String(value)
  return PLAIN.test(value)
    ? literal(value)
    : `CAST(X'${Buffer.from(value).toString('hex')}' AS TEXT)`
}

/** Cuts the text into pieces, never inside a surrogate pair. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length; ) {
    const splits = /[\uD800-\uDBFF]/.test(text.charAt(start + PIECE_LENGTH - 1))
    const end = start + PIECE_LENGTH - (splits ? 1 : 0)
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}
