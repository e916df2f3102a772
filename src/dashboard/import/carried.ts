import * as z from 'zod'
import { BODY_BYTES_MAX, NAME_LENGTH_MAX } from '../../engine/json/fields.ts'
import { check } from '../../middleware/validate.ts'
import type { Form } from '../form/form.ts'
import { carriedJson } from '../form/json-text.ts'
import { CONFIRMED, type Shape } from '../form/shape.ts'
import { refused } from './sheet.ts'

// The form of a checked file carries its rows, as they were understood: nothing is kept on the server in between.

/** A row that creates a record, or changes what stands in its cells. The version is that of the check, empty for none. */
export const CarriedRecord = z
  .tuple([z.int().min(1), z.string().max(50), z.string().max(NAME_LENGTH_MAX * 2)])
  .rest(z.string())
export type CarriedRecord = z.output<typeof CarriedRecord>

/** A row of stock: its number, the location, the SKU, the quantity, and what was stored at the check. */
export const CarriedStock = z.tuple([
  z.int().min(1),
  z.string(),
  z.string(),
  z.int(),
  z.int().nullable(),
])
export type CarriedStock = z.output<typeof CarriedStock>

export const STOCK_IMPORT: Shape = { fields: [CONFIRMED, 'rows'], bytesMax: BODY_BYTES_MAX }
export const RECORDS_IMPORT: Shape = {
  fields: [CONFIRMED, 'run', 'check', 'rows', 'results'],
  bytesMax: BODY_BYTES_MAX,
}

// For the other fields of the form.
const ROWS_BYTES_MAX = BODY_BYTES_MAX - 1024 * 1024

/** The rows as the text of a field. 400 VALIDATION_ERROR if a form cannot send it. */
export function carriedText(rows: readonly unknown[]): string {
  const text = JSON.stringify(rows)
  if (formLength(text) > ROWS_BYTES_MAX) {
    throw refused('It is too large to be imported at once: split it.')
  }
  return text
}

/** The rows of a submitted form. 400 VALIDATION_ERROR if they are not as the page has made them. */
export function carriedRows<Row>(form: Form, row: z.ZodType<Row>, max: number): Row[] {
  const Rows = z.object({ rows: z.array(row).min(1).max(max) })
  return check(Rows, { rows: carriedJson(form.raw('rows')) }).rows
}

/** The length of the text in a form, where most signs take three bytes. */
function formLength(text: string): number {
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // A pair of surrogates is four bytes.
    if (code > 0x7f) length += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 6 : 9
    else length += isPlain(code) ? 1 : 3
  }
  return length
}

/** Letters, digits, a blank and `*-._`. */
function isPlain(code: number): boolean {
  if (code >= 0x61 ? code <= 0x7a : code >= 0x41 && code <= 0x5a) return true
  if (code >= 0x30 && code <= 0x39) return true
  return code === 0x20 || code === 0x2a || code === 0x2d || code === 0x2e || code === 0x5f
}
