import { type Path, printPath } from './path.ts'

const POINTER = /^#?\//
const INDEX = /^(?:0|[1-9]\d{0,2})$/

/**
 * What to write instead of a JSON pointer (RFC 6901), `is a JSON pointer: ...`; null if the text is none. As a path, it
 * would be the name of a field that no document has. Asked when something is saved: what is saved already goes on.
 */
export function pointerFault(text: string): string | null {
  if (!POINTER.test(text)) return null
  const names = text.replace(POINTER, '').split('/').map(unescaped)
  const [first = '', ...rest] = names
  const path: Path = [first, ...rest.map((name) => (INDEX.test(name) ? Number(name) : name))]
  // Half a path already: `/orders[]`.
  const better = text.includes('[') ? names.join('.') : printPath(path)
  return `is a JSON pointer: write "${better}". A field of this name is "${printQuoted(text)}".`
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}

function printQuoted(name: string): string {
  return `['${name.replace(/['\\]/g, '\\$&')}']`
}
