import { type CodeMode, modeOf } from '../../engine/db/item-codes.ts'
import { type AskedText, type KnownCodes, readCodes } from '../../engine/db/read-codes.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { FieldErrors, Missing } from '../../engine/errors.ts'
import { NAME_LENGTH_MAX, QUANTITY_MAX } from '../../engine/json/fields.ts'
import { isObject, type JsonObject } from '../../engine/json/json-object.ts'
import type { CodeAt, CodeKind } from '../../engine/mapping/item-code.ts'
import { rowFaultsOf } from '../../engine/mapping/row-faults.ts'
import { type DocumentCodes, noItemCode } from '../item-codes.ts'

// The rows of an upload may name products and locations by the partner's own numbers. Rows are grouped into pairs before
// the SQL of the upload, so the codes are read first.

/** What the row was before its codes were looked up, and what came of that. The member is not part of the JSON. */
export interface CodedRow {
  /** Rows with the same codes have the same. */
  key: string
  /** Why the codes cannot be used. */
  errors: FieldErrors
  /** The item code that is unknown. */
  missing?: Missing
  /** Rows with other codes give the same pair: the quantities add up. */
  isSummed: boolean
}

const CODED: unique symbol = Symbol('item codes of the row')

export function codedOf(row: unknown): CodedRow | undefined {
  return isObject(row) ? (row as { [CODED]?: CodedRow })[CODED] : undefined
}

const FIELDS = [
  ['sku_code', 'products'],
  ['location_code', 'locations'],
] as const satisfies readonly (readonly [string, CodeKind])[]

const ROW_STEPS = 60
const MIXED = 'Cannot be set where several item codes stand for one product: leave it out.'

/** The rows with what their codes stand for, and their quantities multiplied. Without codes, the same rows. */
export async function resolvedRows(
  db: TenantDatabase,
  rows: unknown[],
  { codeAt, partner }: DocumentCodes,
): Promise<unknown[]> {
  if (codeAt === null || partner === null) return rows
  const asked = new Map<string, AskedText>()
  for (const [at, row] of rows.entries()) {
    if (db.pace.spend(ROW_STEPS)) await db.pace.rest()
    for (const text of textsOf(codeAt, row, at)) {
      if (text.mode !== 'own') asked.set(keyOf(text), text)
    }
  }
  const known = await readCodes(db, partner.id, [...asked.values()])
  const resolved: unknown[] = []
  for (const [at, row] of rows.entries()) {
    if (db.pace.spend(ROW_STEPS)) await db.pace.rest()
    resolved.push(resolvedRow(row, textsOf(codeAt, row, at), known))
  }
  return summed(resolved)
}

type FieldText = AskedText & { field: (typeof FIELDS)[number][0] }

/** None of a row that the mapping could not make, and of what is no text that a code may be. */
function textsOf(codeAt: CodeAt, row: unknown, at: number): FieldText[] {
  if (!isObject(row) || rowFaultsOf(row)) return []
  return FIELDS.flatMap(([field, kind]): FieldText[] => {
    const text = row[field]
    if (typeof text !== 'string' || text.length > 2 * NAME_LENGTH_MAX || !text.isWellFormed()) {
      return []
    }
    const mode: CodeMode = modeOf(codeAt(['inventory', at, field]))
    return [{ field, kind, text, mode }]
  })
}

function keyOf({ kind, mode, text }: AskedText): string {
  return `${kind} ${mode} ${text}`
}

function resolvedRow(row: unknown, texts: FieldText[], known: KnownCodes): unknown {
  if (!isObject(row) || texts.every(({ mode }) => mode === 'own')) return row
  const result: JsonObject = { ...row }
  const errors: FieldErrors = {}
  let missing: Missing | undefined
  for (const text of texts.filter(({ mode }) => mode !== 'own')) {
    const { record_name, units } = known(text)
    if (record_name === null) {
      errors[text.field] = [noItemCode(text.text, text.kind, text.mode)]
      missing ??= missingOf(text)
      continue
    }
    result[text.field] = record_name
    for (const name of ['quantity', 'if_quantity']) multiply(result, name, units, errors)
  }
  const key = texts.map(keyOf).join('\n')
  const coded: CodedRow = { key, errors, isSummed: false, ...(missing && { missing }) }
  return Object.assign(result, { [CODED]: coded })
}

export function missingOf({ kind, text, mode }: AskedText): Missing {
  const needs = kind === 'products' ? 'product_code' : 'location_code'
  return { kind: needs, code: text, orOwn: mode === 'or_own' }
}

function multiply(row: JsonObject, name: string, units: number, errors: FieldErrors): void {
  const sent = row[name]
  if (units === 1 || typeof sent !== 'number' || !Number.isInteger(sent)) return
  const quantity = sent * units
  if (quantity <= QUANTITY_MAX) row[name] = quantity
  else {
    errors[name] = [
      `Must be at most ${QUANTITY_MAX}, with the units of the item code: ${sent} x ${units}.`,
    ]
  }
}

interface Pair {
  rows: { row: JsonObject; coded: CodedRow }[]
  /** By key of codes, the quantity of the last row. */
  quantities: Map<string, number>
}

/** Gives each row of a pair that several codes have the sum of them: so whichever row counts, the sum is stored. */
function summed(rows: unknown[]): unknown[] {
  const pairs = new Map<string, Pair>()
  for (const row of rows) {
    const coded = codedOf(row)
    if (!coded || !isObject(row) || Object.keys(coded.errors).length > 0) continue
    const { location_code, sku_code, quantity } = row
    if (typeof quantity !== 'number' || !Number.isInteger(quantity) || quantity < 0) continue
    const name = JSON.stringify([location_code, sku_code])
    const pair: Pair = pairs.get(name) ?? { rows: [], quantities: new Map() }
    pairs.set(name, pair)
    pair.rows.push({ row, coded })
    pair.quantities.set(coded.key, quantity)
  }
  for (const { rows: ofPair, quantities } of pairs.values()) {
    if (quantities.size > 1) addUp(ofPair, [...quantities.values()])
  }
  return rows
}

function addUp(rows: Pair['rows'], quantities: number[]): void {
  const sum = quantities.reduce((all, quantity) => all + quantity, 0)
  for (const { row, coded } of rows) {
    coded.isSummed = true
    if (typeof row.if_quantity === 'number') coded.errors.if_quantity = [MIXED]
    if (sum > QUANTITY_MAX) {
      coded.errors.quantity = [
        `Must be at most ${QUANTITY_MAX} together with the rows of other item codes: ${quantities.length} codes give ${sum}.`,
      ]
    } else row.quantity = sum
  }
}
