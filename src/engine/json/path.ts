import { Filter, readFilter } from './filter/filter.ts'
import { FilterError } from './filter/syntax.ts'
import { isOfSentWith, readSentValue, SENT_HINT, SentValue } from './sent-with.ts'

// What authors write who know another language, and what to write here.
const HINTS: [pattern: RegExp, hint: string][] = [
  [
    /\{\{[^}]*\|/,
    'there are no functions: write the path alone, and "as", "values" or "default" beside it',
  ],
  [
    /\{\{|\$\{|<%/,
    'templates are not evaluated: write the path alone, or {"join": [...]} for several',
  ],
  [/=~|\/[^/]+\/[a-z]*\s*\)/, 'regular expressions cannot be used: compare with == in a filter'],
  [
    /\[[^\]?]*,[^\]]*\]/,
    'there are no lists of selectors: write one path each, and {"from": [...]} or {"join": [...]} around them',
  ],
  [/\.\./, '".." searches at every depth: write each name on the way'],
  [/\+|&/, 'to put texts together write {"join": ["a", "b"]}'],
  [/\?\?|\|\|/, 'for the first that has a value write {"from": ["a", "b"]}'],
  [/\?.*:/, 'there are no conditions: write {"from": "a", "values": {...}}'],
  [/\w\(/, 'there are no functions: write "as", "values" or "default" beside the path'],
  [/\|/, 'there are no functions: write "as", "values" or "default" beside the path'],
  [/\[-?\d*:/, 'there are no slices: write one index, or [] for all'],
]

/** What to write instead, for a text that another language of paths or templates would take; null if unknown. */
function syntaxHint(text: string): string | null {
  if (/^\.[^.]/.test(text)) return `without the first dot: write "${text.slice(1)}"`
  return HINTS.find(([pattern]) => pattern.test(text))?.[1] ?? null
}

/** A wildcard step: every element of an array. Written `[]`, or `[*]` as in RFC 9535. */
export const EACH: unique symbol = Symbol('[]')
/** The name of the member that a wildcard has taken. Written `~` after `[*]`, as the last step. */
export const MEMBER_NAME: unique symbol = Symbol('~')

/**
 * A member's name, an element's index (-1 is the last one), every element, or those that a filter takes. A value that came
 * beside the document is the only step of its path.
 */
export type PathStep = string | number | typeof EACH | typeof MEMBER_NAME | Filter | SentValue
export type Path = readonly PathStep[]

/** Why a text is not a path. The message is a predicate, such as `has more than 32 steps`. */
export class PathError extends Error {}

/** In code points. */
export const PATH_LENGTH_MAX = 256
/** In steps. */
export const DEPTH_MAX = 32
/** In steps: a free object of a record is no deeper. */
export const TARGET_DEPTH_MAX = 16
const INDEX_MAX = 999
/** Most wildcards in a target. */
const WILDCARDS_MAX = 2
/** Most wildcards in a source, and most filters: an `each` may go through so many arrays. */
const LISTS_MAX = 3

/**
 * The pattern of one character of an unquoted name, without the excluded ones. It takes no character that
 * expressions and templates need, so that an author who tries one gets an error.
 */
export function plainBut(excluded: string): string {
  return String.raw`[^${excluded}\s\u0000-\u001f\u007f-\u009f.[\]'"*(){}<>|&=+,;?!\\]`
}

const NAME = `${plainBut('')}+`
export const QUOTED = String.raw`\['(?:[^'\\]|\\['\\])*'\]`

// Tried in this order at each place of the text.
const STEPS: [pattern: RegExp, step: (match: string) => PathStep][] = [
  [/\[(?:\*)?\]/y, () => EACH],
  [/\[(?:-1|0|[1-9]\d*)\]/y, (match) => Number(match.slice(1, -1))],
  [/~$/y, () => MEMBER_NAME],
  [new RegExp(QUOTED, 'y'), (match) => match.slice(2, -2).replace(/\\(.)/g, '$1')],
  [new RegExp(String.raw`\.${NAME}`, 'y'), (match) => match.slice(1)],
]

const FILTER = /^\[[ \t\n\r]*\?/

// Names that printPath does not quote. A `$` at the beginning could be read as the root.
const PLAIN_NAME = new RegExp(`^${plainBut('$')}${plainBut('')}*$`)

// Assigning to one of these could change a prototype outside of the document.
const UNSAFE_NAMES = new Set(['__proto__', 'prototype', 'constructor'])

export interface PathRules {
  /** A source may have filters, and may begin with `$[` in a document that is an array. */
  isSource?: boolean
  /** The path may lead to many values, so it may have one wildcard more. */
  isList?: boolean
  /** The document may have several records: one wildcard or filter more leads to those. */
  mayHaveRecords?: boolean
}

/** Parses a path of a mapping, which must keep to the limits above. Throws PathError. */
export function parsePath(text: string, rules: PathRules = {}): Path {
  if (text.length > 2 * PATH_LENGTH_MAX || [...text].length > PATH_LENGTH_MAX) {
    throw new PathError(`is longer than ${PATH_LENGTH_MAX} characters`)
  }
  const path = readPath(text)
  noteMembers(path, text)
  checkPath(path, rules)
  const isOfArray = rules.isSource && text.startsWith('$[')
  const isBeside = rules.isSource && path[0] instanceof SentValue
  if (typeof path[0] !== 'string' && !isOfArray && !isBeside) {
    throw new PathError(
      rules.isSource
        ? 'must begin with a name, or with $[ for a document that is an array'
        : 'must begin with a name',
    )
  }
  return path
}

// By path: which of its wildcards are written `[*]`.
const starred = new WeakMap<Path, Set<number>>()

function noteMembers(path: Path, text: string): void {
  if (!text.includes('[*]')) return
  const whole = dotted(text)
  const places = new Set<number>()
  for (let at = 0, step = 0; at < whole.length; step++) {
    if (whole.startsWith('[*]', at)) places.add(step)
    at += stepAt(whole, at, text)[1]
  }
  starred.set(path, places)
}

/** A parsed path with one more step, of which `takesMembers` knows as much. */
export function withLastStep(path: Path, step: PathStep): Path {
  const steps: Path = [...path, step]
  const places = starred.get(path)
  if (places) starred.set(steps, places)
  return steps
}

/** The first steps of a parsed path, of which `takesMembers` knows as much. */
export function firstSteps(path: Path, length: number): Path {
  const steps = path.slice(0, length)
  const places = starred.get(path)
  if (places) starred.set(steps, places)
  return steps
}

/** The steps of a parsed path from `from` on, behind another first one. `takesMembers` knows as much of them. */
export function stepsBehind(first: PathStep, path: Path, from: number): Path {
  const steps: Path = [first, ...path.slice(from)]
  const places = starred.get(path)
  if (places) starred.set(steps, new Set(Array.from(places, (place) => place - from + 1)))
  return steps
}

/**
 * Whether the step of a parsed path takes the members of an object, too: `[*]` and a filter, as in RFC 9535. Of other
 * slices of the path it does not know.
 */
export function takesMembers(path: Path, at: number): boolean {
  return path[at] instanceof Filter || starred.get(path)?.has(at) === true
}

/**
 * Parses `a.b`, `a[0]`, `a[-1]`, `a[]`, `a[*]`, `a['any key']`, `a[?@.b == 1]`, with an optional leading
 * `$.`; or `$header['A']` and `$query['a']`. Checks no limits, which hold for mappings only: a path of a document may exceed
 * them. Throws PathError.
 */
export function readPath(text: string): Path {
  if (isOfSentWith(text)) return [besideDocument(text)]
  const path: PathStep[] = []
  const whole = dotted(text)
  for (let at = 0; at < whole.length; ) {
    const [step, length] = stepAt(whole, at, text)
    path.push(step)
    at += length
  }
  return path
}

/** As `readPath`; null if the text is no path. */
export function pathIn(text: string): Path | null {
  try {
    return readPath(text)
  } catch (error) {
    if (error instanceof PathError) return null
    throw error
  }
}

function besideDocument(text: string): SentValue {
  const value = readSentValue(text)
  if (!value) throw new PathError(`is not a path: ${SENT_HINT}`)
  return value
}

/** `.a.b` for `a.b`: every step then begins with a dot or a bracket. */
function dotted(text: string): string {
  if (/^\$([.[]|$)/.test(text)) return text.slice(1)
  return text.startsWith('[') ? text : `.${text}`
}

function stepAt(text: string, at: number, written: string): [step: PathStep, length: number] {
  if (FILTER.test(text.slice(at, at + 8))) return filterAt(text, at)
  for (const [pattern, step] of STEPS) {
    pattern.lastIndex = at
    const match = pattern.exec(text)?.[0]
    if (match !== undefined) return [step(match), match.length]
  }
  // dotted() has added the first dot.
  const rest = at === 0 && text.startsWith('.') ? text.slice(1) : text.slice(at)
  const where = rest === '' || rest === '.' ? ': a name is missing' : ` from "${rest}" on`
  const hint = syntaxHint(written) ?? "write a.b, a[0], a[] or a['any key']"
  throw new PathError(`is not a path${where} (${hint})`)
}

function filterAt(text: string, at: number): [step: Filter, length: number] {
  try {
    const { filter, length } = readFilter(text, at)
    return [filter, length]
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    throw new PathError(`has a filter that cannot be read: ${error.message}`)
  }
}

function checkPath(path: Path, rules: PathRules): void {
  const { isSource = false } = rules
  const depthMax = isSource ? DEPTH_MAX : TARGET_DEPTH_MAX
  if (path.length > depthMax) throw new PathError(`has more than ${depthMax} steps`)
  const filters = path.filter((step) => step instanceof Filter).length
  if (filters > 0 && !isSource) throw new PathError('has a filter: only a source may have one')
  const name = path.indexOf(MEMBER_NAME)
  if (name !== -1 && path[name - 1] !== EACH) {
    throw new PathError('has "~" without [*] before it: "stock[*]~" is the name of a member')
  }
  if (name !== -1 && !isSource) throw new PathError('has "~": only a source may have it')
  checkLists(path, rules)
  for (const step of path) {
    if (typeof step === 'number' && step > INDEX_MAX) {
      throw new PathError(`has an index above ${INDEX_MAX}`)
    }
    if (typeof step === 'string' && UNSAFE_NAMES.has(step)) {
      throw new PathError(`must not name "${step}"`)
    }
  }
}

/** Throws PathError if the path goes through more arrays than it may. */
export function checkLists(
  path: Path,
  { isSource = false, isList = false, mayHaveRecords = false }: PathRules,
): void {
  const filters = path.filter((step) => step instanceof Filter).length
  const wildcards = path.filter((step) => step === EACH).length
  const listsMax = mayHaveRecords ? LISTS_MAX + 1 : LISTS_MAX
  if (isList && wildcards + filters > listsMax) {
    throw new PathError(`has more than ${listsMax} wildcards and filters`)
  }
  const wildcardsMax = isSource ? listsMax : WILDCARDS_MAX
  if (wildcards > wildcardsMax) throw new PathError(`has more than ${wildcardsMax} wildcards`)
  if (filters > listsMax) throw new PathError(`has more than ${listsMax} filters`)
}

/** Whether the path leads into a document that is an array. */
export function isOfArray([first]: Path): boolean {
  return first !== undefined && typeof first !== 'string' && !(first instanceof SentValue)
}

/** The path as text, which `readPath` parses back to the same path. */
export function printPath(path: Path): string {
  return path.reduce<string>(appendStep, isOfArray(path) ? '$' : '')
}

/** The path with one more step, as `printPath` writes it. */
export function appendStep(path: string, step: PathStep): string {
  if (step === EACH) return `${path}[]`
  if (step === MEMBER_NAME) return `${path}~`
  if (typeof step === 'number') return `${path}[${step}]`
  return typeof step === 'string' ? appendName(path, step) : `${path}${step.text}`
}

/** The path of a member, as `printPath` writes it. */
export function appendName(path: string, name: string): string {
  if (!PLAIN_NAME.test(name)) return `${path}['${name.replace(/['\\]/g, '\\$&')}']`
  return path ? `${path}.${name}` : name
}
