// A migration is applied while the code of before serves, and a rollback brings that code back. So migrations
// expand: they add what only newer code uses. What they take away must be unused by then, and a line says since when:
//
//   -- Needs code of 0022: code from before writes orders.note.
//
// 0022 is the newest migration that such code knows.

const NEEDED = /^--\s*Needs code of (\d{4}\w*): (.+)$/m
const NUMBER = /^(\d{4}[a-z]?)_/
const STRING_OR_COMMENT = /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g
const TAKES_AWAY = [
  /\bDROP\s+(?:TABLE|VIEW)\b/gi,
  /\bDROP\s+COLUMN\b/gi,
  /\bDROP\s+TRIGGER\s+(?:IF\s+EXISTS\s+)?(\w+)/gi,
  /\bALTER\s+TABLE\s+(\w+)\s+RENAME\b/gi,
  /\bCREATE\s+UNIQUE\s+INDEX\s+(?:IF\s+NOT\s+EXISTS\s+)?\w+\s+ON\s+(\w+)/gi,
]
const CREATED = /\bCREATE\s+(?:TABLE|TRIGGER)\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)/gi

export interface Need {
  /** The number of the migration up to which code must know them, such as `0022`. */
  of: string
  why: string
}

/** `0022` of `0022_notes.sql`, by which migrations are in order. */
export function numberOf(file: string): string {
  return NUMBER.exec(file)?.[1] ?? file
}

/** Which code a database with the migration needs; null if all older code may go on serving. */
export function needIn(sql: string): Need | null {
  const [, of, why] = NEEDED.exec(sql) ?? []
  return of !== undefined && why !== undefined ? { of, why } : null
}

/**
 * What older code may miss, or may be refused by: the statements and their places in the text. A trigger that is made
 * again, and what is about a table of the same migration, are nothing of that kind.
 */
export function contractions(sql: string): { statement: string; index: number }[] {
  const code = sql.replace(STRING_OR_COMMENT, (text) => text.replace(/[^\n]/g, ' '))
  const created = new Set(Array.from(code.matchAll(CREATED), ([, name]) => name))
  return TAKES_AWAY.flatMap((pattern) => [...code.matchAll(pattern)])
    .filter(([, name]) => name === undefined || !created.has(name))
    .map(({ 0: statement, index }) => ({ statement: statement.replace(/\s+/g, ' '), index }))
    .toSorted((one, other) => one.index - other.index)
}

/** What is wrong with a migration's line, or with its absence; null if nothing is. */
export function needFault(file: string, sql: string): { wrong: string; index: number } | null {
  const [first] = contractions(sql)
  const need = needIn(sql)
  const own = numberOf(file)
  if (need && need.of > own) {
    return { wrong: `needs code of ${need.of}, which comes later`, index: sql.search(NEEDED) }
  }
  if (!first || (need && need.of < own)) return null
  const wrong = need
    ? `${first.statement} while code of before ${own} serves: first deploy code that does without, then take it away in a later migration`
    : `${first.statement}: older code may use it. Say since which migration none does, in a line "-- Needs code of 0022: why"`
  return { wrong, index: first.index }
}
