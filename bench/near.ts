import { assets } from '../scripts/assets.ts'
import { startServer } from '../test/fixtures/server.ts'
import { boundAsDeployed } from './edge.ts'
import type { Benchmark } from './figure.ts'
import { summary } from './rounds.ts'
import { WEBHOOK_SECRET_KEY } from './server.ts'

// The isolate asks the primary again every 5 s, so this sees that happen several times.
const SECONDS = 20
const SECONDS_QUICK = 6

export const near: Benchmark = {
  names: ['near_p50_ms'],
  summary: 'GET of one product, with the primary database 200 ms away and a copy 20 ms away',
  async run({ quick, say }) {
    await assets([])
    const config = { ...boundAsDeployed(), main: 'bench/near-worker.ts' }
    const server = await startServer({ config, secrets: { WEBHOOK_SECRET_KEY } })
    try {
      const admin = asking(server.origin, await server.createKey(['integrations.*', 'settings.*']))
      await admin('POST', '/api/integrations/v1/products/', { sku: 'A-1' })
      const keys = { near: await newKey(admin, 'near'), primary: await newKey(admin, 'primary') }
      const figures = []
      for (const [of, key] of Object.entries(keys)) {
        say(of)
        const times = await timesOf(asking(server.origin, key), quick ? SECONDS_QUICK : SECONDS)
        const bound = of === 'near' && { bound: { below: 40 } }
        figures.push({ name: 'near_p50_ms', of, ...summary(times), unit: 'ms' as const, ...bound })
      }
      return figures
    } finally {
      await server.close()
    }
  },
}

type Ask = ReturnType<typeof asking>

function asking(origin: string, key: string) {
  return async (method: string, path: string, body?: object) => {
    const headers = { 'X-API-Key': key, ...(body && { 'Content-Type': 'application/json' }) }
    const sent = body && { body: JSON.stringify(body) }
    const answer = await fetch(origin + path, { method, headers, ...sent })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text)
  }
}

async function newKey(admin: Ask, reads: string): Promise<string> {
  const { data } = await admin('POST', '/api/settings/v1/api-keys/', { name: reads, reads })
  return data.key
}

/** One request after the other. The first one, which looks the key up, does not count. */
async function timesOf(ask: Ask, seconds: number): Promise<number[]> {
  const get = () => ask('GET', '/api/integrations/v1/products/A-1/')
  await get()
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const started = performance.now()
    await get()
    times.push(performance.now() - started)
  }
  return times
}
