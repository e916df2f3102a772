import type { SQLInputValue } from 'node:sqlite'
import type { Dump, Table } from './dump.ts'

/**
 * Finds the rows with texts that `d1 export` does not write as they are: a statement a table, for
 * one batch. It writes a line break as \n and undoes that with replace(), which makes line breaks of
 * what has been a backslash and an n before; and SQLite's own quote() stops at U+0000.
 */
export function cutTextsSql({ tables }: Dump): string {
  return tables.map(cutTextsOf).join('; ')
}

/** Puts what `cutTextsSql` has found into the dump; of a row that it does not have, nothing. */
export function mendTexts({ db, tables }: Dump, found: Record<string, unknown>[][]): void {
  const version = Number(
    db.prepare('SELECT settings_version FROM workspace').get()?.settings_version,
  )
  for (const [index, { name, key, texts }] of tables.entries()) {
    const sets = texts.map((column) => `"${column}" = ?`).join(', ')
    const where = key.map((column) => `"${column}" = ?`).join(' AND ')
    for (const row of found[index] ?? []) {
      const values = [
        ...texts.map((column) => textOf(row[`hex_${column}`])),
        ...key.map((column) => row[column]),
      ]
      db.prepare(`UPDATE "${name}" SET ${sets} WHERE ${where}`).run(...(values as SQLInputValue[]))
    }
  }
  // Triggers have counted the mended rows as changes.
  db.prepare('UPDATE workspace SET settings_version = ?').run(version)
}

function textOf(hex: unknown): string | null {
  return typeof hex === 'string' ? Buffer.from(hex, 'hex').toString('utf8') : null
}

function cutTextsOf({ name, key, texts }: Table): string {
  const keys = key.map((column) => `"${column}"`)
  const hexes = texts.map(
    (column) => `CASE WHEN "${column}" IS NOT NULL THEN hex("${column}") END AS "hex_${column}"`,
  )
  const cut = texts.map(
    (column) =>
      `instr("${column}", char(0)) OR (instr("${column}", '\\') AND (instr("${column}", char(10)) OR instr("${column}", char(13))))`,
  )
  return `SELECT ${[...keys, ...hexes].join(', ')} FROM "${name}" WHERE ${cut.join(' OR ') || 'false'}`
}
