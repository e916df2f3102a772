import { Buffer } from 'node:buffer'
import { parseJson } from '../json/json.ts'
import type { Path } from '../json/path.ts'
import { convertedText } from '../mapping/convert.ts'
import { hasPlace, memberAt, readsBody, readTemplate, type TemplatePart } from './template.ts'

/** One request to a webhook's address, as it came. */
export interface DeliveryRequest {
  headers: Headers
  body: Uint8Array
  url: URL
}

/** What a template needs beside body and address. Null: the request lacks it. */
export interface SignedValues {
  timestamp: string | null
  id: string | null
  /** Of the address, as the sender calls it. */
  origin: string
}

/** In bytes. What is read before the sender has proved anything must cost little. */
const UNCHECKED_BYTES_MAX = 262_144

/**
 * The bytes that the sender may have signed. Two if the template has {url}, with and without the last slash of its
 * path; none if the request lacks a value. One is made at a time: a body may have 10 MB.
 */
export function* signedContents(
  template: string,
  { body, url }: DeliveryRequest,
  { timestamp, id, origin }: SignedValues,
): Generator<Uint8Array> {
  const parts = readTemplate(template)
  const document = readsBody(parts) ? uncheckedDocument(body) : undefined
  const addresses = hasPlace(parts, 'url') ? addressesOf(url, origin) : ['']
  for (const address of addresses) {
    const values = { timestamp, id, url: address }
    const pieces = parts.map((part) => pieceOf(part, body, values, document))
    if (pieces.every((piece) => piece !== null)) yield joined(pieces)
  }
}

/** The text, number or boolean at a path of names and indexes, as text; null if there is none. */
export function textAt(document: unknown, path: Path): string | null {
  return convertedText(memberAt(document, path)) ?? null
}

/** The body as JSON; undefined if it is none, or is too complex: whoever reads the delivery later tells that. */
export function parsedBody(body: Uint8Array): unknown {
  try {
    return parseJson(body, { keepsDigits: true }).value
  } catch {
    return undefined
  }
}

function uncheckedDocument(body: Uint8Array): unknown {
  return body.length > UNCHECKED_BYTES_MAX ? undefined : parsedBody(body)
}

/** Some senders sign the address as it was entered, some as they call it. */
function addressesOf({ pathname, search }: URL, origin: string): string[] {
  const other = pathname.endsWith('/') ? pathname.slice(0, -1) : `${pathname}/`
  return [pathname, other].map((path) => origin + path + search)
}

function pieceOf(
  part: TemplatePart,
  body: Uint8Array,
  values: Record<'timestamp' | 'id' | 'url', string | null>,
  document: unknown,
): Uint8Array | string | null {
  if ('text' in part) return part.text
  if ('path' in part) return textAt(document, part.path)
  if (part.place === 'body') return body
  return part.place === 'body_base64' ? Buffer.from(body).toString('base64') : values[part.place]
}

function joined(pieces: (Uint8Array | string)[]): Uint8Array {
  const [first = ''] = pieces
  if (pieces.length === 1 && typeof first !== 'string') return first
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  )
}
