import { findDuplicate, measureJson, parseJson } from '../../document/json.ts'
import { ApiError } from '../../errors.ts'

// Finding the place of an error takes some twenty times as long as parsing.
const PLACED_LENGTH_MAX = 100_000

/**
 * The parsed value, or what is wrong with the text: `not valid JSON: error at line 2, column 7`. Of a long text the
 * place is left out.
 */
export type JsonText = { value: unknown } | { fault: string }

/**
 * Parses JSON within the limits of a request body, because readers of the value may recurse for each level.
 * With `keepsDigits`, numbers that JSON.parse changes are ExactNumbers.
 */
export function readJson(text: string, { keepsDigits = false } = {}): JsonText {
  try {
    const bytes = new TextEncoder().encode(text)
    const { numbers } = measureJson(bytes)
    const parsed: unknown = JSON.parse(text)
    const duplicate = findDuplicate(text)
    if (duplicate !== null) return { fault: `ambiguous: ${duplicate} is given twice` }
    const isKept = !keepsDigits || numbers === 'plain'
    return { value: isKept ? parsed : parseJson(bytes, { keepsDigits }).value }
  } catch (error) {
    if (error instanceof ApiError) return { fault: 'too deeply nested, or has too many values' }
    if (text.length > PLACED_LENGTH_MAX) return { fault: 'not valid JSON' }
    return { fault: `not valid JSON: error at ${placeOf(text, faultAt(text, String(error)))}` }
  }
}

/** V8 gives the position of every error except an unexpected token and an unexpected end. */
function faultAt(text: string, message: string): number {
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position) return Number(position)
  return /Unexpected token/.test(message) ? unexpectedTokenAt(text) : text.length
}

/** The end of the shortest prefix with an unexpected token, by bisection: every longer prefix has it too. */
function unexpectedTokenAt(text: string): number {
  let [least, most] = [0, text.length]
  while (least < most) {
    const middle = (least + most) >> 1
    if (hasUnexpectedToken(text.slice(0, middle + 1))) most = middle
    else least = middle + 1
  }
  return least
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return /Unexpected token/.test(String(error))
  }
}

function placeOf(text: string, at: number): string {
  const lines = text.slice(0, at).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
}
