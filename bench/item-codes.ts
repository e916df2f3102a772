import type { Benchmark, Figure } from './figure.ts'
import { ratios, summary } from './rounds.ts'
import { type Server, startCrossdock } from './server.ts'
import { fillProducts } from './warehouse.ts'

const CODES = 10_000
const LINES = 1000

const PLAIN = {
  order_number: 'number',
  'items[].sku_code': 'lines[].article',
  'items[].quantity': 'lines[].qty',
}
const CODED = {
  ...PLAIN,
  'items[].sku_code': { from: 'lines[].article', as: 'string', code: 'products' },
}

/** What the lines of both have: our SKU, or the code of the partner that stands for it. */
const WAYS = {
  plain: { fields: PLAIN, article: (n: number) => sku(n) },
  coded: { fields: CODED, article: (n: number) => `ART-${String(n).padStart(6, '0')}` },
}

export const itemCodes: Benchmark = {
  names: ['coded_order_vs_plain', 'coded_order_round_trips'],
  summary: `time of an order of ${LINES} lines with item codes, of which the partner has ${CODES}, relative to SKUs`,
  async run({ quick }) {
    const server = await startCrossdock()
    try {
      await fillProducts(server.db, CODES)
      const [coded, plain] = [await openWay(server, 'coded'), await openWay(server, 'plain')]
      const [requests, rounds] = quick ? [20, 7] : [40, 21]
      let roundTrips = 0
      const inTurn = (way: Way) => async () => {
        const { ms, most } = await sendOrders(server, way, requests)
        if (way === coded) roundTrips = Math.max(roundTrips, most)
        return ms
      }
      // Warm-up. The first request of a key looks it up.
      await ratios(2, inTurn(coded), inTurn(plain))
      roundTrips = 0
      const measured = summary(await ratios(rounds, inTurn(coded), inTurn(plain)))
      const figures: Figure[] = [
        { name: 'coded_order_vs_plain', ...measured, unit: 'x', bound: { atMost: 1.2 } },
        { name: 'coded_order_round_trips', value: roundTrips, unit: '', bound: { equal: 1 } },
      ]
      return figures
    } finally {
      await server.close()
    }
  },
}

interface Way {
  headers: Record<string, string>
  article: (n: number) => string
}

/** A partner with the mapping and, of one with codes, all of them. */
async function openWay(server: Server, name: keyof typeof WAYS): Promise<Way> {
  const make = async (method: string, path: string, body: object) => {
    const url = `${server.origin}/api/settings/v1${path}`
    const answer = await fetch(url, { method, headers: server.headers, body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text).data
  }
  const { fields, article } = WAYS[name]
  const { id } = await make('POST', '/partners/', { name })
  await make('PUT', `/partners/${id}/mappings/orders/`, { inbound: { unmapped: 'drop', fields } })
  const item_codes = Array.from({ length: CODES }, (_, n) => {
    return { code: WAYS.coded.article(n), sku_code: sku(n) }
  })
  if (name === 'coded') await make('PUT', `/partners/${id}/item-codes/products/`, { item_codes })
  const { key } = await make('POST', '/api-keys/', { name, partner_id: id })
  return { headers: { ...server.headers, 'X-API-Key': key }, article }
}

function sku(n: number): string {
  return `SKU-${String(n).padStart(6, '0')}`
}

let made = 0

/** Sends orders one by one: the time of all in ms, and the most round trips that one of them made. */
async function sendOrders(
  { origin }: Server,
  { headers, article }: Way,
  count: number,
): Promise<{ ms: number; most: number }> {
  const bodies = Array.from({ length: count }, () => JSON.stringify(orderOf(article)))
  let most = 0
  const started = performance.now()
  for (const body of bodies) {
    const url = `${origin}/api/integrations/v1/orders/`
    const answer = await fetch(url, { method: 'POST', headers, body })
    const text = await answer.text()
    if (answer.status !== 201) throw new Error(`An order was answered ${answer.status}: ${text}`)
    const [, trips] = /round trips (\d+)/.exec(answer.headers.get('Server-Timing') ?? '') ?? []
    most = Math.max(most, Number(trips))
  }
  return { ms: performance.now() - started, most }
}

/** Its lines are spread over all products. Each order begins at another one. */
function orderOf(article: Way['article']): object {
  made += 1
  const lines = Array.from({ length: LINES }, (_, n) => ({
    article: article((made + n * (CODES / LINES)) % CODES),
    qty: (n % 12) + 1,
  }))
  return { number: `C-${made}`, lines }
}
