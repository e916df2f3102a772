import type { FieldErrors } from '../../errors.ts'
import { isObject, NAME_LENGTH_MAX, QUANTITY_MAX } from '../../fields.ts'
import { fieldErrors, kindOf, messageOf } from '../../messages.ts'
import { type SourceOf, sourcesOf } from '../../source.ts'
import type { Warning } from '../../warnings.ts'
import { StockRow, UpsertInventory } from './schema.ts'

const ERRORS_MAX = 1000
// What a valid code may take in UTF-16, and one more: of a longer one, the beginning tells which.
const CODE_LENGTH_MAX = 511

/** A row error of the spec: the codes as they were sent, and what is wrong with each field. */
export interface RowError {
  row: number
  location_id: string
  product_id: string
  errors: FieldErrors
  /** With a mapping: where the partner's own document has, or should have, these fields. */
  source?: Record<string, string>
}

export interface CheckedRows {
  valid: StockRow[]
  /** Where each of them stands in the upload. */
  places: number[]
  /** The first of them; `failed` counts all. */
  errors: RowError[]
  failed: number
}

/** Sorts the rows of an upload by whether they are well formed; codes are not looked up here. */
export function checkRows(rows: unknown[]): CheckedRows {
  const checked: CheckedRows = { valid: [], places: [], errors: [], failed: 0 }
  for (const [row, value] of rows.entries()) {
    const result = isPlainRow(value)
      ? ({ success: true, data: value } as const)
      : StockRow.safeParse(value, { error: messageOf })
    if (result.success) {
      checked.valid.push(result.data)
      checked.places.push(row)
      continue
    }
    checked.failed += 1
    if (checked.errors.length === ERRORS_MAX) continue
    const errors = isObject(value)
      ? fieldErrors(result.error.issues)
      : { row: [`Must be an object, not ${kindOf(value)}.`] }
    checked.errors.push({ row, ...codesOf(value), errors })
  }
  return checked
}

/**
 * Whether the row is one that StockRow takes as it is: said again, of what nearly all rows are, since
 * zod takes five times as long, and an upload has a hundred thousand.
 */
export function isPlainRow(value: unknown): value is StockRow {
  if (!isObject(value)) return false
  const { location_code, sku_code, quantity } = value
  return isPlainCode(location_code) && isPlainCode(sku_code) && isPlainQuantity(quantity)
}

function isPlainCode(value: unknown): boolean {
  if (typeof value !== 'string') return false
  return value.length > 0 && value.length <= NAME_LENGTH_MAX && value.isWellFormed()
}

function isPlainQuantity(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= QUANTITY_MAX
}

/** What is wrong with an upload, its first malformed rows included, as fields of the whole. */
export function uploadErrors(upload: object): { errors: FieldErrors; failed: number } {
  const { error, data } = UpsertInventory.safeParse(upload, { error: messageOf })
  const checked = checkRows(data?.inventory ?? [])
  const rows = checked.errors.flatMap(({ row, errors }) =>
    Object.entries(errors).map(([name, messages]) => {
      const place = `inventory[${row}]`
      return [name === 'row' ? place : `${place}.${name}`, messages] as const
    }),
  )
  const errors = { ...fieldErrors(error?.issues ?? []), ...Object.fromEntries(rows) }
  return { errors, failed: checked.failed }
}

/** The first row errors by place, of malformed rows and of rows whose codes are unknown. */
export function firstErrors(checked: CheckedRows, locations: Codes, skus: Codes): RowError[] {
  const unknown: RowError[] = []
  const isSuspect = locations.unknown.size + skus.unknown.size > 0
  for (const [index, row] of isSuspect ? checked.places.entries() : []) {
    const { location_code = '', sku_code = '' } = checked.valid[index] ?? {}
    const errors: FieldErrors = {
      ...(locations.unknown.has(location_code) && {
        location_code: [`No location has the code "${location_code}".`],
      }),
      ...(skus.unknown.has(sku_code) && { sku_code: [`No product has the SKU "${sku_code}".`] }),
    }
    if (Object.keys(errors).length === 0) continue
    unknown.push({ row, location_id: location_code, product_id: sku_code, errors })
    if (unknown.length === ERRORS_MAX) break
  }
  return [...checked.errors, ...unknown].sort((a, b) => a.row - b.row).slice(0, ERRORS_MAX)
}

/** The row error with the paths of the partner's own document, where there is a mapping. */
export function withSource(error: RowError, sourceOf: SourceOf | undefined): RowError {
  const row = `inventory[${error.row}]`
  const sourceInRow = (name: string) => sourceOf?.(name === 'row' ? row : `${row}.${name}`) ?? null
  return { ...error, ...sourcesOf(Object.keys(error.errors), sourceInRow) }
}

/** Codes of an upload that deserve a word, as the database knows them. */
export interface Codes {
  unknown: Set<string>
  inactive: Set<string>
}

export function uploadWarnings(
  failed: number,
  listed: number,
  locations: Codes,
  skus: Codes,
): Warning[] {
  const inactive = (field: string, kind: string, codes: Codes) =>
    [...codes.inactive].map((code) => ({ field, message: `${kind} "${code}" is inactive.` }))
  const warnings = [
    ...inactive('inventory[].location_code', 'Location', locations),
    ...inactive('inventory[].sku_code', 'Product', skus),
  ]
  if (failed > listed) {
    const message = `Only the first ${listed} of ${failed} failed rows are listed.`
    warnings.push({ field: 'errors', message })
  }
  return warnings
}

function codesOf(value: unknown): { location_id: string; product_id: string } {
  const { location_code, sku_code } = isObject(value) ? value : {}
  return { location_id: asSent(location_code), product_id: asSent(sku_code) }
}

/** Of a code that is none, as much as tells which it is. */
function asSent(code: unknown): string {
  const isScalar = typeof code !== 'object' && code !== undefined
  if (!isScalar) return ''
  const text = String(code)
  // A cut may go through a pair of surrogates.
  return text.length > CODE_LENGTH_MAX ? text.slice(0, CODE_LENGTH_MAX).toWellFormed() : text
}
