import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { needFault } from '../tenant/expand-contract.ts'
import { filesBelow, type Violation } from './files.ts'

// D1 ignores a migration that switches foreign keys off. So a migration that drops and rebuilds a table to which
// others refer would delete their rows.
const DROPPED_TABLE = /\bDROP\s+TABLE\s+(\w+)/gi
const REFERRED_TABLE = /\bREFERENCES\s+(\w+)/gi

const REFUSED = [
  {
    pattern: /\bPRAGMA\s+(?:\w+\s*\.\s*)?foreign_keys\b/gi,
    wrong: 'PRAGMA foreign_keys: D1 ignores it without an error',
  },
  {
    pattern: /\bON\s+DELETE\s+CASCADE\b/gi,
    wrong: 'ON DELETE CASCADE: rebuilding the parent would delete the children',
  },
]

// `wrangler d1 migrations apply --remote` splits the statements on the server. It has taken quotes and semicolons of
// comments for those of statements, and has ended a trigger too early (workers-sdk 4326, 4713, 10998, 15690).
const SPLIT_WRONG = [
  { isIn: /^[^']*?--.*['"`;]/, wrong: 'a quote or a semicolon in a comment' },
  { isIn: /^(?!END;$).*\bEND\s*;/i, wrong: '`END;` of a trigger must stand alone on its line' },
]
const BYTES_MAX = 100_000

const STRING_OR_COMMENT = /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g

export function migrationViolations(): Violation[] {
  const migrations = filesBelow('migrations')
    .filter((path) => path.endsWith('.sql'))
    .map((path) => {
      const text = readFileSync(path, 'utf8')
      return { path, text, sql: text.replace(STRING_OR_COMMENT, blank) }
    })
  const parents = new Set(
    migrations.flatMap(({ sql }) => Array.from(sql.matchAll(REFERRED_TABLE), ([, name]) => name)),
  )
  return migrations.flatMap(({ path, text, sql }) => {
    const dropped = [...sql.matchAll(DROPPED_TABLE)].filter(([, name]) => parents.has(name))
    const wrong = 'DROP TABLE of a table to which others refer: their rows are lost'
    return [
      ...dropped.map(({ index }) => ({ path, line: lineAt(sql, index), wrong })),
      ...refusedIn(path, sql),
      ...splitViolations(path, text),
      ...needIn(path, text),
    ]
  })
}

function refusedIn(path: string, sql: string): Violation[] {
  return REFUSED.flatMap(({ pattern, wrong }) =>
    [...sql.matchAll(pattern)].map(({ index }) => ({ path, line: lineAt(sql, index), wrong })),
  )
}

/** What `wrangler d1 migrations apply --remote` may split wrongly, or refuses. */
export function splitViolations(path: string, text: string): Violation[] {
  const lines = text.split('\n').flatMap((line, index) =>
    SPLIT_WRONG.filter(({ isIn }) => isIn.test(line)).map(({ wrong }) => ({
      path,
      line: index + 1,
      wrong,
    })),
  )
  const isTooLarge = Buffer.byteLength(text) > BYTES_MAX
  const wrong = `more than ${BYTES_MAX} bytes: divide it`
  return [...lines, ...(isTooLarge ? [{ path, line: 1, wrong }] : [])]
}

function needIn(path: string, text: string): Violation[] {
  const fault = needFault(basename(path), text)
  return fault ? [{ path, line: lineAt(text, fault.index), wrong: fault.wrong }] : []
}

function lineAt(sql: string, index: number): number {
  return sql.slice(0, index).split('\n').length
}

/** Blanks comments, which may name what a statement must not do. Line numbers stay the same. */
function blank(text: string): string {
  return text.startsWith("'") ? text : text.replace(/[^\n]/g, ' ')
}
