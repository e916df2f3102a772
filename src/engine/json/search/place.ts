import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import * as z from 'zod'
import { invalid } from '../../errors.ts'
import { NAME_LENGTH_MAX } from '../fields.ts'

const CURSOR_FORMAT = 's1'
const CURSOR_LENGTH_MAX = 8192
const NO_CURSOR =
  'Not a cursor of this search. Send the one that its last page led to, with the same text, or search again.'

/** Where a page of a search ended. */
export interface SearchPlace {
  /** The step in which it ended (engine/db/walks.ts). */
  step: number
  /** The text of the index there. Of a longer one, the first 255 characters. */
  text: string
  seq: number
}

const Content = z.tuple([
  z.literal(CURSOR_FORMAT),
  z.string(),
  z.string(),
  z.string(),
  z.int().min(0),
  z.string(),
  z.int().min(1),
])

/** What a cursor belongs to. */
export interface Searched {
  tenant: string
  resource: string
  text: string
  /** The names of the indexes along which the search walks, in order. */
  walks: string[]
  steps: number
}

/** An opaque cursor: base64url of a JSON array. */
export function placeCursor(searched: Searched, { step, text, seq }: SearchPlace): string {
  const short = [...text].slice(0, NAME_LENGTH_MAX).join('')
  return encode([CURSOR_FORMAT, ...ownerOf(searched), step, short, seq])
}

/** 400 VALIDATION_ERROR if the cursor is of another tenant, list, text, or of other indexes. */
export function placeAt(searched: Searched, cursor: string): SearchPlace {
  const content = cursor.length > CURSOR_LENGTH_MAX ? null : decode(cursor)
  const { success, data } = Content.safeParse(content)
  if (!success || encode(data) !== cursor) throw notACursor()
  const [, tenant, resource, digest, step, text, seq] = data
  const isOwn = [tenant, resource, digest].join(' ') === ownerOf(searched).join(' ')
  if (!isOwn || step >= searched.steps) throw notACursor()
  return { step, text, seq }
}

function notACursor() {
  return invalid({ cursor: [NO_CURSOR] }, 'INVALID_CURSOR')
}

function ownerOf({ tenant, resource, text, walks }: Searched): string[] {
  const digest = createHash('sha256')
    .update(JSON.stringify([text, walks]))
    .digest('base64url')
  return [tenant, resource, digest.slice(0, 16)]
}

function encode(content: unknown[]): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url')
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
}
