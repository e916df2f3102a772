import { ApiError, invalid } from '../errors.ts'
import { VALUES_MAX } from './fields.ts'
import { DIGITS_SAFE, endOfString } from './json-bytes.ts'
import { endOfStringIn, jsonFault } from './json-fault.ts'
import { type MarkedJson, markNumbers, restoreNumbers } from './json-numbers.ts'
import { isObject } from './json-object.ts'
import { shortened } from './messages.ts'
import { type PathStep, printPath } from './path.ts'

const DEPTH_MAX = 64

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a]
const [DIGIT_0, DIGIT_9, POINT, MINUS] = [0x30, 0x39, 0x2e, 0x2d]
const [LETTER_E, LETTER_CAPITAL_E] = [0x65, 0x45]
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]

export interface ParseOptions {
  /** Keeps the digits of each number that would print differently (`1.50`), not only of rounded ones. */
  keepsDigits?: boolean
}

export interface ParsedJson {
  value: unknown
  /** The value has an ExactNumber. */
  hasExactNumbers: boolean
}

/**
 * Parses JSON. Numbers that a double would round are ExactNumbers. 400 VALIDATION_ERROR if the text is
 * malformed, too complex, or has a member twice.
 */
export function parseJson(
  bytes: Uint8Array,
  { keepsDigits = false }: ParseOptions = {},
): ParsedJson {
  const { members, numbers } = measureJson(bytes)
  const isExact = numbers === 'long' || (keepsDigits && numbers === 'rewritten')
  const marked = isExact ? markNumbers(bytes, keepsDigits) : null
  const value = parseUnambiguous(bytes, members, marked)
  if (value === undefined) refuseDuplicate(decode(bytes))
  return { value, hasExactNumbers: marked !== null }
}

/**
 * Undefined if the value has fewer members than the text: of two members with one name JSON.parse silently
 * keeps the second. A separate function, so that the value can be freed before refuseDuplicate runs.
 */
function parseUnambiguous(bytes: Uint8Array, members: number, marked: MarkedJson | null): unknown {
  const value = marked ? parseMarked(bytes, marked) : parse(decode(bytes))
  return countMembers(value) === members ? value : undefined
}

function parseMarked(bytes: Uint8Array, marked: MarkedJson): unknown {
  try {
    return restoreNumbers(JSON.parse(decode(marked.bytes)), marked.numbers)
  } catch {
    // The place of the error is told by the text as it was sent.
    return parse(decode(bytes))
  }
}

/** What a text's numbers may lose in JSON.parse: nothing, zeros at their ends, or digits. */
type Numbers = 'plain' | 'rewritten' | 'long'

/**
 * Refuses a text that is too deep or has too many values before it is parsed: 10 MB of `[{},{},...]` take
 * 300 MB as objects. It counts separators: every value but the first follows a comma or an opening bracket,
 * and every member has a colon.
 */
export function measureJson(bytes: Uint8Array): { members: number; numbers: Numbers } {
  let depth = 0
  let values = 1
  let members = 0
  let isLong = false
  let isRewritten = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === COMMA) values += 1
    else if (byte === COLON) members += 1
    else if (byte >= DIGIT_0 && byte <= DIGIT_9) {
      const end = endOfNumber(bytes, at)
      isLong ||=
        end - at > DIGITS_SAFE || bytes[end] === LETTER_E || bytes[end] === LETTER_CAPITAL_E
      isRewritten ||= bytes[end - 1] === DIGIT_0 && mayPrintDifferently(bytes, at, end)
      at = end - 1
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth -= 1
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      depth += 1
      values += 1
      if (depth > DEPTH_MAX) throw tooComplex(`is nested deeper than ${DEPTH_MAX} levels`)
    }
  }
  if (values > VALUES_MAX) throw tooComplex(`has more than ${VALUES_MAX} values`)
  return { members, numbers: isLong ? 'long' : isRewritten ? 'rewritten' : 'plain' }
}

/** The end of the digits and points that begin at `start`. */
function endOfNumber(bytes: Uint8Array, start: number): number {
  let at = start + 1
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if ((byte < DIGIT_0 || byte > DIGIT_9) && byte !== POINT) break
  }
  return at
}

/** Whether a number that ends in 0 has a point (`1.50`), or is `-0`. */
function mayPrintDifferently(bytes: Uint8Array, start: number, end: number): boolean {
  return bytes.subarray(start, end).includes(POINT) || bytes[start - 1] === MINUS
}

function tooComplex(what: string): ApiError {
  return new ApiError('VALIDATION_ERROR', `The body ${what}.`, { reason: 'BODY_TOO_COMPLEX' })
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The body is not valid UTF-8.', {
      reason: 'MALFORMED_JSON',
    })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const message = `The body is not valid JSON${jsonFault(text, error)}.`
    throw new ApiError('VALIDATION_ERROR', message, { reason: 'MALFORMED_JSON' })
  }
}

/** Recursion is safe: measureJson has bounded the depth. */
function countMembers(value: unknown): number {
  let members = 0
  if (Array.isArray(value)) {
    for (const element of value) members += countMembers(element)
  } else if (isObject(value)) {
    // `for in` makes no list of names: an upload may have a hundred thousand objects.
    for (const name in value) {
      const member = value[name]
      members += typeof member === 'object' ? 1 + countMembers(member) : 1
    }
  }
  return members
}

function refuseDuplicate(text: string): void {
  const path = findDuplicate(text)
  if (path !== null) throw invalid({ [shortened(path)]: ['Is given twice: send it once.'] })
}

/** An object or array that the text has not closed yet. */
interface Level {
  /** The current member or element; null before a member's name. */
  step: PathStep | null
  names: Set<string>
}

/** The path of the first member that its object already has, in a well-formed JSON text; null without one. */
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
