import { parseInTurn } from '../../engine/body/parse-in-turn.ts'
import { ApiError } from '../../engine/errors.ts'
import { typeOfText } from '../../engine/formats/format.ts'
import type { FormatOptions } from '../../engine/formats/options.ts'
import { isObject } from '../../engine/json/json-object.ts'
import { PATH_LENGTH_MAX } from '../../engine/json/path.ts'
import type { Pace } from '../../engine/limits/pace.ts'
import { readDocumentText } from '../form/json-text.ts'

/** A document that somebody has pasted. `listsSingles`: a single value is a list of one. */
export type SampleText =
  | { value: unknown; listsSingles: boolean; isJson: boolean }
  | { fault: string }

/** A document that somebody has pasted: JSON or XML, or else CSV if it has several lines, or else a form. */
export async function readSample(
  text: string,
  formats: FormatOptions,
  pace: Pace,
): Promise<SampleText> {
  const type = guessedType(text.trim(), formats)
  if (type === JSON_TYPE) {
    const json = readDocumentText(text, { keepsDigits: true })
    return 'fault' in json ? json : { ...json, listsSingles: false, isJson: true }
  }
  if (type === null)
    return { fault: 'neither JSON, nor XML, nor CSV with a row of names, nor a form' }
  try {
    const bytes = new TextEncoder().encode(text.trim())
    const { value, listsSingles } = await parseInTurn(pace, bytes, typeOfText(type), { formats })
    return { value, listsSingles, isJson: false }
  } catch (error) {
    if (error instanceof ApiError)
      return { fault: `no ${NAMES[type]} that can be read. ${error.message}` }
    throw error
  }
}

/** What a text without white space around it is; null if that cannot be told. */
export function guessedType(
  text: string,
  { csv }: FormatOptions,
): keyof typeof NAMES | typeof JSON_TYPE | null {
  if (/^[[{]/.test(text)) return JSON_TYPE
  if (text.startsWith('<')) return XML_TYPE
  if (text.includes('\n') || csv?.header === false) return 'text/csv'
  return FORM.test(text) ? FORM_TYPE : null
}

const JSON_TYPE = 'application/json'
const XML_TYPE = 'application/xml'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const NAMES = { [XML_TYPE]: 'XML', 'text/csv': 'CSV', [FORM_TYPE]: 'form' }
const FORM = /^[^=&\s]+=/

const ELEMENTS_MAX = 20
const MEMBERS_MAX = 200
const TEXT_LENGTH_MAX = 100
const VALUES_MAX = 2000

/** The beginning of a document, from which paths can be offered: the first elements and members, and of texts a part. */
export function outlineOf(document: unknown): unknown {
  let values = 0
  const cut = (value: unknown): unknown => {
    values += 1
    if (values > VALUES_MAX) return null
    if (typeof value === 'string') return value.slice(0, TEXT_LENGTH_MAX).toWellFormed()
    if (Array.isArray(value)) return value.slice(0, ELEMENTS_MAX).map(cut)
    if (!isObject(value)) return value
    const named = Object.entries(value).filter(([name]) => name.length <= PATH_LENGTH_MAX)
    return Object.fromEntries(
      named.slice(0, MEMBERS_MAX).map(([name, member]) => [name, cut(member)]),
    )
  }
  return cut(document)
}
