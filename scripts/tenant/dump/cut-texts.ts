import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Dump, Table } from '../loaded-dump.ts'

const NUL = crypto.randomUUID()

/** Replaces U+0000 in the SQL by a placeholder, because SQLite's parser stops at it. */
export function withoutNul(sql: string): string {
  return sql.replaceAll('\0', NUL)
}

/** Replaces the placeholders of `withoutNul` in the loaded database by U+0000. */
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
 * Statements, one per table, that select the rows with texts that `d1 export` corrupts. It writes a line break as
 * \n and restores it with replace(), which also turns an original backslash and n into a line break. SQLite's
 * quote() cuts texts at U+0000.
 */
export function cutTextStatements({ tables }: Dump): string[] {
  return tables.map(cutTextStatement)
}

/** Corrects the dump's rows with what `cutTextStatements` found. Ignores rows that the dump lacks. */
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

/** Runs `work` without the triggers, which would count or refuse the corrections as changes. */
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
