import { ApiError } from '../../engine/errors.ts'
import { findDuplicate, measureJson, parseJson } from '../../engine/json/json.ts'
import { jsonFault } from '../../engine/json/json-fault.ts'

/**
 * The parsed value, or what is wrong with the text: `not valid JSON (line 2, column 7, at "b")`.
 */
export type JsonText = { value: unknown } | { fault: string }

/**
 * Parses JSON within the limits of a request body, because readers of the value may recurse for each level.
 * With `keepsDigits`, numbers that JSON.parse changes are ExactNumbers.
 */
export function readDocumentText(text: string, { keepsDigits = false } = {}): JsonText {
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
    return { fault: `not valid JSON${jsonFault(text, error)}` }
  }
}

/** The JSON that a page has put into a field. Null for what is no JSON, and for what has more values than a body may have. */
export function carriedJson(text: string): unknown {
  const read = readDocumentText(text)
  return 'value' in read ? read.value : null
}
