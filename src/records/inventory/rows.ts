import type * as z from 'zod'
import type { FieldErrors } from '../../engine/errors.ts'
import { NAME_LENGTH_MAX, QUANTITY_MAX } from '../../engine/json/fields.ts'
import { isObject } from '../../engine/json/json-object.ts'
import { fieldErrors, kindOf, messageOf } from '../../engine/json/messages.ts'
import { type SourceOf, sourcesOf } from '../../engine/json/source.ts'
import type { Pace } from '../../engine/limits/pace.ts'
import { problemMessage } from '../../engine/mapping/problem.ts'
import { type RowFaults, rowFaultsOf } from '../../engine/mapping/row-faults.ts'
import { type CodesByKind, type NearCodes, noProduct } from '../near-codes.ts'
import { codedOf } from './codes.ts'
import { StockRow, UploadRow, UpsertInventory } from './schema.ts'

export const ERRORS_MAX = 1000
// One UTF-16 unit more than a valid code can have. The beginning of a longer one tells which it is.
const CODE_LENGTH_MAX = 511

// To check a row takes some microseconds, and more if zod checks it.
const PLAIN_ROW_STEPS = 50
const ROW_STEPS = 250

/** A row error of the spec: the codes as sent, and the messages by field. */
export interface RowError {
  row: number
  location_id: string
  product_id: string
  errors: FieldErrors
  /** With a mapping: the path of each field in the partner's own document. */
  source?: Record<string, string>
}

/** A row whose condition does not hold, by its index among the well-formed rows. */
export interface Mismatched {
  row: number
  message: string
}

export interface CheckedRows {
  valid: UploadRow[]
  /** The index of each valid row in the upload. */
  positions: number[]
  /** Those of the first 1,000 malformed rows; `failed` counts all. */
  errors: RowError[]
  failed: number
}

/**
 * Separates the well-formed rows of an upload from the malformed ones. Does not look up codes. Without
 * `takesConditions`, `if_quantity` may be anything.
 */
export async function checkRows(
  rows: unknown[],
  pace: Pace,
  takesConditions = true,
): Promise<CheckedRows> {
  const schema = takesConditions ? UploadRow : StockRow
  const checked: CheckedRows = { valid: [], positions: [], errors: [], failed: 0 }
  for (const [row, value] of rows.entries()) {
    const faults = isObject(value) ? rowFaultsOf(value) : undefined
    const coded = codedOf(value)?.errors
    const isCodedWrong = coded !== undefined && Object.keys(coded).length > 0
    const isPlain = isPlainRow(value)
    if (pace.spend(isPlain ? PLAIN_ROW_STEPS : ROW_STEPS)) await pace.rest()
    const result: z.ZodSafeParseResult<UploadRow> = isPlain
      ? { success: true, data: value }
      : schema.safeParse(value, { error: messageOf })
    if (result.success && !faults && !isCodedWrong) {
      checked.valid.push(result.data)
      checked.positions.push(row)
      continue
    }
    checked.failed += 1
    if (checked.errors.length === ERRORS_MAX) continue
    const errors = isObject(value)
      ? { ...fieldErrors(result.error?.issues ?? []), ...faultErrors(faults), ...coded }
      : { row: [`Must be an object, not ${kindOf(value)}.`] }
    checked.errors.push({ row, ...codesOf(value), errors })
  }
  return checked
}

/** Why the mapping could not give a field of the row. */
function faultErrors(faults: RowFaults | undefined): FieldErrors {
  return Object.fromEntries(
    Array.from(faults ?? [], ([field, problem]) => [field, [problemMessage(problem)]]),
  )
}

/**
 * Whether UploadRow accepts the row unchanged. It repeats the checks for the usual row: zod takes five
 * times as long, and an upload has a hundred thousand rows.
 */
export function isPlainRow(value: unknown): value is UploadRow {
  if (!isObject(value)) return false
  const { location_code, sku_code, quantity, if_quantity = null } = value
  return (
    isPlainCode(location_code) &&
    isPlainCode(sku_code) &&
    isPlainQuantity(quantity) &&
    (if_quantity === null || isPlainQuantity(if_quantity))
  )
}

function isPlainCode(value: unknown): boolean {
  if (typeof value !== 'string') return false
  return value.length > 0 && value.length <= NAME_LENGTH_MAX && value.isWellFormed()
}

function isPlainQuantity(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= QUANTITY_MAX
}

/** The errors of an upload and of its first malformed rows, by field of the whole body. */
export async function uploadErrors(
  upload: object,
  pace: Pace,
): Promise<{ errors: FieldErrors; failed: number }> {
  const { error, data } = UpsertInventory.safeParse(upload, { error: messageOf })
  const checked = await checkRows(data?.inventory ?? [], pace)
  const errors = { ...fieldErrors(error?.issues ?? []), ...rowErrorsByField(checked.errors) }
  return { errors, failed: checked.failed }
}

