import type { Benchmark, Figure } from './figure.ts'
import { type Load, startLoad } from './load.ts'
import { ratios, summary } from './rounds.ts'
import { type Server, startCrossdock } from './server.ts'
import { fillOrders, fillStock } from './warehouse.ts'

const MILLION = 1_000_000
const TEN_THOUSAND = 10_000
const LIMIT = 50
const CONNECTIONS = 4

const LISTS = { orders: fillOrders, inventory: fillStock }

/** Filters of which the warehouse has more than a page. */
const FILTERS: Record<string, string[]> = {
  orders: ['status=pending', 'status=draft,pending,shipped,verified'],
  inventory: ['location_code=A-500', 'sku_code=SKU-000007'],
}

export const million: Benchmark = {
  names: ['list_million_vs_ten_thousand', 'rows_read_page_50_at_million'],
  summary: 'first and middle pages of 50, at a million rows compared with ten thousand',
  async run({ quick, say }) {
    const servers = [await startCrossdock(), await startCrossdock()] as const
    const [many, few] = servers
    const load = await startLoad()
    try {
      const figures: Figure[] = []
      for (const [of, fill] of Object.entries(LISTS)) {
        say(`a million rows of ${of}`)
        await fill(few.db, TEN_THOUSAND)
        await fill(many.db, MILLION)
        say(`pages of ${of}`)
        figures.push(await compareLists(of, load, [many, few], quick))
        figures.push(...(await countRows(of, many)))
      }
      return figures
    } finally {
      load.end()
      await Promise.all(servers.map((server) => server.close()))
    }
  },
}

async function compareLists(
  of: string,
  load: Load,
  [many, few]: readonly [Server, Server],
  quick: boolean,
): Promise<Figure> {
  const pages = new Map([
    [many, await pathsOf(many, of, MILLION)],
    [few, await pathsOf(few, of, TEN_THOUSAND)],
  ])
  const secondsPerPage = async (server: Server, duration: number) => {
    const requests = pages.get(server)?.map((path) => ({ method: 'GET' as const, path })) ?? []
    const { origin: url, headers } = server
    const job = { url, headers, requests, connections: CONNECTIONS, duration }
    return 1 / (await load.rate(job))
  }
  const [warmUp, duration, rounds] = quick ? [1, 1, 1] : [2, 3, 5]
  await secondsPerPage(many, warmUp)
  await secondsPerPage(few, warmUp)
  const measured = await ratios(
    rounds,
    () => secondsPerPage(many, duration),
    () => secondsPerPage(few, duration),
  )
  const name = 'list_million_vs_ten_thousand'
  return { name, of, ...summary(measured), unit: 'x', bound: { atMost: 1.2 } }
}

/** Rows read as D1 counts them. A range of time alone is merged from the walks of all statuses. */
async function countRows(of: string, server: Server): Promise<Figure[]> {
  const most = await countMost(of, server, ['', ...(FILTERS[of] ?? [])])
  const figures = [figureOf(of, most, LIMIT + 5)]
  if (of !== 'orders') return figures
  const byTime = await countMost(of, server, ['created_from=2020-01-01'])
  return [...figures, figureOf('orders by time', byTime, LIMIT + 10)]
}

function figureOf(of: string, value: number, atMost: number): Figure {
  return { name: 'rows_read_page_50_at_million', of, value, unit: 'rows', bound: { atMost } }
}

/** Of the page that reads the most. */
async function countMost(of: string, server: Server, filters: string[]): Promise<number> {
  const counts: number[] = []
  const asked = filters.map((filter) => filter && `&${filter}`)
  const paths = await Promise.all(asked.map((filter) => pathsOf(server, of, MILLION, filter)))
  for (const path of paths.flat()) {
    const { headers } = await get(server, path)
    const [, rows] = /rows read (\d+)/.exec(headers.get('Server-Timing') ?? '') ?? []
    counts.push(Number(rows))
  }
  return Math.max(...counts)
}

/** The first page and a page in the middle. Rows are numbered in the order of insertion. */
async function pathsOf(
  server: Server,
  resource: string,
  rows: number,
  filter = '',
): Promise<string[]> {
  const first = `/api/integrations/v1/${resource}/?limit=${LIMIT}${filter}`
  const response = await get(server, first)
  const { pagination } = (await response.json()) as { pagination: { next_cursor: string } }
  const cursor = Buffer.from(pagination.next_cursor, 'base64url').toString()
  const place = new RegExp(`(?<=\\.${resource}\\.)\\d+`)
  const middle = Buffer.from(cursor.replace(place, String(rows / 2))).toString('base64url')
  return [first, `${first}&cursor=${middle}`]
}

async function get({ origin, headers }: Server, path: string): Promise<Response> {
  const response = await fetch(origin + path, { headers })
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return response
}
