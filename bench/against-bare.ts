import type { Request } from 'autocannon'
import type { Benchmark, Figure } from './figure.ts'
import { type Load, startLoad } from './load.ts'
import { ratios, summary } from './rounds.ts'
import { type Server, startBare, startCrossdock } from './server.ts'
import { fillLines, fillOrders } from './warehouse.ts'

const ORDERS = 10_000
const CONNECTIONS = 16
const PATH = '/api/integrations/v1/orders/'

const ORDER_OF_3_LINES = JSON.stringify({
  order_number: 'P-[<id>]',
  customer_name: 'Customer 1',
  items: [1, 2, 3].map((n) => ({ sku_code: `SKU-00000${n}`, quantity: n })),
})

const REQUESTS: Record<string, Request> = {
  get_one_vs_bare: { method: 'GET', path: `${PATH}O-5000/` },
  list_50_vs_bare: { method: 'GET', path: PATH },
  create_order_vs_bare: { method: 'POST', path: PATH, body: ORDER_OF_3_LINES },
}

export const againstBare: Benchmark = {
  names: Object.keys(REQUESTS),
  summary: `requests per second over ${CONNECTIONS} connections, relative to the bare Worker`,
  async run({ quick, wants, say }) {
    const servers = [await startCrossdock(), await startBare()] as const
    const load = await startLoad()
    try {
      for (const { db } of servers) {
        await fillOrders(db, ORDERS)
        await fillLines(db, ORDERS)
      }
      await refuseOtherBytes(...servers)
      const figures: Figure[] = []
      for (const [name, request] of Object.entries(REQUESTS)) {
        if (!wants(name)) continue
        say(name)
        const rounds = await compare(load, servers, request, quick)
        figures.push({ name, ...summary(rounds), unit: 'x', bound: { atLeast: 0.8 } })
      }
      return figures
    } finally {
      load.end()
      await Promise.all(servers.map((server) => server.close()))
    }
  },
}

async function compare(
  load: Load,
  [crossdock, bare]: readonly [Server, Server],
  request: Request,
  quick: boolean,
): Promise<number[]> {
  const rate = ({ origin, headers }: Server, duration: number) => {
    const job = { url: origin, connections: CONNECTIONS, headers, requests: [request] }
    return load.rate({ ...job, duration, idReplacement: true })
  }
  const [warmUp, duration, rounds] = quick ? [1, 1, 2] : [3, 4, 7]
  await rate(crossdock, warmUp)
  await rate(bare, warmUp)
  return await ratios(
    rounds,
    () => rate(crossdock, duration),
    () => rate(bare, duration),
  )
}

/** Throws unless both Workers answer the same bytes: otherwise the comparison is meaningless. */
async function refuseOtherBytes(crossdock: Server, bare: Server): Promise<void> {
  for (const path of [PATH, `${PATH}O-5000/`]) {
    const texts = await Promise.all([crossdock, bare].map((server) => textAt(server, path)))
    if (texts[0] !== texts[1]) throw new Error(`${path}: ${texts.join('\ndiffers from\n')}`)
  }
  const body = ORDER_OF_3_LINES.replace('[<id>]', 'first')
  const made = await Promise.all([crossdock, bare].map((server) => textAt(server, PATH, body)))
  const [ours, theirs] = made.map(withoutChance)
  if (ours !== theirs) throw new Error(`POST ${PATH}: ${ours}\ndiffers from\n${theirs}`)
}

async function textAt({ origin, headers }: Server, path: string, body?: string): Promise<string> {
  const method = body === undefined ? 'GET' : 'POST'
  const response = await fetch(origin + path, { method, headers, ...(body && { body }) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return text
}

/** Replaces ids and times, which differ between the Workers. */
function withoutChance(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>')
}
