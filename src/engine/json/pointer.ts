import { type Path, printPath } from './path.ts'

const POINTER = /^#?\//
const INDEX = /^(?:0|[1-9]\d{0,2})$/

/**
 * Says that the text is a JSON pointer (RFC 6901), and what to write instead; null if it is none. As a path it would be
 * the name of a field that no document has. Only what is saved is checked: what was saved before keeps working.
 */
export function pointerFault(text: string): string | null {
  if (!POINTER.test(text)) return null
  const names = text.replace(POINTER, '').split('/').map(unescaped)
  const [first = '', ...rest] = names
  const path: Path = [first, ...rest.map((name) => (INDEX.test(name) ? Number(name) : name))]
  // A text such as `/orders[]` has steps of a path already.
  const better = text.includes('[') ? names.join('.') : printPath(path)
  return `is a JSON pointer: write "${better}". A field of this name is "${printQuoted(text)}".`
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}

function printQuoted(name: string): string {
  return `['${name.replace(/['\\]/g, '\\$&')}']`
}
