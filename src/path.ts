/** A wildcard step: every element of an array. Written `[]`, or `[*]` as in RFC 9535. */
export const EACH: unique symbol = Symbol('[]')

/** A member's name, an element's index (-1 is the last one), or every element. */
export type Step = string | number | typeof EACH
export type Path = readonly Step[]

/** Why a text is no path, in words for the author of a mapping. */
export class PathError extends Error {}

const LENGTH_MAX = 256
const DEPTH_MAX = 16
const INDEX_MAX = 999
const WILDCARDS_MAX = 2

// In the order in which they are tried at a place of the text.
const STEPS: [pattern: RegExp, step: (match: string) => Step][] = [
  [/\[(?:\*)?\]/y, () => EACH],
  [/\[(?:-1|0|[1-9]\d*)\]/y, (match) => Number(match.slice(1, -1))],
  [/\['(?:[^'\\]|\\['\\])*'\]/y, (match) => match.slice(2, -2).replace(/\\(.)/g, '$1')],
  [/\.[^\s\p{Cc}.[\]'"*(){}<>|&=+,;?!\\]+/uy, (match) => match.slice(1)],
]

// No part of an expression or a template: an author who tries one is told so.
const PLAIN_NAME = /^(?!\$)[^\s\p{Cc}.[\]'"*(){}<>|&=+,;?!\\]+$/u

// Assigning one of these would reach beyond the document that is being built.
const UNSAFE_NAMES = new Set(['__proto__', 'prototype', 'constructor'])

/** A path as a mapping may hold it, within the language's bounds. Throws PathError. */
export function parsePath(text: string): Path {
  if (text.length > LENGTH_MAX) throw new PathError(`is longer than ${LENGTH_MAX} characters`)
  const path = readPath(text)
  checkPath(path)
  return path
}

/**
 * `a.b`, `a[0]`, `a[-1]`, `a[]`, `a[*]`, `a['any key']`, with an optional leading `$.`; a path of a
 * document has no bounds. Throws PathError.
 */
export function readPath(text: string): Path {
  const path: Step[] = []
  const whole = dotted(text)
  for (let at = 0; at < whole.length; ) {
    const [step, length] = stepAt(whole, at)
    path.push(step)
    at += length
  }
  return path
}

/** So that every step begins with its own mark, `a.b` is read as `.a.b`. */
function dotted(text: string): string {
  if (/^\$([.[]|$)/.test(text)) return text.slice(1)
  return text.startsWith('[') ? text : `.${text}`
}

function stepAt(text: string, at: number): [step: Step, length: number] {
  for (const [pattern, step] of STEPS) {
    pattern.lastIndex = at
    const match = pattern.exec(text)?.[0]
    if (match !== undefined) return [step(match), match.length]
  }
  // The first dot is ours.
  const rest = at === 0 && text.startsWith('.') ? text.slice(1) : text.slice(at)
  const where = rest === '' || rest === '.' ? ': a name is missing' : ` from "${rest}" on`
  throw new PathError(`is not a path${where} (write a.b, a[0], a[] or a['any key'])`)
}

function checkPath(path: Path): void {
  if (path.length > DEPTH_MAX) throw new PathError(`has more than ${DEPTH_MAX} steps`)
  if (typeof path[0] !== 'string') throw new PathError('must begin with a name')
  if (path.filter((step) => step === EACH).length > WILDCARDS_MAX) {
    throw new PathError(`has more than ${WILDCARDS_MAX} wildcards`)
  }
  for (const step of path) {
    if (typeof step === 'number' && step > INDEX_MAX) {
      throw new PathError(`has an index above ${INDEX_MAX}`)
    }
    if (typeof step === 'string' && UNSAFE_NAMES.has(step)) {
      throw new PathError(`must not name "${step}"`)
    }
  }
}

/** The path as text that `readPath` reads back. */
export function printPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (step === EACH) return `${text}[]`
    if (typeof step === 'number') return `${text}[${step}]`
    return appendName(text, step)
  }, '')
}

/** The path of a member, as `printPath` writes it. */
export function appendName(path: string, name: string): string {
  if (!PLAIN_NAME.test(name)) return `${path}['${name.replace(/['\\]/g, '\\$&')}']`
  return path ? `${path}.${name}` : name
}
