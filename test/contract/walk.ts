import {
  asked,
  ENDPOINTS,
  type Endpoint,
  PUBLIC,
  pathAt,
  requestOf,
  strayRequestOf,
} from '../fixtures/endpoints.ts'
import { PAGES } from '../fixtures/pages.ts'
import type { Served } from '../fixtures/server.ts'
import type { Json } from '../fixtures/tenant.ts'
import { documents } from './documents.ts'
import { type Options, Recorder } from './recording.ts'

const API = '/api/integrations/v1'
/** What changes while rows of reads are still being stored. */
const UNSETTLED =
  /^\/dashboard\/(?:audit-log\/.*)?$|\/(?:audit-log|key-attempts|check-up|sessions)\/$/

/** Sends the requests of the walk, one after the other. Returns each with its answer, as text. */
export async function walk(served: Served, progress: (done: number) => void): Promise<string[]> {
  const recorded: string[] = []
  const to = await Recorder.open(served, (text) => progress(recorded.push(text)))
  for (const { method, path } of PUBLIC) await to.ask(method, path)
  for (const endpoint of ENDPOINTS) await askEndpoint(to, endpoint)
  for (const [method, path, body, headers] of documents) {
    await to.ask(method, API + path, { body, ...(headers && { headers }) })
  }
  await openPages(to)
  return recorded
}

type Request = [method: string, path: string, body?: Json]

async function askEndpoint(to: Recorder, endpoint: Endpoint): Promise<void> {
  const fresh = (): Promise<Request> => requestOf(endpoint, to.admin)
  const request = await fresh()
  const [method, path] = request
  const isSettled = !UNSETTLED.test(endpoint.path)
  if (isSettled) await send(to, request)
  await send(to, request, { key: 'no key' })
  await send(to, request, { key: 'no scope' })
  await send(to, await strayRequestOf(endpoint, to.admin))
  await to.ask(method, path.replace(/\/(?=\?|$)/, ''))
  await to.ask(method, asked(path, 'nowhere=1'))
  if (method === 'GET' && isSettled) await askReading(to, path)
  if (method !== 'GET') await askWriting(to, fresh)
}

async function askReading(to: Recorder, path: string): Promise<void> {
  await to.ask('GET', path, { key: 'release 1.0' })
  for (const Accept of ['text/csv', 'application/x-ndjson', 'text/html']) {
    await to.ask('GET', path, { headers: { Accept } })
  }
  await to.ask('GET', asked(path, 'limit=1'))
  await to.ask('GET', asked(path, 'limit=0&cursor=x'))
}

/** Each request gets a new record, because the request before may have changed its own. */
async function askWriting(to: Recorder, fresh: () => Promise<Request>): Promise<void> {
  await send(to, await fresh(), { query: 'dry_run=true' })
  await send(to, await fresh(), { key: 'release 1.0' })
  for (const body of [{}, [], { nowhere: 1 }, 'x', null]) {
    const [method, path] = await fresh()
    await to.ask(method, path, { body })
  }
  const [method, path] = await fresh()
  await to.ask(method, path, { text: '{"a": ' })
}

async function send(to: Recorder, request: Request, options: Options = {}): Promise<void> {
  const [method, path, body] = request
  await to.ask(method, path, { ...options, ...(body !== undefined && { body }) })
}

/** The pages that show, with the records that the requests before them have made. */
async function openPages(to: Recorder): Promise<void> {
  const ids = await idsOfRecords(to)
  const pages = PAGES.filter(({ method, path }) => method === 'GET' && !UNSETTLED.test(path))
  for (const page of pages) {
    const [, , resource = ''] = page.path.split('/')
    const path = pathAt(page.path, ids[resource] ?? '')
    await to.open(path)
    await to.open(asked(path, 'search=D&is_active=all'))
  }
  for (const path of ['search/?q=D', 'search/?q=none', 'nowhere/', 'locations/?format=csv']) {
    await to.open(`/dashboard/${path}`)
  }
}

/** By resource, the id of its newest record. */
async function idsOfRecords(to: Recorder): Promise<Record<string, string>> {
  const idOf = async (path: string, name: string): Promise<string> => {
    const { body } = await to.call('GET', path)
    const found = await to.call('GET', `${path}${body.data[0][name]}/`)
    return found.body.data.id
  }
  return {
    orders: await idOf(`${API}/orders/`, 'order_number'),
    products: await idOf(`${API}/products/`, 'sku'),
    locations: await idOf(`${API}/locations/`, 'code'),
    partners: await idOf('/api/settings/v1/partners/', 'id'),
    'api-keys': await idOf('/api/settings/v1/api-keys/', 'id'),
    webhooks: await idOf('/api/settings/v1/webhooks/', 'id'),
  }
}
