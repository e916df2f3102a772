import type { JsonObject } from '../src/engine/json/json-object.ts'
import { type MappedDocument, mapDocument, mapRecords } from '../src/engine/mapping/inbound.ts'
import type { SavedRules } from '../src/engine/mapping/saved-rule.ts'
import type { Benchmark } from './figure.ts'
import { ratios, summary } from './rounds.ts'

/**
 * How much longer it takes to read 10 MB of rows and make 500 orders of them (`group_by`) than to read the same rows and
 * make the lines of one order. Header fields are compared in all rows of an order, which the other mapping has not to do.
 */
export const groupedRows: Benchmark = {
  names: ['grouped_rows_vs_plain'],
  summary: 'JSON.parse and mapping of 10 MB of rows as 500 orders, relative to the same as one',
  async run({ quick }) {
    const text = exportedRows()
    const grouped = () => timeOf(() => mapGrouped(text))
    const plain = () => timeOf(() => mapPlain(text))
    checkSame(mapGrouped(text), mapPlain(text))
    // Warm-up.
    await ratios(quick ? 1 : 3, grouped, plain)
    const measured = summary(await ratios(quick ? 5 : 21, grouped, plain))
    const bound = { atMost: 2.5 }
    return [{ name: 'grouped_rows_vs_plain', ...measured, unit: 'x', bound }]
  },
}

const BODY_BYTES = 10 * 1024 * 1024
const ORDERS = 500
const AT_ONCE = 3

const LINES = {
  'items[].sku_code': "$[]['Lineitem sku']",
  'items[].quantity': { from: "$[]['Lineitem quantity']", as: 'integer' },
  'items[].notes': "$[]['Lineitem name']",
} as const

// One object for all documents, as in a caller's settings, so that the rules are compiled only once.
const GROUPED: SavedRules = {
  unmapped: 'drop',
  records: { each: '$[]', group_by: ['$[].Name'] },
  fields: {
    order_number: '$[].Name',
    customer_name: "$[]['Billing Name']",
    'customer_info.city': "$[]['Billing City']",
    ...LINES,
  },
}
const PLAIN: SavedRules = {
  unmapped: 'drop',
  fields: { order_number: { value: 'ALL' }, ...LINES },
}

/** As a shop exports its orders: the first row of an order alone has its header. */
function exportedRows(): string {
  const rows: string[] = []
  for (let length = 2, n = 0; ; n++) {
    const order = n % ORDERS
    const isFirst = n < ORDERS
    const row = JSON.stringify({
      Name: `#${10_000 + order}`,
      Email: isFirst ? `customer-${order}@example.com` : '',
      'Financial Status': isFirst ? 'paid' : '',
      Currency: isFirst ? 'EUR' : '',
      'Billing Name': isFirst ? `Customer ${order}` : '',
      'Billing City': isFirst ? 'Oslo' : '',
      'Lineitem quantity': String((n % 12) + 1),
      'Lineitem name': `Earl Grey, 100 g, tin no. ${n % 40}`,
      'Lineitem price': '12.50',
      'Lineitem sku': `TEA-EARLGREY-${String(n % 5000).padStart(4, '0')}`,
      'Lineitem requires shipping': 'true',
      Vendor: 'North & Sons',
    })
    length += row.length + 1
    if (length > BODY_BYTES) return `[${rows.join()}]`
    rows.push(row)
  }
}

function documentOf(text: string) {
  return { method: 'POST', payload: JSON.parse(text) as unknown, bytes: text.length }
}

function mapGrouped(text: string): MappedDocument[] {
  const { records, problems } = mapRecords('orders', GROUPED, documentOf(text))
  for (const document of records) refuseProblems(document)
  refuseProblems({ problems })
  return records
}

function mapPlain(text: string): MappedDocument {
  const document = mapDocument('orders', PLAIN, documentOf(text))
  refuseProblems(document)
  return document
}

function refuseProblems({ problems: [problem] }: Pick<MappedDocument, 'problems'>): void {
  if (problem) throw new Error(`The rules do not fit: ${problem.reason} at ${problem.at}.`)
}

/** Both have each row as a line. */
function checkSame(records: MappedDocument[], { value }: MappedDocument): void {
  const lines = records.reduce((sum, record) => sum + linesOf(record.value), 0)
  if (records.length === ORDERS && lines === linesOf(value)) return
  throw new Error(`${records.length} orders with ${lines} lines, instead of ${linesOf(value)}.`)
}

function linesOf({ items }: JsonObject): number {
  return Array.isArray(items) ? items.length : 0
}

/** Of a few in a row, since each leaves much to be collected; in ms. */
function timeOf(map: () => unknown): number {
  const start = performance.now()
  for (let n = 0; n < AT_ONCE; n++) map()
  return performance.now() - start
}
