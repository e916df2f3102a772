import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Benchmark, Figure } from './figure.ts'
import { ratios, summary } from './rounds.ts'
import { type Server, startCrossdock } from './server.ts'
import { fillProducts } from './warehouse.ts'

const CONNECTIONS = 8
const SECRET = randomBytes(24).toString('base64')
const SETTINGS = '/api/settings/v1'

const MAPPING = {
  inbound: {
    unmapped: 'drop',
    fields: {
      order_number: 'number',
      customer_name: 'customer.name',
      'items[].sku_code': 'lines[].sku',
      'items[].quantity': 'lines[].qty',
    },
  },
}

const RULES = {
  resource: 'orders',
  verification: { kind: 'hmac', header: 'X-Signature', algorithm: 'sha256' },
  event: { header: 'X-Topic' },
  actions: { 'order.created': 'upsert', '*': 'skip' },
  take_if: "@.status == 'processing'",
  changed_at: 'modified',
}

/** What a delivery is compared with the same POST by a key of the same partner: by what becomes of it. */
const OUTCOMES: Record<string, { fields: object; bound?: Figure['bound'] }> = {
  created: { fields: {}, bound: { atMost: 1.15 } },
  skipped: { fields: { status: 'draft' } },
  // A body waits for each SKU that is not there.
  waiting: { fields: { lines: [{ sku: 'NOT-THERE', qty: 1 }] } },
}

export const deliveries: Benchmark = {
  names: ['delivery_vs_key'],
  summary: 'time of a signed delivery of an order, relative to the same POST with a key',
  async run({ quick, say }) {
    const server = await startCrossdock()
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    try {
      await fillProducts(server.db, 100)
      const ways = await openShop(server)
      const figures: Figure[] = []
      for (const [of, { fields, bound }] of Object.entries(OUTCOMES)) {
        say(of)
        const rounds = await compare(agent, ways, of, fields, quick)
        figures.push({
          name: 'delivery_vs_key',
          of,
          ...summary(rounds),
          unit: 'x',
          ...(bound && { bound }),
        })
      }
      return figures
    } finally {
      agent.destroy()
      await server.close()
    }
  },
}

/** A request that is ready to be sent. */
interface Ready {
  url: string
  headers: Record<string, string>
  body: Buffer
}

interface Ways {
  byKey: (document: object) => Ready
  delivered: (document: object) => Ready
}

/** A partner with a mapping, a key and a webhook. */
async function openShop({ origin, headers }: Server): Promise<Ways> {
  const make = async (method: string, path: string, body: object) => {
    const answer = await fetch(origin + SETTINGS + path, {
      method,
      headers,
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text).data
  }
  const { id } = await make('POST', '/partners/', { name: 'Shop' })
  await make('PUT', `/partners/${id}/mappings/orders/`, MAPPING)
  const { key } = await make('POST', '/api-keys/', { name: 'Shop', partner_id: id })
  const webhook = { name: 'Shop', partner_id: id, rules: RULES, secret: SECRET }
  const { address } = await make('POST', '/webhooks/', webhook)
  const type = { 'Content-Type': 'application/json' }
  return {
    byKey(document) {
      const body = Buffer.from(JSON.stringify(document))
      const url = `${origin}/api/integrations/v1/orders/`
      return { url, body, headers: { ...type, 'X-API-Key': key } }
    },
    delivered(document) {
      const body = Buffer.from(JSON.stringify(document))
      const signature = createHmac('sha256', SECRET).update(body).digest('base64')
      return {
        url: address,
        body,
        headers: { ...type, 'X-Topic': 'order.created', 'X-Signature': signature },
      }
    },
  }
}

async function compare(
  agent: Agent,
  { byKey, delivered }: Ways,
  outcome: string,
  fields: object,
  quick: boolean,
): Promise<number[]> {
  const [requests, rounds] = quick ? [200, 7] : [400, 11]
  // The key sends orders that can be created, whatever becomes of the delivery.
  const posts = () => timeOf(agent, documents(requests, {}).map(byKey), '"success":true')
  const found = `"outcome":"${outcome}"`
  const deliver = () => timeOf(agent, documents(requests, fields).map(delivered), found)
  await posts()
  await deliver()
  return await ratios(rounds, deliver, posts)
}

let made = 0

/** Each is of another order, and newer than those before. */
function documents(count: number, fields: object): object[] {
  return Array.from({ length: count }, () => {
    made += 1
    return {
      number: `D-${made}`,
      status: 'processing',
      modified: new Date(Date.UTC(2026, 0, 1) + made * 1000).toISOString(),
      customer: { name: 'Customer 1' },
      lines: [1, 2, 3].map((n) => ({ sku: `SKU-00000${n}`, qty: n })),
      ...fields,
    }
  })
}

/** The time of all requests together, in ms. Throws if an answer does not have the text. */
async function timeOf(agent: Agent, requests: Ready[], expected: string): Promise<number> {
  const started = performance.now()
  const queue = requests.values()
  const work = async () => {
    for (const one of queue) {
      const text = await send(agent, one)
      if (!text.includes(expected)) throw new Error(`The answer lacks ${expected}: ${text}`)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  return performance.now() - started
}

async function send(agent: Agent, { url, headers, body }: Ready): Promise<string> {
  const sent = request(url, {
    method: 'POST',
    agent,
    headers: { ...headers, 'Content-Length': body.length },
  })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
