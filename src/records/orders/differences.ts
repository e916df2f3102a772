import * as z from 'zod'
import { utcText } from '../../engine/json/date-time.ts'
import { isObject, type JsonObject } from '../../engine/json/json-object.ts'
import { kindOf, shortened } from '../../engine/json/messages.ts'
import {
  type LineDifference,
  unusedFields,
  type Warning,
  withoutEffect,
} from '../../engine/json/warnings.ts'
import { OrderItem, OrderRecord } from './schema.ts'

const LISTED_MAX = 20
const FIXED = 'Cannot be set here'

const { sku, ...shownLine } = OrderRecord.shape.items.element.shape
const SentLines = z.object({ items: z.array(OrderItem.extend({ sku, ...shownLine })) })
const COMPARED = Object.keys(shownLine)

type Shown = Pick<z.output<typeof OrderRecord>, 'items'>
type Line = Shown['items'][number]

/** Warnings about fields that a body has beside those that it sets, unless the order has the same values. */
export function differences(order: Shown, { items, ...fields }: JsonObject = {}): Warning[] {
  const unlike = Object.entries(fields).filter(
    ([name, value]) => !isSame(name, value, Reflect.get(order, name)),
  )
  return [
    ...(items === undefined ? [] : lineWarnings(order.items, items)),
    ...unlike.map(([name]) => withoutEffect(name, FIXED)),
  ]
}

/** An earlier `updated_at` is that of the order as it was read, before this change. */
function isSame(name: string, sent: unknown, stored: unknown): boolean {
  if (sent === stored) return true
  if (typeof sent !== 'string' || typeof stored !== 'string') return false
  const moment = utcText(sent)
  if (moment === undefined) return false
  return name === 'updated_at' ? moment <= stored : moment === stored
}

function lineWarnings(stored: Line[], sent: unknown): Warning[] {
  if (!Array.isArray(sent)) return [withoutEffect('items', FIXED)]
  const found = lineDifferences(stored, sent)
  const unknown = unusedFields(SentLines, { items: sent })
  return found.count > 0 ? [linesDiffer(found), ...unknown] : unknown
}

/** The first differences, and how many there are: a body may have a million lines. */
interface Found {
  count: number
  listed: LineDifference[]
}

function linesDiffer({ count, listed }: Found): Warning {
  const rest = count > LISTED_MAX ? `, of which the first ${LISTED_MAX} are listed` : ''
  const many = count === 1 ? 'one difference' : `${count} differences${rest}`
  return {
    field: 'items',
    code: 'LINES_DIFFER',
    message: `Lines cannot be changed, so these had no effect: ${many}, the first at ${listed[0]?.field}.`,
    differences: listed,
  }
}

/** Compares line by line of each SKU: lines in another order are the same. */
function lineDifferences(stored: Line[], sent: unknown[]): Found {
  const waiting = Map.groupBy(stored, (line) => line.sku.sku)
  const found: Found = { count: 0, listed: [] }
  for (const [at, line] of sent.entries()) {
    const sku = skuOf(line)
    const own = typeof sku === 'string' ? waiting.get(sku)?.shift() : undefined
    const field = `items[${at}]`
    if (own && isObject(line)) {
      for (const name of COMPARED) compare(found, `${field}.${name}`, own, [name, line[name]])
    } else {
      const quantity = isObject(line) ? line.quantity : line
      note(found, { field, sku_code: sku, stored: null, sent: quantity })
    }
  }
  for (const { sku, quantity } of [...waiting.values()].flat()) {
    note(found, { field: 'items', sku_code: sku.sku, stored: quantity, sent: null })
  }
  return found
}

function compare(found: Found, field: string, line: Line, [name, sent]: [string, unknown]): void {
  const stored: unknown = Reflect.get(line, name)
  if (sent === undefined || sent === stored) return
  note(found, { field, sku_code: line.sku.sku, stored, sent })
}

interface Difference {
  field: string
  sku_code: unknown
  stored: unknown
  sent: unknown
}

function note(found: Found, { field, ...values }: Difference): void {
  found.count += 1
  if (found.listed.length >= LISTED_MAX) return
  const { sku_code, stored, sent } = values
  const sku = typeof sku_code === 'string' ? shortened(sku_code) : null
  found.listed.push({ field, sku_code: sku, stored: printed(stored), sent: printed(sent) })
}

/** Of a line as a body has it, or as answers show it. */
export function skuOf(line: unknown): unknown {
  if (!isObject(line)) return null
  return line.sku_code ?? (isObject(line.sku) ? line.sku.sku : null)
}

/** What a body may hold, bounded. */
export function printed(value: unknown): string | number | boolean | null {
  if (typeof value === 'string') return shortened(value)
  if (value === undefined || value === null) return null
  return typeof value === 'number' || typeof value === 'boolean' ? value : kindOf(value)
}
