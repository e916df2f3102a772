import { isObject } from '../json/json-object.ts'
import { type Path, printPath } from '../json/path.ts'
import type { RuleFault } from './rules.ts'

const POINTER = /^#?\//
const INDEX = /^(?:0|[1-9]\d{0,2})$/

/**
 * Rules with a path that is written as a JSON pointer (RFC 6901). It would be the name of a field that no document has.
 * Looked for when a mapping is saved: one that is saved already goes on.
 */
export function pointerFaults(fields: Record<string, unknown>): RuleFault[] {
  return Object.entries(fields).flatMap(([rule, saved]) => {
    const source = sourcesOf(saved).find((text) => POINTER.test(text))
    const [what, text] = POINTER.test(rule) ? ['target', rule] : ['source', source]
    return text === undefined ? [] : [{ rule, message: messageFor(`The ${what} "${text}"`, text) }]
  })
}

function sourcesOf(saved: unknown): string[] {
  const { from, join, each } = isObject(saved) ? saved : { from: saved }
  return [from, join, each].flat(2).filter((text) => typeof text === 'string')
}

function messageFor(what: string, pointer: string): string {
  const names = pointer.replace(POINTER, '').split('/').map(unescaped)
  const [first = '', ...rest] = names
  const path: Path = [first, ...rest.map((name) => (INDEX.test(name) ? Number(name) : name))]
  return `${what} is a JSON pointer: write "${printPath(path)}". A field of this name is "${printQuoted(pointer)}".`
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}

function printQuoted(name: string): string {
  return `['${name.replace(/['\\]/g, '\\$&')}']`
}
