import { readFileSync } from 'node:fs'
import { filesBelow, type Violation } from './files.ts'

// D1 ignores it when a migration switches foreign keys off, so that a table cannot be dropped and
// rebuilt without its children: nothing here may take them along.
const REFUSED = [
  { pattern: /\bDROP\s+TABLE\b/gi, wrong: 'DROP TABLE: foreign keys stay on, rows are lost' },
  {
    pattern: /\bPRAGMA\s+(?:\w+\s*\.\s*)?foreign_keys\b/gi,
    wrong: 'PRAGMA foreign_keys: D1 ignores it in silence',
  },
  {
    pattern: /\bON\s+DELETE\s+CASCADE\b/gi,
    wrong: 'ON DELETE CASCADE: rebuilding the parent would delete the children',
  },
]

const STRING_OR_COMMENT = /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g

export function migrationViolations(): Violation[] {
  return filesBelow('migrations')
    .filter((path) => path.endsWith('.sql'))
    .flatMap(violationsOf)
}

function violationsOf(path: string): Violation[] {
  const sql = readFileSync(path, 'utf8').replace(STRING_OR_COMMENT, blank)
  return REFUSED.flatMap(({ pattern, wrong }) =>
    [...sql.matchAll(pattern)].map(({ index }) => ({
      path,
      line: sql.slice(0, index).split('\n').length,
      wrong,
    })),
  )
}

/** A comment may speak of what a statement must not do; lines stay where they are. */
function blank(text: string): string {
  return text.startsWith("'") ? text : text.replace(/[^\n]/g, ' ')
}