/** Row errors by field of the whole body: `inventory[3].sku_code`. */
export function rowErrorsByField(rows: RowError[]): FieldErrors {
  const entries = rows.flatMap(({ row, errors }) =>
    Object.entries(errors).map(([name, messages]) => {
      const place = `inventory[${row}]`
      return [name === 'row' ? place : `${place}.${name}`, messages] as const
    }),
  )
  return Object.fromEntries(entries)
}

/** The codes of the listed malformed rows that are well formed themselves and that no well-formed row has. */
export function distinctCodes(
  { errors }: CheckedRows,
  known: CodesByKind<ReadonlyMap<string, unknown>>,
): CodesByKind<Set<string>> {
  const [locations, skus] = [new Set<string>(), new Set<string>()]
  for (const { location_code, sku_code } of errors.map(wellFormedCodes)) {
    if (location_code !== undefined && !known.locations.has(location_code)) {
      locations.add(location_code)
    }
    if (sku_code !== undefined && !known.skus.has(sku_code)) skus.add(sku_code)
  }
  return { locations, skus }
}

type RowCodes = Partial<Pick<StockRow, 'location_code' | 'sku_code'>>

/** The codes of a malformed row that are well formed themselves. */
function wellFormedCodes({ location_id, product_id, errors }: RowError): RowCodes {
  if (errors.row) return {}
  return {
    ...(!errors.location_code && { location_code: location_id }),
    ...(!errors.sku_code && { sku_code: product_id }),
  }
}

/**
 * The first row errors in order, of malformed rows, of rows with unknown codes, and of those whose condition does not
 * hold.
 */
export function firstErrors(
  checked: CheckedRows,
  locations: Codes,
  skus: Codes,
  mismatched: Mismatched[] = [],
  max = ERRORS_MAX,
): RowError[] {
  const errorAt = (index: number, errors: FieldErrors): RowError => {
    const { location_code = '', sku_code = '' } = checked.valid[index] ?? {}
    const row = checked.positions[index] ?? index
    return { row, location_id: location_code, product_id: sku_code, errors }
  }
  const unknown: RowError[] = []
  const isSuspect = locations.unknown.size + skus.unknown.size > 0
  for (const [index, row] of isSuspect ? checked.valid.entries() : []) {
    const errors = unknownCodes(row, locations, skus)
    if (Object.keys(errors).length === 0) continue
    unknown.push(errorAt(index, errors))
    if (unknown.length === max) break
  }
  const malformed = checked.errors.map((error) => ({
    ...error,
    errors: { ...unknownCodes(wellFormedCodes(error), locations, skus), ...error.errors },
  }))
  const unmet = mismatched.map(({ row, message }) => errorAt(row, { if_quantity: [message] }))
  return [...malformed, ...unknown, ...unmet].sort((a, b) => a.row - b.row).slice(0, max)
}

function unknownCodes(
  { location_code = '', sku_code = '' }: RowCodes,
  locations: Codes,
  skus: Codes,
): FieldErrors {
  return {
    ...(locations.unknown.has(location_code) && {
      location_code: [
        `No location has the code "${location_code}".${locations.near.get(location_code) ?? ''}`,
      ],
    }),
    ...(skus.unknown.has(sku_code) && { sku_code: [noProduct(sku_code, skus.near)] }),
  }
}

/** Adds the paths in the partner's own document, if there is a mapping. */
export function withSource(error: RowError, sourceOf: SourceOf | undefined): RowError {
  const row = `inventory[${error.row}]`
  const sourceInRow = (name: string) => sourceOf?.(name === 'row' ? row : `${row}.${name}`) ?? null
  return { ...error, ...sourcesOf(Object.keys(error.errors), sourceInRow) }
}

/** Codes of an upload that errors or warnings name. */
export interface Codes {
  unknown: Set<string>
  inactive: Set<string>
  near: NearCodes
}

function codesOf(value: unknown): { location_id: string; product_id: string } {
  const { location_code, sku_code } = isObject(value) ? value : {}
  return { location_id: asSent(location_code), product_id: asSent(sku_code) }
}

/** A code as sent, cut if it is too long; empty if it is missing, null, an object or an array. */
function asSent(code: unknown): string {
  const isScalar = typeof code !== 'object' && code !== undefined
  if (!isScalar) return ''
  const text = String(code)
  // The cut may split a surrogate pair.
  return text.length > CODE_LENGTH_MAX ? text.slice(0, CODE_LENGTH_MAX).toWellFormed() : text
}
