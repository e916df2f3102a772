import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Dump, Table } from './dump.ts'

const NUL = crypto.randomUUID()

/** SQL that SQLite reads to its end: its parser stops at U+0000, which text may hold. */
export function withoutNul(sql: string): string {
  return sql.replaceAll('\0', NUL)
}

/** Puts back what `withoutNul` has taken out of the SQL that the database was loaded from. */
export function restoreNul(db: DatabaseSync, tables: Table[]): void {
  withoutTriggers(db, () => {
    for (const { name, texts } of tables) {
      const sets = texts.map((column) => `"${column}" = replace("${column}", '${NUL}', char(0))`)
      const where = texts.map((column) => `instr("${column}", '${NUL}')`).join(' OR ')
      if (where) db.exec(`UPDATE "${name}" SET ${sets} WHERE ${where}`)
    }
  })
}

/**
 * Find the rows with texts that `d1 export` does not write as they are: a statement a table, for
 * one batch. It writes a line break as \n and undoes that with replace(), which makes line breaks of
 * what has been a backslash and an n before; and SQLite's own quote() stops at U+0000.
 */
export function cutTextStatements({ tables }: Dump): string[] {
  return tables.map(cutTextStatement)
}

/** Puts what `cutTextStatements` has found into the dump; of a row that it does not have, nothing. */
export function mendTexts({ db, tables }: Dump, found: Record<string, unknown>[][]): void {
  withoutTriggers(db, () => {
    for (const [index, { name, key, columns, texts }] of tables.entries()) {
      const sets = columns.map((column) => `"${column}" = ?`).join(', ')
      const where = key.map((column) => `"${column}" = ?`).join(' AND ')
      for (const row of found[index] ?? []) {
        const values = [
          ...columns.map((column) =>
            texts.includes(column) ? textOf(row[`hex_${column}`]) : row[column],
          ),
          ...key.map((column) => row[column]),
        ] as SQLInputValue[]
        db.prepare(`UPDATE "${name}" SET ${sets} WHERE ${where}`).run(...values)
      }
    }
  })
}

/** They would take what is put right for a change: count it, or refuse it. */
function withoutTriggers(db: DatabaseSync, work: () => void): void {
  const triggers = db
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid")
    .all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER "${name}"`)
  work()
  for (const { sql } of triggers) db.exec(String(sql))
}

function textOf(hex: unknown): string | null {
  return typeof hex === 'string' ? Buffer.from(hex, 'hex').toString('utf8') : null
}

function cutTextStatement({ name, key, columns, texts }: Table): string {
  const plain = columns.filter((column) => key.includes(column) || !texts.includes(column))
  const names = plain.map((column) => `"${column}"`)
  const hexes = texts.map(
    (column) => `CASE WHEN "${column}" IS NOT NULL THEN hex("${column}") END AS "hex_${column}"`,
  )
  const cut = texts.map(
    (column) =>
      `instr("${column}", char(0)) OR (instr("${column}", '\\') AND (instr("${column}", char(10)) OR instr("${column}", char(13))))`,
  )
  return `SELECT ${[...names, ...hexes].join(', ')} FROM "${name}" WHERE ${cut.join(' OR ') || 'false'}`
}
