import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { outgoing } from '../../fixtures/secrets/outgoing.ts'
import { authorize } from './authorization.ts'
import { type Call, type Endpoint, failure, Misunderstood, Refusal } from './call.ts'
import { OUTAGES, Outages } from './outages.ts'
import { type RecordedCall, recordOf } from './record.ts'

export interface Api {
  /** `http://127.0.0.1:<port>`; the API is below `/client/v4`. */
  origin: string
  calls: RecordedCall[]
  /** Calls that this stand-in does not know, or whose bodies it does not understand. */
  unexpected: string[]
  /** While true, every token is refused. */
  signedOut: boolean
  outages: Outages
  /** Kinds of calls that there are. */
  kinds: Set<string>
  /** Endpoints sign addresses with the origin: they come once it is known. */
  add: (endpoints: Endpoint[]) => void
  close: () => Promise<void>
}

interface Route {
  endpoint: Endpoint
  pattern: URLPattern
}

/** Cloudflare's API as an HTTP server: who may call, what is recorded, and what fails on demand. */
export async function startApi(): Promise<Api> {
  const routes: Route[] = []
  const server = createServer((request, response) => {
    serve(api, routes, request, response).catch((error: unknown) => {
      api.unexpected.push(`${request.method} ${request.url}: ${error}`)
      response.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const api: Api = {
    origin: `http://127.0.0.1:${port}`,
    calls: [],
    unexpected: [],
    signedOut: false,
    outages: new Outages(),
    kinds: new Set(),
    add: (endpoints) => {
      for (const endpoint of endpoints) {
        const pathname = endpoint.signed ? endpoint.path : `/client/v4${endpoint.path}`
        routes.push({ endpoint, pattern: new URLPattern({ pathname }) })
        for (const kind of endpoint.kinds) api.kinds.add(kind)
      }
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return api
}

async function serve(
  api: Api,
  routes: Route[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', api.origin)
  const headers = new Headers(Object.entries(request.headers).map(([k, v]) => [k, String(v)]))
  const body = await buffer(request)
  outgoing.look(`the call ${request.method} ${pathname}`, body.toString('latin1'))
  const route = routes.find(
    ({ endpoint, pattern }) => endpoint.method === request.method && pattern.test({ pathname }),
  )
  const answer = route
    ? await answerOf(api, route.endpoint, {
        params: paramsOf(route.pattern, pathname),
        query,
        headers,
        body,
      })
    : unknown(api, `${request.method} ${pathname}`)
  if (!answer) return void response.destroy()
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.end(Buffer.from(await answer.arrayBuffer()))
}

/** Null when the connection is to be cut. */
async function answerOf(api: Api, endpoint: Endpoint, call: Call): Promise<Response | null> {
  const recorded = await recordOf(endpoint, call)
  api.calls.push(recorded)
  try {
    if (!endpoint.signed) authorize(call, endpoint.path, api.signedOut)
    recorded.kind = kindOf(endpoint, call)
    const response = await withOutages(api, recorded, () => endpoint.handle(call))
    recorded.status = response?.status ?? null
    return response
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error instanceof Misunderstood) api.unexpected.push(`${recorded.kind}: ${error.message}`)
    recorded.status = error.status
    return failure(error)
  }
}

async function withOutages(
  { outages }: Api,
  call: RecordedCall,
  work: () => Response | Promise<Response>,
): Promise<Response | null> {
  const outage = await outages.hit(call)
  if (!outage) return await work()
  if (outage.when === 'after') await work()
  if (outage.when === 'late') outage.late = async () => void (await work())
  if (outage.as === 'cut') return null
  throw OUTAGES[outage.as]
}

function kindOf({ kinds, kindOf }: Endpoint, call: Call): string {
  const [first = ''] = kinds
  return kindOf?.(call) ?? first
}

function paramsOf(pattern: URLPattern, pathname: string): Record<string, string> {
  const groups = pattern.exec({ pathname })?.pathname.groups ?? {}
  return Object.fromEntries(
    Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value ?? '')]),
  )
}

function unknown(api: Api, what: string): Response {
  api.unexpected.push(`${what}: no such endpoint`)
  return failure(new Refusal(404, 7000, `No route for that URI: ${what}`))
}
