import { ApiError } from '../../engine/errors.ts'
import { parseDocument } from '../../engine/formats/format.ts'
import { findDuplicate, measureJson, parseJson } from '../../engine/json/json.ts'
import { jsonFault } from '../../engine/json/json-fault.ts'

/**
 * The parsed value, or what is wrong with the text: `not valid JSON (line 2, column 7, at "b")`.
 */
export type JsonText = { value: unknown } | { fault: string }

/** A document that somebody has pasted: JSON, or else CSV if it has several lines, or else a form. */
export function readSample(text: string): JsonText {
  if (/^\s*[[{]/.test(text)) return readDocumentText(text, { keepsDigits: true })
  const type = text.trim().includes('\n') ? 'text/csv' : FORM.test(text) ? FORM_TYPE : null
  if (type === null) return { fault: 'neither JSON, nor CSV with a row of names, nor a form' }
  try {
    const bytes = new TextEncoder().encode(text.trim())
    return { value: parseDocument(bytes, type).value }
  } catch (error) {
    if (error instanceof ApiError) return { fault: `no ${NAMES[type]}. ${error.message}` }
    throw error
  }
}

const FORM_TYPE = 'application/x-www-form-urlencoded'
const NAMES = { 'text/csv': 'CSV that can be read', [FORM_TYPE]: 'form that can be read' }
const FORM = /^\s*[^=&\s]+=/

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
