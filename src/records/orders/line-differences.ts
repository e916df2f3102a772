import { type SQL, sql } from 'drizzle-orm'
import { WRITTEN_ID, WRITTEN_IN } from '../../engine/db/audit-row.ts'
import { lineDifferences } from '../../engine/db/delivery-tables.ts'
import { type CodeMode, joinedCodes, recordNamedBy } from '../../engine/db/item-codes.ts'
import { literal, prepared, type Query, qb } from '../../engine/db/prepared.ts'
import { NAME_LENGTH_MAX } from '../../engine/json/fields.ts'
import { isObject } from '../../engine/json/json-object.ts'
import type { LineCodes } from './codes.ts'
import { printed, skuOf } from './differences.ts'
import { ITEMS_MAX } from './schema.ts'

// The comparison is of quantities per SKU: shops split and join lines, and that changes nothing for those who pick.

/** The most differences that are kept with their values. All are counted. */
const LISTED_MAX = 20

/** A quantity as sent; a text if it is no number that can be added; null if the document does not tell it. */
type SentQuantity = number | string | null

const SENT = sql.placeholder('sent_lines')

const [TEXT, MODE, QUANTITY] = [0, 1, 2].map((at) => sql`line.value ->> ${literal(at)}`) as [
  SQL,
  SQL,
  SQL,
]

/** The same of lines with item codes, [text, mode, quantity], with what the codes stand for. An unknown one stays. */
const RESOLVED = sql`(select json_group_array(json_array(sku_code, quantity)) from (
    select sku_code, iif(count(quantity) < count(*), null,
      iif(sum(typeof(quantity) <> 'integer'), max(quantity), sum(quantity))) as quantity
    from (
      select coalesce(${recordNamedBy(TEXT, MODE)}, ${TEXT}) as sku_code,
        iif(typeof(${QUANTITY}) = 'integer', ${QUANTITY} * coalesce(item_codes.units, 1), ${QUANTITY}) as quantity
      from json_each(${SENT}) as line ${joinedCodes('products', TEXT, MODE)})
    group by sku_code order by sku_code))`

/** The SKUs of which the written order has another quantity than the document. */
const differingFrom = (sent: SQL) => sql`select sku_code, stored, sent from (
    select sku_code, max(stored) as stored, max(sent) as sent, max(is_untold) as is_untold from (
      select sku_code, sum(quantity) as stored, null as sent, 0 as is_untold from order_items
        where order_id = ${WRITTEN_ID} group by sku_code
      union all
      select value ->> 0, null, value ->> 1, value ->> 1 is null from json_each(${sent}))
    group by sku_code)
  where stored is not sent and not (stored is not null and is_untold)`

const insertDifferences = (sent: SQL) =>
  prepared(() =>
    qb
      .insert(lineDifferences)
      .select(
        sql`with differing as (${differingFrom(sent)})
        select ${WRITTEN_ID}, ${WRITTEN_IN}, ${sql.placeholder('request_id')}, ${sql.placeholder('own_partner_id')}, ${sent},
          (select json_group_array(json_object('sku_code', sku_code, 'stored', stored, 'sent', sent)) from (
            select * from differing order by sku_code limit ${literal(LISTED_MAX)})),
          (select count(*) from differing), ${sql.placeholder('requested_at')}, null
        where exists (select 1 from differing)`,
      )
      .onConflictDoUpdate({
        target: lineDifferences.order_id,
        set: {
          log_seq: sql`excluded.log_seq`,
          request_id: sql`excluded.request_id`,
          partner_id: sql`excluded.partner_id`,
          sent: sql`excluded.sent`,
          differences: sql`excluded.differences`,
          total: sql`excluded.total`,
          noted_at: sql`excluded.noted_at`,
          seen_at: sql`null`,
        },
        setWhere: sql`line_differences.sent <> excluded.sent`,
      }),
  )

const deleteAgreed = (sent: SQL) =>
  prepared(() =>
    qb
      .delete(lineDifferences)
      .where(sql`order_id = ${WRITTEN_ID} and not exists (select 1 from (${differingFrom(sent)}))`),
  )

const PLAIN = [insertDifferences(sql`${SENT}`), deleteAgreed(sql`${SENT}`)]
const CODED = [insertDifferences(RESOLVED), deleteAgreed(RESOLVED)]

/**
 * Notes in the batch of a delivery whether the lines of its document differ from those of the order. The same lines as
 * before stay as they are, also if somebody has seen them. Without lines in the document, nothing is known of them.
 */
export function noteLines(items: unknown, codes: LineCodes | null = null): Query[] {
  if (!Array.isArray(items)) return []
  if (codes === null) {
    const sent_lines = JSON.stringify(
      quantitiesOf(items).map(({ sku, quantity }) => [sku, quantity]),
    )
    return PLAIN.map((statement) => statement.with({ sent_lines }))
  }
  const lines = quantitiesOf(items, codes).map(({ sku, mode, quantity }) => [sku, mode, quantity])
  const { codes_of } = codes.values
  return CODED.map((statement) => statement.with({ codes_of, sent_lines: JSON.stringify(lines) }))
}

/** By SKU, in one order whatever that of the lines is. More SKUs than an order can have differ in any case. */
function quantitiesOf(items: unknown[], codes: LineCodes | null = null): SentLine[] {
  const quantities = new Map<string, SentLine>()
  for (const [position, line] of items.entries()) {
    const sku = skuIn(line)
    const mode = codes?.modes[position] ?? 'own'
    const key = JSON.stringify([sku, mode])
    const known = quantities.get(key)
    const quantity = quantityOf(line)
    quantities.set(key, { sku, mode, quantity: known ? sum(known.quantity, quantity) : quantity })
  }
  const sorted = [...quantities.values()].toSorted((one, other) =>
    compare(one.sku ?? '', other.sku ?? ''),
  )
  return sorted.slice(0, ITEMS_MAX + 1)
}

interface SentLine {
  sku: string | null
  mode: CodeMode
  quantity: SentQuantity
}

/** A SKU that is too long for a product is cut, and stays too long. */
function skuIn(line: unknown): string | null {
  const sku = skuOf(line)
  return typeof sku === 'string' ? sku.slice(0, NAME_LENGTH_MAX + 1) : null
}

function quantityOf(line: unknown): SentQuantity {
  const sent = isObject(line) ? line.quantity : line
  if (sent === undefined) return null
  return Number.isSafeInteger(sent) ? (sent as number) : String(printed(sent))
}

function sum(one: SentQuantity = null, other: SentQuantity): SentQuantity {
  if (one === null || other === null) return null
  if (typeof one === 'string') return one
  if (typeof other === 'string') return other
  return one + other
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
