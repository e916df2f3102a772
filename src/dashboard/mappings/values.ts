import type { AsIs, SavedValues, Scalar } from '../../engine/mapping/saved-rule.ts'
import { isTypable, readQuoted } from './cell.ts'

/** The table of a rule as text, with a line for each entry: `processing = pending`. `* = *` keeps all others as they are. */
export function writeValues(values: SavedValues): string {
  return Object.entries(values)
    .map(([theirs, ours]) => writeEntry(theirs, ours))
    .join('\n')
}

export function writeEntry(theirs: string, ours: Scalar | AsIs): string {
  if (typeof ours === 'object' && ours !== null) return `${theirs} = *`
  const name = isBare(theirs) && !theirs.includes('=') ? theirs : JSON.stringify(theirs)
  return `${name} = ${ours === '*' ? JSON.stringify(ours) : writeScalar(ours)}`
}

function writeScalar(scalar: Scalar): string {
  const isText = typeof scalar === 'string' && isBare(scalar) && scalarOf(scalar) === scalar
  return isText ? scalar : JSON.stringify(scalar)
}

/** A list of values as text, one a line. */
export function writeScalars(scalars: readonly Scalar[] = []): string {
  return scalars.map(writeScalar).join('\n')
}

/** Reads what `writeScalars` wrote. */
export function readScalars(text: string): Scalar[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').map((line) => readQuoted(line) ?? scalarOf(line))
}

function isBare(text: string): boolean {
  return isTypable(text) && text !== '' && text.trim() === text && !text.startsWith('"')
}

const ENTRY = /^("(?:[^"\\]|\\.)*"\s*|[^"=][^=]*)=(.*)$/s

/** Reads what `writeValues` wrote. */
export function readValues(text: string): { values: SavedValues } | { fault: string } {
  const values = new Map<string, Scalar | AsIs>()
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const [, name = '', ours = ''] = ENTRY.exec(line.trim()) ?? []
    const theirs = name.startsWith('"') ? readQuoted(name) : name.trim()
    if (theirs === null || theirs === '' || ours.trim() === '') {
      return { fault: `Line ${index + 1} of the values must be: their value = our value.` }
    }
    if (values.has(theirs)) return { fault: `The values have "${theirs}" twice.` }
    const isAsIs = theirs === '*' && ours.trim() === '*'
    values.set(theirs, isAsIs ? { as: 'is' } : (readQuoted(ours.trim()) ?? scalarOf(ours.trim())))
  }
  return { values: Object.fromEntries(values) }
}

const WORDS: Record<string, Scalar> = { true: true, false: false, null: null }

/** A number only if it prints as it is written: `1.50` is a text. */
function scalarOf(text: string): Scalar {
  if (Object.hasOwn(WORDS, text)) return WORDS[text] ?? null
  return JSON.stringify(Number(text)) === text ? Number(text) : text
}
