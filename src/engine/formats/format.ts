import { type ParsedJson, type ParseOptions, parseJson } from '../json/json.ts'
import { charsetOf, decoded } from './charset.ts'
import { type CsvOptions, parseCsv } from './csv.ts'
import { placesInCsv } from './csv-cells.ts'
import { readForm } from './form.ts'
import type { FormatOptions } from './options.ts'
import { declaredEncoding, parseXml, readXml } from './xml.ts'

const FORM = 'application/x-www-form-urlencoded' as const

/** What a body may be that is no JSON. Types that end with `+xml` are XML too. */
export const OTHER_TYPES = [
  'application/xml',
  'text/xml',
  'text/csv',
  'text/tab-separated-values',
  FORM,
] as const

/** A part of an XML document, as JSON: a single value still is a list of one. */
const XML_AS_JSON = 'application/vnd.crossdock.xml+json'

export interface DocumentOptions extends ParseOptions {
  /** Of the mapping that reads the document. */
  formats?: FormatOptions | null | undefined
}

/** A document as one tree, whatever its format. */
export interface ParsedDocument extends ParsedJson {
  /** A single value is a list of one where a mapping looks for a list: XML does not tell them apart. */
  listsSingles: boolean
  /** What the sender calls a place, by its path; absent where that is the path. */
  placeOf?: (path: string) => string
}

type Read = (
  bytes: Uint8Array,
  contentType: string,
  options: DocumentOptions,
) => Omit<ParsedDocument, 'listsSingles'>

const FORMATS: Record<'xml' | 'csv' | 'tsv' | 'form', Read> = {
  xml: (bytes, type, { formats }) => plain(parseXml(textOfXml(bytes, type), formats?.xml)),
  csv: (bytes, type, { formats }) => rowsOf(bytes, type, formats?.csv),
  tsv: (bytes, type, { formats }) => rowsOf(bytes, type, { ...formats?.csv, separator: '\t' }),
  form: (bytes, type, { formats, ...options }) =>
    readForm(bytes, charsetOf(type, formats?.form?.charset), { ...options, ...formats?.form }),
}

const NAMES: Record<(typeof OTHER_TYPES)[number], keyof typeof FORMATS> = {
  'application/xml': 'xml',
  'text/xml': 'xml',
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  [FORM]: 'form',
}

function plain(value: unknown): ParsedJson {
  return { value, hasExactNumbers: false }
}

function rowsOf(bytes: Uint8Array, type: string, options: CsvOptions = {}) {
  const text = decoded(bytes, charsetOf(type))
  return { ...plain(parseCsv(text, options)), placeOf: placesInCsv(text, options) }
}

/** Without its parameters, in lower case. */
export function mediaTypeOf(contentType: string | null): string {
  const [type = ''] = (contentType ?? '').split(';')
  return type.trim().toLowerCase()
}

function formatOf(contentType: string | null): keyof typeof FORMATS | undefined {
  const type = mediaTypeOf(contentType)
  if (type.endsWith('+xml')) return 'xml'
  const found = OTHER_TYPES.find((other) => other === type)
  return found && NAMES[found]
}

/** Whether a body with this Content-Type is no JSON, and can be read. */
export function isOtherFormat(contentType: string | null): boolean {
  return formatOf(contentType) !== undefined
}

/** What a text is, where places are looked for in it. */
export function kindOfText(contentType: string | null): 'json' | 'xml' | 'csv' | 'form' {
  const format = formatOf(contentType) ?? 'json'
  return format === 'tsv' ? 'csv' : format
}

/** The value of a body, by its Content-Type. Throws as `parseJson`, and 415 for a charset. */
export function parseDocument(
  bytes: Uint8Array,
  contentType: string | null,
  options: DocumentOptions = {},
): ParsedDocument {
  const format = formatOf(contentType)
  const listsSingles = format === 'xml' || mediaTypeOf(contentType) === XML_AS_JSON
  if (!format) return { ...parseJson(bytes, options), listsSingles }
  return { ...FORMATS[format](bytes, contentType ?? '', options), listsSingles }
}

/** XML takes so long that others would wait: its parts, as `readXml`; null for any other body. */
export function partsOfXml(
  bytes: Uint8Array,
  contentType: string | null,
  { formats }: DocumentOptions = {},
): ReturnType<typeof readXml> | null {
  if (formatOf(contentType) !== 'xml') return null
  return readXml(textOfXml(bytes, contentType ?? ''), formats?.xml)
}

/** The Content-Type of a part of a document that is kept as JSON. */
export function partType({ listsSingles }: Partial<Pick<ParsedDocument, 'listsSingles'>>): string {
  return listsSingles ? XML_AS_JSON : 'application/json'
}

/** The Content-Type of a text of this type, as UTF-8. A form is of plain characters: its charset is that of what they stand for. */
export function typeOfText(type: string): string {
  return NAMES[type as keyof typeof NAMES] === 'form' ? type : `${type}; charset=utf-8`
}

/** A body as text, and what it is. */
export interface TextBody {
  text: string
  content_type: string | null
}

/** The text of a body, to be kept as UTF-8, with a Content-Type that says so. */
export function textOfBody(bytes: Uint8Array, contentType: string | null): TextBody {
  const format = formatOf(contentType)
  if (contentType === null || format === 'form' || format === undefined) {
    return { text: new TextDecoder().decode(bytes), content_type: contentType }
  }
  const text =
    format === 'xml' ? textOfXml(bytes, contentType) : decoded(bytes, charsetOf(contentType))
  return { text, content_type: typeOfText(mediaTypeOf(contentType)) }
}

/** A byte order mark decides, then the Content-Type, then what the document says of itself (RFC 7303, 3). */
function textOfXml(bytes: Uint8Array, contentType: string): string {
  const declared = declaredEncoding(bytes)
  return decoded(bytes, markedCharset(bytes) ?? charsetOf(contentType, declared ?? undefined))
}

function markedCharset([first, second]: Uint8Array): string | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return null
}
