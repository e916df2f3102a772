import { ApiError, invalid } from '../errors.ts'
import { isObject, VALUES_MAX } from '../fields.ts'
import { shortened } from '../messages.ts'
import { printPath, type Step } from '../path.ts'

const DEPTH_MAX = 64

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c]
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]

/** What a JSON text says. 400 VALIDATION_ERROR where it is none, too complex or contradicts itself. */
export function parseJson(bytes: Uint8Array): unknown {
  const { members } = measureJson(bytes)
  const text = decode(bytes)
  const value = parseUnambiguous(text, members)
  if (value === undefined) refuseDuplicate(text)
  return value
}

/**
 * Undefined where the value has fewer members than the text: of two of one name JSON.parse keeps the
 * second, in silence. A function of its own, so that the value is gone when the two are looked for.
 */
function parseUnambiguous(text: string, members: number): unknown {
  const value = parse(text)
  return countMembers(value) === members ? value : undefined
}

/**
 * Bounds depth and number of values before anything is parsed: 10 MB of `[{},{},...]` take 300 MB
 * as objects. Every value but the first follows a comma or an opening bracket, and every member has
 * a colon.
 */
export function measureJson(bytes: Uint8Array): { members: number } {
  let depth = 0
  let values = 1
  let members = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === COMMA) values += 1
    else if (byte === COLON) members += 1
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth -= 1
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      depth += 1
      values += 1
      if (depth > DEPTH_MAX) throw tooComplex(`nested deeper than ${DEPTH_MAX} levels`)
    }
  }
  if (values > VALUES_MAX) throw tooComplex(`of more than ${VALUES_MAX} values`)
  return { members }
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

function tooComplex(what: string): ApiError {
  return new ApiError('VALIDATION_ERROR', `The body is ${what}.`)
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The body is not valid UTF-8.')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const place = error instanceof SyntaxError ? /line \d+ column \d+/.exec(error.message) : null
    const where = place ? ` (at ${place[0]})` : ''
    throw new ApiError('VALIDATION_ERROR', `The body is not valid JSON${where}.`)
  }
}

/** Recursive, which is safe: the depth has been bounded. */
function countMembers(value: unknown): number {
  let members = 0
  if (Array.isArray(value)) {
    for (const element of value) members += countMembers(element)
  } else if (isObject(value)) {
    // Makes no list of the names: an upload has a hundred thousand objects of the same few.
    for (const name in value) {
      const member = value[name]
      members += typeof member === 'object' ? 1 + countMembers(member) : 1
    }
  }
  return members
}

function refuseDuplicate(text: string): void {
  const path = findDuplicate(text)
  if (path !== null) throw invalid({ [shortened(path)]: ['Given twice.'] })
}

/** An object or array that the text has not closed yet. */
interface Level {
  /** Of the member or element at hand; null where a name comes next. */
  step: Step | null
  names: Set<string>
}

/** The path of the first member of a JSON text, well formed, whose name its object has had before. */
export function findDuplicate(text: string): string | null {
  const open: Level[] = []
  for (let at = 0; at < text.length; at++) {
    const level = open.at(-1)
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const start = at
      at = endOfStringIn(text, start)
      if (level?.step !== null) continue
      level.step = JSON.parse(text.slice(start, at + 1)) as string
      if (level.names.has(level.step)) return printPath(open.map(({ step }) => step ?? ''))
      level.names.add(level.step)
    } else if (code === COMMA && level) {
      level.step = typeof level.step === 'number' ? level.step + 1 : null
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      open.push({ step: code === OPEN_BRACKET ? 0 : null, names: new Set() })
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
      open.pop()
    }
  }
  return null
}

function endOfStringIn(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  }
  return at
}
