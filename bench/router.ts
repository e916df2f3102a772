import type { Benchmark } from './figure.ts'
import { type Groups, startGroups } from './groups.ts'
import { type Load, startLoad } from './load.ts'
import { ratios, summary } from './rounds.ts'

const CONNECTIONS = 16
const PATH = '/api/integrations/v1/products/P-1/'

export const router: Benchmark = {
  names: ['router_vs_direct'],
  summary:
    'requests per second through the router of several groups, relative to a group without it',
  async run({ quick, say }) {
    const groups = await startGroups()
    const load = await startLoad()
    try {
      await makeProduct(groups)
      say(`GET of one product over ${CONNECTIONS} connections`)
      const rounds = await compare(load, groups, quick)
      return [{ name: 'router_vs_direct', ...summary(rounds), unit: 'x', bound: { atLeast: 0.9 } }]
    } finally {
      load.end()
      await groups.close()
    }
  },
}

async function compare(load: Load, groups: Groups, quick: boolean): Promise<number[]> {
  const headers = headersOf(groups)
  const rate = (url: string, duration: number) =>
    load.rate({ url, connections: CONNECTIONS, headers, duration, requests: [{ path: PATH }] })
  const [warmUp, duration, rounds] = quick ? [1, 1, 2] : [3, 4, 7]
  await rate(groups.router, warmUp)
  await rate(groups.direct, warmUp)
  return await ratios(
    rounds,
    () => rate(groups.router, duration),
    () => rate(groups.direct, duration),
  )
}

async function makeProduct({ databases }: Groups): Promise<void> {
  const now = '2026-11-01T00:00:00.000Z'
  await databases.demo
    .prepare('insert into products (id, sku, created_at, updated_at) values (?, ?, ?, ?)')
    .bind('id-1', 'P-1', now, now)
    .run()
}

function headersOf({ keys, hostOf }: Groups): Record<string, string> {
  return { 'X-API-Key': keys.demo, Host: hostOf('demo') }
}
