import { isDeepStrictEqual } from 'node:util'
import jsonata from 'jsonata'
import objectMapper from 'object-mapper'
import type { JsonObject } from '../src/fields.ts'
import { mapDocument } from '../src/mapping/inbound.ts'
import type { SavedRules } from '../src/mapping/rules.ts'
import type { Benchmark, Figure, RunOptions } from './figure.ts'
import { ratios, summary } from './rounds.ts'

/**
 * How many times faster than others our engine maps a partner's order of 100 lines. Ours is what a
 * request does first: mapping, and looking for problems. It then names the fields that no rule reads,
 * which the others cannot and which is not in these figures; nor are reading and checking the body.
 */
export const mapping: Benchmark = {
  names: ['map_order_vs_object_mapper', 'map_order_vs_jsonata', 'map_order_vs_hand_written'],
  summary: 'mapping an order of 100 lines, against object-mapper, JSONata and code written for it',
  run: compare,
}

type Mapper = (document: JsonObject) => unknown

interface Contender {
  name: string
  map: Mapper
  bound?: Figure['bound']
}

const LINES = 100
/** Mappings between two looks at the clock. */
const BATCH = 10

// Held as a caller's settings are: compiled by the first document.
const RULES: SavedRules = {
  unmapped: 'drop',
  fields: {
    order_number: 'header.number',
    external_order_id: 'header.id',
    order_date: 'header.dates.ordered',
    due_date: 'header.dates.wanted',
    customer_name: 'buyer.name',
    'customer_info.city': 'buyer.address.city',
    'items[].sku_code': 'lines[].article.code',
    'items[].quantity': 'lines[].qty',
    'items[].notes': 'lines[].text',
    'metadata.source': { value: 'acme-erp' },
  },
}

// It has no fixed values: a default for a field that no document has is one.
const OBJECT_MAP = {
  'header.number': 'order_number',
  'header.id': 'external_order_id',
  'header.dates.ordered': 'order_date',
  'header.dates.wanted': 'due_date',
  'buyer.name': 'customer_name',
  'buyer.address.city': 'customer_info.city',
  'lines[].article.code': 'items[].sku_code',
  'lines[].qty': 'items[].quantity',
  'lines[].text': 'items[].notes',
  none: { key: 'metadata.source', default: 'acme-erp' },
}

const EXPRESSION = jsonata(`{
  "order_number": header.number,
  "external_order_id": header.id,
  "order_date": header.dates.ordered,
  "due_date": header.dates.wanted,
  "customer_name": buyer.name,
  "customer_info": { "city": buyer.address.city },
  "items": [lines.{ "sku_code": article.code, "quantity": qty, "notes": text }],
  "metadata": { "source": "acme-erp" }
}`)

const CONTENDERS: Contender[] = [
  {
    name: 'object_mapper',
    map: (document) => objectMapper(document, OBJECT_MAP),
    bound: { atLeast: 3 },
  },
  {
    name: 'jsonata',
    map: (document) => EXPRESSION.evaluate(document),
    bound: { atLeast: 30 },
  },
  { name: 'hand_written', map: (document) => mapByHand(document as unknown as PartnerOrder) },
]

interface PartnerOrder {
  header: { number: string; id: string; dates: { ordered: string; wanted: string } }
  buyer: { name: string; address: { city: string } }
  lines: { article: { code: string }; qty: number; text: string }[]
}

/** Trusts the document. */
function mapByHand({ header, buyer, lines }: PartnerOrder) {
  return {
    order_number: header.number,
    external_order_id: header.id,
    order_date: header.dates.ordered,
    due_date: header.dates.wanted,
    customer_name: buyer.name,
    customer_info: { city: buyer.address.city },
    items: lines.map(({ article, qty, text }) => ({
      sku_code: article.code,
      quantity: qty,
      notes: text,
    })),
    metadata: { source: 'acme-erp' },
  }
}

function mapByRules(document: JsonObject): JsonObject {
  const { value, problems } = mapDocument('orders', RULES, document, 'POST')
  if (problems.length > 0) throw new Error(`The rules do not fit: ${problems[0]?.reason}.`)
  return value
}

async function compare({ quick, wants, say }: RunOptions): Promise<Figure[]> {
  const order = partnerOrder()
  const [rounds, roundMs] = quick ? [5, 50] : [21, 100]
  const figures: Figure[] = []
  for (const { name, map, bound } of CONTENDERS) {
    if (!wants(`map_order_vs_${name}`)) continue
    say(`mapping against ${name}`)
    await checkSame(name, map, order)
    const theirs = () => timeOf(map, order, roundMs)
    const ours = () => timeOf(mapByRules, order, roundMs)
    // Warm.
    await ratios(quick ? 2 : 4, theirs, ours)
    const figure = summary(await ratios(rounds, theirs, ours))
    figures.push({ name: `map_order_vs_${name}`, ...figure, unit: 'x', ...(bound && { bound }) })
  }
  return figures
}

/** As JSON: an object of JSONata's has no prototype. */
async function checkSame(name: string, map: Mapper, order: JsonObject): Promise<void> {
  const [theirs, ours] = [await map(order), mapByRules(order)].map(asJson)
  if (!isDeepStrictEqual(theirs, ours)) throw new Error(`${name} and we do not map alike.`)
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** Of one mapping, in ms. */
async function timeOf(map: Mapper, order: JsonObject, ms: number): Promise<number> {
  const start = performance.now()
  let elapsed = 0
  let times = 0
  while (elapsed < ms) {
    for (let n = 0; n < BATCH; n++) {
      const mapped = map(order)
      if (mapped instanceof Promise) await mapped
    }
    times += BATCH
    elapsed = performance.now() - start
  }
  return elapsed / times
}

/** Parsed, as every body is. */
function partnerOrder(): JsonObject {
  const lines = Array.from({ length: LINES }, (_, n) => ({
    no: n + 1,
    article: { code: `SKU-${String(n).padStart(4, '0')}`, ean: String(4006381300000 + n) },
    qty: (n % 12) + 1,
    text: `Line ${n + 1}`,
    price: '12.50',
  }))
  const header = {
    number: '4500117',
    id: 'a3f1c9',
    dates: { ordered: '2026-03-14T06:05:00Z', wanted: '2026-03-23' },
    currency: 'EUR',
  }
  const buyer = { name: 'Kim Ltd', address: { street: 'Storgata 1', city: 'Oslo' } }
  return JSON.parse(JSON.stringify({ header, buyer, lines }))
}
