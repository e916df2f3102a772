import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../src/engine/formats/format.ts'
import { mapDocument } from '../../src/engine/mapping/inbound.ts'
import type { SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import { byDepth } from '../fixtures/depth.ts'

interface Line {
  sku: string
  qty: number
  note?: string
}

interface Order {
  no: string
  city: string
  lines: Line[]
}

const MARKED = [
  'a;b',
  'a,b',
  '"q"',
  "it's",
  'a\tb',
  'x\ny',
  '<b>',
  '&amp;',
  'ü€',
  '=1+1',
  '007',
  '1.50',
  ']]>',
  '📦',
]
const text = fc.oneof(
  fc.constantFrom(...MARKED),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
    .map((one) => `x${one.replace(/[\p{Cc}\ufffe\uffff]/gu, '')}x`),
)
const line = fc.record(
  { sku: text, qty: fc.integer({ min: 1, max: 9999 }), note: text },
  { requiredKeys: ['sku', 'qty'] },
)
const order: fc.Arbitrary<Order> = fc.record({
  no: text,
  city: text,
  lines: fc.array(line, { minLength: 1, maxLength: 4 }),
})

const NESTED: SavedRules = {
  unmapped: 'drop',
  fields: {
    order_number: { from: 'order.no', as: 'string' },
    'customer_info.city': 'order.to.city',
    'items[].sku_code': 'order.line[].sku',
    'items[].quantity': { from: 'order.line[].qty', as: 'integer' },
    'items[].notes': 'order.line[].note',
  },
}
const ROWS: SavedRules = {
  unmapped: 'drop',
  records: { each: '$[]', group_by: ['$[].no'] },
  fields: {
    order_number: { from: '$[].no', as: 'string' },
    'customer_info.city': '$[].city',
    'items[].sku_code': '$[].sku',
    'items[].quantity': { from: '$[].qty', as: 'integer' },
    'items[].notes': '$[].note',
  },
}

function recordOf(rules: SavedRules, body: string, type: string) {
  const bytes = new TextEncoder().encode(body)
  const { value: payload, ...read } = parseDocument(bytes, type)
  const { problems, value } = mapDocument('orders', rules, {
    method: 'POST',
    payload,
    bytes: bytes.length,
    ...read,
  })
  expect(problems).toEqual([])
  return value
}

const escaped = (value: string | number) =>
  String(value).replace(/[&<>\r\t\n]/g, (mark) => `&#${mark.charCodeAt(0)};`)

function asXml({ no, city, lines }: Order): string {
  const rows = lines.map(({ sku, qty, note }) => {
    const last =
      note === undefined
        ? ''
        : `<note><![CDATA[${note.replaceAll(']]>', ']]]]><![CDATA[>')}]]></note>`
    return `<line>\n<sku>${escaped(sku)}</sku>\n<qty>${qty}</qty>${last}</line>`
  })
  return `<order><no>${escaped(no)}</no><to><city>${escaped(city)}</city></to>${rows.join('')}</order>`
}

describe('the same order', () => {
  it('becomes the same record as JSON and as XML', () => {
    fc.assert(
      fc.property(order, (one) => {
        const { no, city, lines } = one
        const json = JSON.stringify({ order: { no, to: { city }, line: lines } })
        expect(recordOf(NESTED, asXml(one), 'application/xml')).toEqual(
          recordOf(NESTED, json, 'application/json'),
        )
      }),
      { numRuns: byDepth(300, 5000) },
    )
  })

  it('becomes the same record as rows of JSON, of CSV and of tabs', () => {
    fc.assert(
      fc.property(order, fc.constantFrom(',', ';', '\t'), ({ no, city, lines }, delimiter) => {
        const rows = lines.map(({ sku, qty, note = '' }) => ({
          no,
          city,
          sku,
          qty: String(qty),
          note,
        }))
        const csv = Papa.unparse(rows, { delimiter, newline: '\n' })
        const type = delimiter === '\t' ? 'text/tab-separated-values' : 'text/csv'
        expect(recordOf(ROWS, csv, type)).toEqual(
          recordOf(ROWS, JSON.stringify(rows), 'application/json'),
        )
      }),
      { numRuns: byDepth(300, 5000) },
    )
  })
})
