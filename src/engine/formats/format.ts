import { type ParsedJson, type ParseOptions, parseJson } from '../json/json.ts'
import { charsetOf, decoded } from './charset.ts'
import { parseCsv } from './csv.ts'
import { readForm } from './form.ts'

const FORM = 'application/x-www-form-urlencoded' as const

/** What a body may be that is no JSON. */
export const OTHER_TYPES = ['text/csv', 'text/tab-separated-values', FORM] as const

const FORMATS: Record<
  (typeof OTHER_TYPES)[number],
  (bytes: Uint8Array, charset: string) => unknown
> = {
  'text/csv': (bytes, charset) => parseCsv(decoded(bytes, charset)).rows,
  'text/tab-separated-values': (bytes, charset) => parseCsv(decoded(bytes, charset), '\t').rows,
  [FORM]: readForm,
}

/** Without its parameters, in lower case. */
export function mediaTypeOf(contentType: string | null): string {
  const [type = ''] = (contentType ?? '').split(';')
  return type.trim().toLowerCase()
}

function readerOf(contentType: string | null) {
  const type = mediaTypeOf(contentType)
  const found = OTHER_TYPES.find((other) => other === type)
  return found && FORMATS[found]
}

/** Whether a body with this Content-Type is no JSON, and can be read. */
export function isOtherFormat(contentType: string | null): boolean {
  return readerOf(contentType) !== undefined
}

/** The value of a body, by its Content-Type: one tree, whatever its format. Throws as `parseJson`, and 415 for a charset. */
export function parseDocument(
  bytes: Uint8Array,
  contentType: string | null,
  options: ParseOptions = {},
): ParsedJson {
  const read = readerOf(contentType)
  if (!read) return parseJson(bytes, options)
  return { value: read(bytes, charsetOf(contentType ?? '')), hasExactNumbers: false }
}

/** A body as text, and what it is. */
export interface TextBody {
  text: string
  content_type: string | null
}

/**
 * The text of a body, to be kept as UTF-8, with a Content-Type that says so. A form is of plain characters, and its charset is
 * that of what they stand for.
 */
export function textOfBody(bytes: Uint8Array, contentType: string | null): TextBody {
  const type = mediaTypeOf(contentType)
  if (contentType === null || type === FORM || !isOtherFormat(contentType)) {
    return { text: new TextDecoder().decode(bytes), content_type: contentType }
  }
  return { text: decoded(bytes, charsetOf(contentType)), content_type: `${type}; charset=utf-8` }
}
