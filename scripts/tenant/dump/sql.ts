import type { SQLOutputValue } from 'node:sqlite'
import { literal } from '../rows.ts'
import type { Dump, Table } from './dump.ts'

// D1 takes statements of 100,000 bytes; a tenant may have longer rows, such as an order with two
// objects of 64 KB. As hex a UTF-16 unit is six bytes at most, and a row has some twenty texts.
const STATEMENT_BYTES_MAX = 90_000
const PIECE_LENGTH = 14_000
const SHORT_LENGTH_MAX = 500
const PIECES = 'import_pieces'

// wrangler takes the words of a transaction out of a file wherever they stand.
const PLAIN = /^(?!.*(?:TRANSACTION|COMMIT))[\x20-\x5b\x5d-\x7e\xa0-\ud7ff\ue000-\uffff]*$/

/** The dump as statements that D1 takes, to be run as one batch. */
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
  // Last what every tenant has, so that a file which is cut off lacks some of it: see dump.ts.
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

/** Long texts are laid down in pieces first, and put together by the row's own statement. */
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

/** Text that a reader of the file could trip over, such as line breaks, goes in as its bytes. */
function expressionOf(value: SQLOutputValue): string {
  if (value === null) return 'NULL'
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`
  if (typeof value !== 'string') return String(value)
  return PLAIN.test(value)
    ? literal(value)
    : `CAST(X'${Buffer.from(value).toString('hex')}' AS TEXT)`
}

/** Cut where no character is. */
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
