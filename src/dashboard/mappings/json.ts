import { ApiError } from '../../errors.ts'
import { findDuplicate, measureJson } from '../../middleware/json.ts'

/** What the text is as JSON, or why it is none, with the place: `not JSON from line 2, column 7 on`. */
export type JsonText = { value: unknown } | { fault: string }

/** Within the bounds of a request's body: what reads the value may call itself for each level. */
export function readJson(text: string): JsonText {
  try {
    measureJson(new TextEncoder().encode(text))
    const value: unknown = JSON.parse(text)
    const duplicate = findDuplicate(text)
    return duplicate === null ? { value } : { fault: `ambiguous: ${duplicate} is given twice` }
  } catch (error) {
    if (error instanceof ApiError) return { fault: 'too deep, or of too many values' }
    return { fault: `not JSON from ${placeOf(text, faultAt(text, String(error)))} on` }
  }
}

/** V8 tells the position of any fault but two. */
function faultAt(text: string, message: string): number {
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position) return Number(position)
  return /Unexpected token/.test(message) ? unexpectedTokenAt(text) : text.length
}

/** Where the shortest beginning that has an unexpected token ends: each longer one has it too. */
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
