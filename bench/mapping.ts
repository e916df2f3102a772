import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../src/engine/json/json-object.ts'
import { mapDocument } from '../src/engine/mapping/inbound.ts'
import type { SavedRules } from '../src/engine/mapping/saved-rule.ts'
import type { Benchmark, Figure, RunOptions } from './figure.ts'
import { installPeers } from './peers/install.ts'
import { ratios, summary } from './rounds.ts'

/**
 * How many times faster our engine maps a partner's order of 100 lines than others do. Measures mapping and
 * finding problems. Does not measure reading and checking the body, nor naming the fields that no rule reads, which
 * the others cannot do.
 */
export const mapping: Benchmark = {
  names: [
    'map_order_vs_object_mapper',
    'map_order_vs_jsonata',
    'map_order_vs_hand_written',
    'map_converted_vs_object_mapper',
  ],
  summary:
    'mapping an order of 100 lines, compared with object-mapper, JSONata and hand-written code',
  run: compare,
}

type Mapper = (document: JsonObject) => unknown

interface Contender {
  figure: string
  load: () => Promise<Mapper>
  /** Ours. */
  rules: SavedRules
  bound?: Figure['bound']
}

const LINES = 100
/** Mappings between two readings of the clock. */
const BATCH = 10

// One object for all documents, as in a caller's settings, so that the rules are compiled only once.
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

/** Does more than the others, which have no filters and conversions. */
const CONVERTING: SavedRules = {
  unmapped: 'drop',
  fields: {
    ...RULES.fields,
    'items[]': { each: "lines[?@.qty > 0 && @.text != 'shipping']" },
    'items[].sku_code': { from: 'lines[].article.id', as: 'string' },
    'items[].quantity': { from: 'lines[].units', as: 'integer' },
  },
}

const CONTENDERS: Contender[] = [
  {
    figure: 'map_order_vs_object_mapper',
    load: async () => (await loadMappers()).byObjectMapper,
    rules: RULES,
    bound: { atLeast: 3 },
  },
  {
    figure: 'map_order_vs_jsonata',
    load: async () => (await loadMappers()).byJsonata,
    rules: RULES,
    bound: { atLeast: 30 },
  },
  {
    figure: 'map_order_vs_hand_written',
    load: async () => (document) => mapByHand(document as unknown as PartnerOrder),
    rules: RULES,
  },
  {
    figure: 'map_converted_vs_object_mapper',
    load: async () => (await loadMappers()).byObjectMapper,
    rules: CONVERTING,
    bound: { atLeast: 1.5 },
  },
]

async function loadMappers() {
  await installPeers()
  return await import('./peers/mappers.ts')
}

interface PartnerOrder {
  header: { number: string; id: string; dates: { ordered: string; wanted: string } }
  buyer: { name: string; address: { city: string } }
  lines: { article: { code: string }; qty: number; text: string }[]
}

/** Does not check the document. */
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

/** The size that a request reports for its body. A document of 100 lines is below all limits. */
const DOCUMENT_BYTES = 10_000

function mapperBy(rules: SavedRules) {
  return (document: JsonObject): JsonObject => {
    const sent = { method: 'POST', payload: document, bytes: DOCUMENT_BYTES }
    const { value, problems } = mapDocument('orders', rules, sent)
    if (problems.length > 0) throw new Error(`The rules do not fit: ${problems[0]?.reason}.`)
    return value
  }
}

async function compare({ quick, wants, say }: RunOptions): Promise<Figure[]> {
  const order = partnerOrder()
  const [rounds, roundMs] = quick ? [5, 50] : [21, 100]
  const figures: Figure[] = []
  for (const { figure, load, rules, bound } of CONTENDERS) {
    if (!wants(figure)) continue
    say(figure)
    const [map, mapByRules] = [await load(), mapperBy(rules)]
    if (rules === RULES) await checkSame(figure, map, order)
    const theirs = () => timeOf(map, order, roundMs)
    const ours = () => timeOf(mapByRules, order, roundMs)
    // Warm-up.
    await ratios(quick ? 2 : 4, theirs, ours)
    const measured = summary(await ratios(rounds, theirs, ours))
    figures.push({ name: figure, ...measured, unit: 'x', ...(bound && { bound }) })
  }
  return figures
}

/** Compares as JSON, because JSONata's objects have no prototype. */
async function checkSame(figure: string, map: Mapper, order: JsonObject): Promise<void> {
  const [theirs, ours] = [await map(order), mapperBy(RULES)(order)].map(asJson)
  if (!isDeepStrictEqual(theirs, ours)) throw new Error(`${figure}: the other maps it differently.`)
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** The time of one mapping, in ms. */
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

/** Parsed from JSON, like every body. */
function partnerOrder(): JsonObject {
  const lines = Array.from({ length: LINES }, (_, n) => ({
    no: n + 1,
    article: { code: `SKU-${String(n).padStart(4, '0')}`, id: 40063813 + n },
    qty: (n % 12) + 1,
    units: String((n % 12) + 1),
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
