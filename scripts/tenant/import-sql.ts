import type { SQLOutputValue } from 'node:sqlite'
import type { Dump, Table } from './dump.ts'
import { literal } from './first-key.ts'

// D1 takes statements of 100,000 bytes; a dump may hold longer ones, such as an order's with two
// objects of 64 KB. A character is three bytes at most, a quote two.
const STATEMENT_BYTES_MAX = 90_000
const PIECE_LENGTH = 20_000
const PIECES = 'import_pieces'

/** The dump as statements that D1 takes, to be run as one batch. */
export function* importSql(dump: Dump): Generator<string> {
  yield 'PRAGMA defer_foreign_keys = TRUE'
  yield `CREATE TABLE ${PIECES} (position INTEGER PRIMARY KEY, piece TEXT NOT NULL) STRICT`
  for (const table of dump.tables) {
    yield definitionOf(dump, table.name)
    yield* insertRows(dump, table)
  }
  yield `DROP TABLE ${PIECES}`
  yield 'DELETE FROM sqlite_sequence'
  yield* insertRows(dump, { name: 'sqlite_sequence', columns: ['name', 'seq'] })
  const rest =
    "SELECT sql FROM sqlite_master WHERE type <> 'table' AND sql IS NOT NULL ORDER BY rowid"
  for (const { sql } of dump.db.prepare(rest).iterate()) yield String(sql)
}

function definitionOf({ db }: Dump, table: string): string {
  return String(db.prepare('SELECT sql FROM sqlite_master WHERE name = ?').get(table)?.sql)
}

function* insertRows({ db }: Dump, { name, columns }: Table): Generator<string> {
  const names = columns.map((column) => `"${column}"`).join(', ')
  let pieces = 0
  for (const row of db.prepare(`SELECT ${names} FROM "${name}"`).iterate()) {
    const values = columns.map((column) => row[column] ?? null)
    const insert = `INSERT INTO "${name}" (${names}) SELECT ${values.map(expressionOf).join(', ')}`
    if (Buffer.byteLength(insert) <= STATEMENT_BYTES_MAX) {
      yield insert
      continue
    }
    const expressions: string[] = []
    for (const value of values) {
      const parts = typeof value === 'string' ? piecesOf(value) : []
      if (parts.length > 1) {
        for (const part of parts)
          yield `INSERT INTO ${PIECES} SELECT ${++pieces}, ${expressionOf(part)}`
      }
      expressions.push(
        parts.length > 1 ? joined(pieces - parts.length + 1, pieces) : expressionOf(value),
      )
    }
    yield `INSERT INTO "${name}" (${names}) SELECT ${expressions.join(', ')}`
    yield `DELETE FROM ${PIECES}`
  }
}

function joined(first: number, last: number): string {
  const pieces = `SELECT piece FROM ${PIECES} WHERE position BETWEEN ${first} AND ${last} ORDER BY position`
  return `(SELECT group_concat(piece, '') FROM (${pieces}))`
}

function expressionOf(value: SQLOutputValue): string {
  if (value === null) return 'NULL'
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`
  if (typeof value !== 'string') return String(value)
  return value.split('\0').map(literal).join('||char(0)||')
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
