import { setTimeout } from 'node:timers/promises'
import type { Options, Request, Result } from 'autocannon'
import type { Benchmark, Figure } from './figure.ts'
import { startLoad } from './load.ts'
import { residentMb, type Server, startCrossdock } from './server.ts'
import { uploadBody } from './upload-body.ts'
import { fillLines, fillOrders, fillStock } from './warehouse.ts'

const NAME = 'sustained'
const CLIENTS = 8
const ORDERS = 10_000
const STOCK = 100_000
const UPLOAD_ROWS = 1000
const API = '/api/integrations/v1'

export const sustained: Benchmark = {
  names: [NAME],
  summary: `${CLIENTS} clients for five minutes: 80 % reads, 15 % single writes, 5 % uploads of 1,000 rows`,
  async run({ quick, say }) {
    const server = await startCrossdock()
    const load = await startLoad()
    try {
      await fill(server)
      const job = { url: server.origin, headers: server.headers, connections: CLIENTS, ...MIX }
      const minute = quick ? 4 : 60
      say('measuring the request rate')
      let rate = await load.rate({ ...job, duration: minute / 4 })
      const before = await settledAuditRows(server)
      const memory = [await residentMb()]
      const minutes: Result[] = []
      while (minutes.length < (quick ? 1 : 5)) {
        // A number of requests instead of a duration, so that none is cut off and all can be counted.
        const amount = Math.ceil((rate * minute) / CLIENTS) * CLIENTS
        say(`minute ${minutes.length + 1}: ${amount} requests`)
        const result = await load.send({ ...job, amount })
        rate = result.requests.total / result.duration
        minutes.push(result)
        memory.push(await residentMb())
      }
      return figuresOf(minutes, (await settledAuditRows(server)) - before, memory)
    } finally {
      load.end()
      await server.close()
    }
  },
}

async function fill({ db }: Server): Promise<void> {
  await fillOrders(db, ORDERS)
  await fillLines(db, ORDERS)
  await fillStock(db, STOCK)
}

const READS = [
  '/orders/O-1234/',
  '/orders/',
  '/locations/',
  '/products/SKU-000042/',
  '/orders/?limit=200',
  '/inventory/A-077/',
  '/locations/A-123/',
  '/inventory/SKU-000007/?by=sku',
]
const ORDER = {
  order_number: 'S-[<id>]',
  items: [1, 2, 3].map((n) => ({ sku_code: `SKU-00000${n}`, quantity: n })),
}

/** Eighty requests. Each client begins with another one of them. */
const MIX: Pick<Options, 'requests' | 'idReplacement'> = {
  idReplacement: true,
  requests: [0, 1, 2, 3].flatMap((turn): Request[] => {
    const reads = [...READS, ...READS].map((path) => ({ method: 'GET' as const, path: API + path }))
    const writes: Request[] = [
      { method: 'POST', path: `${API}/orders/`, body: JSON.stringify(ORDER) },
      { method: 'PUT', path: `${API}/products/SKU-00000${turn}/`, body: `{"quantity":${turn}}` },
      { method: 'PUT', path: `${API}/orders/O-${100 + turn}/`, body: '{"notes":"[<id>]"}' },
    ]
    const { text } = uploadBody('pass_through', UPLOAD_ROWS, turn)
    const upload: Request = { method: 'POST', path: `${API}/inventory/`, body: text }
    return [
      ...reads.slice(0, 5),
      ...writes.slice(0, 2),
      ...reads.slice(5),
      upload,
      ...writes.slice(2),
    ]
  }),
}

/** Waits until no more audit rows appear: those of reads are written after the answer. */
async function settledAuditRows({ db }: Server): Promise<number> {
  let [last, rows] = [-1, 0]
  while (rows !== last) {
    last = rows
    await setTimeout(500)
    rows = (await db.prepare('select count(*) as rows from audit_log').first<number>('rows')) ?? 0
  }
  return rows
}

function figuresOf(minutes: Result[], audit_rows: number, memory: number[]): Figure[] {
  const requests = sum(minutes.map((minute) => minute.requests.sent))
  const errors = sum(minutes.map((each) => each.errors + each.non2xx))
  const rates = minutes.map((minute) => (60 * minute.requests.total) / minute.duration)
  const p50 = minutes.map(({ latency }) => latency.p50)
  const p99 = minutes.map(({ latency }) => latency.p99)
  return [
    { name: NAME, of: 'requests', value: requests, unit: '' },
    { name: NAME, of: 'audit_rows', value: audit_rows, unit: '', bound: { equal: requests } },
    { name: NAME, of: 'errors', value: errors, unit: '', bound: { atMost: 0 } },
    { name: NAME, of: 'seconds', value: sum(minutes.map(({ duration }) => duration)), unit: 's' },
    { name: NAME, of: 'requests_per_minute', value: rates, unit: '' },
    { name: NAME, of: 'p50_ms', value: p50, unit: 'ms' },
    { name: NAME, of: 'p99_ms', value: p99, unit: 'ms' },
    { name: NAME, of: 'memory_at_start_mb', value: memory[0] ?? 0, unit: 'MB' },
    { name: NAME, of: 'memory_at_end_mb', value: memory.at(-1) ?? 0, unit: 'MB' },
    { name: NAME, of: 'memory_by_minute_mb', value: memory, unit: 'MB' },
  ]
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
