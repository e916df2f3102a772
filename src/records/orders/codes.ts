import { sql } from 'drizzle-orm'
import { type CodeMode, modeOf, resolvedFrom } from '../../engine/db/item-codes.ts'
import { literal, prepared, qb, type Values } from '../../engine/db/prepared.ts'
import { NAME_LENGTH_MAX, QUANTITY_MAX } from '../../engine/json/fields.ts'
import { isObject, type JsonObject } from '../../engine/json/json-object.ts'
import type { CodeAt } from '../../engine/mapping/item-code.ts'
import type { DocumentCodes } from '../item-codes.ts'
import { ITEMS_MAX } from './schema.ts'

// The lines of an order may name products by the partner's own numbers. The statements of the order's batch look them up.

interface CodedLine {
  sku_code: string
  quantity: number
}

/** The lines of a document as statements look them up. */
export interface LineCodes {
  modes: CodeMode[]
  /** For the placeholders of `resolvedFrom`: text, mode, lines and highest quantity. For BYTES_MORE: the text of each line. */
  values: Values
}

/** Null if no line has a code: then nothing is looked up. */
export function lineCodes(
  lines: readonly CodedLine[],
  { codeAt, partner }: DocumentCodes,
): LineCodes | null {
  if (codeAt === null || partner === null) return null
  const modes = lines.map((_, position) => modeAt(codeAt, position))
  const asked = new Map<string, [string, CodeMode, number, number]>()
  for (const [position, { sku_code, quantity }] of lines.entries()) {
    const mode = modes[position] ?? 'own'
    const key = `${mode} ${sku_code}`
    const [, , count, most] = asked.get(key) ?? [sku_code, mode, 0, 0]
    asked.set(key, [sku_code, mode, count + 1, Math.max(most, quantity)])
  }
  const coded = lines.flatMap(({ sku_code }, position) =>
    modes[position] === 'own' ? [] : [sku_code],
  )
  const values = { asked: JSON.stringify([...asked.values()]), coded: JSON.stringify(coded) }
  return { modes, values: { ...values, codes_of: partner.id } }
}

/** How the text of the line of a document is looked up. */
export function modeAt(codeAt: CodeAt, position: number): CodeMode {
  return modeOf(codeAt(['items', position, 'sku_code']))
}

const RESOLVED = sql`${resolvedFrom('products')} as resolved
  left join products on products.sku = resolved.record_name`

/** What the texts of lines stand for, and whether there is such a product. */
export const selectLineCodes = prepared(() =>
  qb
    .select({
      text: sql<string>`text`,
      mode: sql<CodeMode>`mode`.as('mode'),
      sku: sql<string | null>`record_name`.as('named'),
      units: sql<number>`units`.as('units'),
      is_code: sql<number>`is_code`.as('is_code'),
      is_known: sql<number>`products.sku is not null`.as('is_known'),
      is_active: sql<number | null>`products.is_active`.as('is_active'),
    })
    .from(RESOLVED),
)
export type FoundCode = (typeof selectLineCodes)['_']['result'][number]

/** SQL that is true if each text stands for a product that is there. */
export const ALL_ARE_KNOWN = sql`not exists (select 1 from ${RESOLVED} where products.sku is null)`

/** SQL that is true if no quantity becomes too large. */
export const ALL_QUANTITIES_FIT = sql`not exists (select 1 from ${RESOLVED}
  where more ->> 3 * units > ${literal(QUANTITY_MAX)})`

/** SQL for how many bytes more the lines may take as JSON than those with the texts of the partner. */
export const BYTES_MORE = sql`(select coalesce(sum(9 + octet_length(json_quote(record_name))), 0)
  from json_each(${sql.placeholder('coded')}) as line
    cross join item_codes on partner_id = ${sql.placeholder('codes_of')} and kind = 'products' and code = line.value)`

/** The lines with what their texts stand for. What is unknown stays. */
export function resolvedLines<Line extends CodedLine>(
  lines: readonly Line[],
  { modes }: LineCodes,
  found: readonly FoundCode[],
): Line[] {
  const byText = new Map(found.map((code) => [`${code.mode} ${code.text}`, code]))
  return lines.map((line, position) => {
    const code = byText.get(`${modes[position] ?? 'own'} ${line.sku_code}`)
    if (!code || code.sku === null) return line
    return { ...line, sku_code: code.sku, quantity: line.quantity * code.units }
  })
}

/** The lines of a PUT are only compared with those of the order. They may be anything. */
export function comparedCodes(
  document: JsonObject | undefined,
  codes: DocumentCodes,
): LineCodes | null {
  const { items } = document ?? {}
  return Array.isArray(items) ? lineCodes(comparedOf(items), codes) : null
}

/** The document of a PUT with what the texts of its lines stand for. */
export function comparedLines(
  document: JsonObject | undefined,
  codes: LineCodes | null,
  found: readonly FoundCode[],
): JsonObject | undefined {
  if (!document || !codes || !Array.isArray(document.items)) return document
  const lines = resolvedLines(comparedOf(document.items), codes, found)
  const items = document.items.map((line: unknown, at) => {
    const { sku_code = '', quantity } = lines[at] ?? {}
    if (!isObject(line) || sku_code === '') return line
    const isCounted = typeof line.quantity === 'number'
    return { ...line, sku_code, ...(isCounted && { quantity }) }
  })
  return { ...document, items }
}

/** No order has more lines, and no code is longer. */
function comparedOf(items: unknown[]): CodedLine[] {
  return items.slice(0, ITEMS_MAX).map(codedLine)
}

function codedLine(line: unknown): CodedLine {
  const { sku_code, quantity } = isObject(line) ? line : {}
  const isCode = typeof sku_code === 'string' && sku_code.length <= 2 * NAME_LENGTH_MAX
  return {
    sku_code: isCode ? sku_code.toWellFormed() : '',
    quantity: typeof quantity === 'number' ? quantity : 0,
  }
}
