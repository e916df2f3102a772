import { setTimeout } from 'node:timers/promises'
import { unstable_readConfig } from 'wrangler'
import { assets } from '../scripts/assets.ts'
import { ENDPOINTS, PUBLIC, requestOf, roundTripsOf } from '../test/fixtures/endpoints.ts'
import { type Served, startServer } from '../test/fixtures/server.ts'
import { newestSession, signInAt } from '../test/fixtures/sign-in.ts'
import type { Json } from '../test/fixtures/tenant.ts'
import type { Benchmark, Figure } from './figure.ts'
import { summary } from './rounds.ts'
import { SESSION_SECRET, WEBHOOK_SECRET_KEY } from './server.ts'

// Measures every endpoint on its happy path: one request after the other in one warm isolate.

type Request = Awaited<ReturnType<typeof requestOf>>

/** The simulated delay in ms of each call to D1 and KV, in addition to the real one. */
interface Distance {
  d1: number
  kv: number
}

const AT_HOME: Distance = { d1: 0, kv: 0 }
const FAR_AWAY: Distance = { d1: 30, kv: 5 }
// After a change of settings the Worker looks the caller up again, with the same delays, after the answer.
const SETTLED_MS = 2 * (FAR_AWAY.d1 + FAR_AWAY.kv)

interface Sample {
  d1_calls: number
  kv_reads: number
  ms: number
}

export const roundTrips: Benchmark = {
  names: ['round_trips', 'kv_reads_warm'],
  summary: 'calls to D1 and reads from KV before the answer, per endpoint',
  async run({ quick, say }) {
    const samples = await sampled(quick ? 1 : 3, AT_HOME, say)
    return [...samples].flatMap(([of, taken]): Figure[] => {
      const d1_calls = Math.max(...taken.map((sample) => sample.d1_calls))
      const kv_reads = Math.max(...taken.map((sample) => sample.kv_reads))
      return [
        { name: 'round_trips', of, value: d1_calls, unit: '', ...boundOf(of) },
        { name: 'kv_reads_warm', of, value: kv_reads, unit: '', bound: { atMost: 0 } },
      ]
    })
  },
}

function boundOf(name: string) {
  const endpoint = [...ENDPOINTS, ...PUBLIC].find((each) => nameOf(each) === name)
  const atMost = endpoint ? roundTripsOf(endpoint) : null
  return atMost !== null && { bound: { atMost } }
}

export const edge: Benchmark = {
  names: ['edge_p50_ms'],
  summary: `duration of each endpoint with simulated delays: D1 ${FAR_AWAY.d1} ms, KV ${FAR_AWAY.kv} ms`,
  async run({ quick, say }) {
    const samples = await sampled(quick ? 1 : 9, FAR_AWAY, say)
    return [...samples].map(([of, taken]) => {
      return { name: 'edge_p50_ms', of, ...summary(taken.map(({ ms }) => ms)), unit: 'ms' }
    })
  },
}

/** Samples by endpoint. A first round, which is not counted, warms the isolate. */
async function sampled(rounds: number, distance: Distance, say: (progress: string) => void) {
  const samples = new Map<string, Sample[]>()
  await assets([])
  const config = { ...boundAsDeployed(), main: 'bench/edge-worker.ts' }
  const secrets = { WEBHOOK_SECRET_KEY, SESSION_SECRET }
  const server = await startServer({ config, secrets })
  try {
    const opening = await opened(server)
    say('warming up')
    await askAll(opening, AT_HOME)
    for (let round = 1; round <= rounds; round++) {
      say(`round ${round} of ${rounds}`)
      for (const [name, sample] of await askAll(opening, distance)) {
        samples.set(name, [...(samples.get(name) ?? []), sample])
      }
    }
  } finally {
    await server.close()
  }
  return samples
}

/** Creates the records that the requests need first, so that only the requests are measured. */
async function askAll({ ask, signIn }: Opened, distance: Distance): Promise<[string, Sample][]> {
  const admin = {
    post: (path: string, body: object) => ask(AT_HOME, 'POST', path, body),
    put: (path: string, body: object) => ask(AT_HOME, 'PUT', path, body),
    signIn,
  }
  const requests: [string, Request][] = []
  for (const endpoint of ENDPOINTS) {
    requests.push([nameOf(endpoint), await requestOf(endpoint, admin)])
  }
  for (const open of PUBLIC) requests.push([nameOf(open), [open.method, open.path]])
  await setTimeout(SETTLED_MS)
  const samples: [string, Sample][] = []
  for (const [name, request] of requests) {
    const { status, body, sample } = await ask(distance, ...request)
    if (status >= 400) throw new Error(`${name} answered ${status}: ${JSON.stringify(body)}`)
    samples.push([name, sample])
    if (changesSettings(request)) await setTimeout(SETTLED_MS)
  }
  return samples
}

function changesSettings([method, path]: Request): boolean {
  return method !== 'GET' && path.startsWith('/api/settings/')
}

/** The Worker's part of wrangler.toml, without its build. */
export function boundAsDeployed() {
  const config = unstable_readConfig({ config: 'wrangler.toml' })
  const { name, compatibility_date, compatibility_flags } = config
  const { kv_namespaces, d1_databases, r2_buckets, ratelimits, durable_objects } = config
  const stores = { kv_namespaces, d1_databases, r2_buckets, assets: config.assets }
  const bindings = { ...stores, ratelimits, durable_objects, migrations: config.migrations }
  return { name, compatibility_date, compatibility_flags, ...bindings }
}

type Opened = Awaited<ReturnType<typeof opened>>

/** Sends requests with a key that has every scope. */
async function opened({ origin, createKey }: Served) {
  const key = await createKey(['integrations.*', 'settings.*'])
  const ask = async ({ d1, kv }: Distance, method: string, path: string, body?: Json) => {
    const started = performance.now()
    const response = await fetch(origin + path, {
      method,
      redirect: 'manual',
      headers: {
        'X-API-Key': key,
        'X-D1-Ms': String(d1),
        'X-KV-Ms': String(kv),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const ms = performance.now() - started
    const told = (header: string) => Number(response.headers.get(header) ?? Number.NaN)
    const [d1_calls, kv_reads] = [told('X-D1-Calls'), told('X-KV-Reads')]
    const { status, headers } = response
    const sample = { d1_calls, kv_reads, ms }
    return { status, headers, body: JSON.parse(text) as Json, sample }
  }
  const signIn = async () => {
    await signInAt(origin, key)
    return await newestSession(origin, key)
  }
  return { ask, signIn }
}

/** The endpoint's name without the base path, such as `GET /partners/:id/mappings/:resource/`. */
function nameOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path.replace(/^\/api\/\w+\/v1/, '').replace(/\{.*?\}/, '')}`
}
