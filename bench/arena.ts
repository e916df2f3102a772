import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { startTwoTenants } from './server.ts'

type Servers = Awaited<ReturnType<typeof startTwoTenants>>

export interface Answer {
  status: number
  bytes: number
  retryAfter: string | null
  /** The body, or its beginning if it is large. */
  text: string
}

export interface Waited {
  ms: number
  status: number
}

export type Api = Awaited<ReturnType<typeof apiOf>>

const TEXT_BYTES_MAX = 100_000
const SAMPLES = 100

/** A client of one of the two tenants. */
function apiOf({ origin, demo, other }: Servers, name: 'demo' | 'other') {
  const agent = new Agent({ keepAlive: true })
  const { key: admin, db } = name === 'demo' ? demo : other
  const call = (method: string, path: string, body?: object, key = admin) =>
    send(agent, `${origin}/api/${path}`, { method, key, body })
  const make = async (method: string, path: string, body?: object) => {
    const { status, bytes, text } = await call(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return bytes > TEXT_BYTES_MAX ? null : JSON.parse(text).data
  }
  /** Creates a partner with the mapping, and returns a key of the partner. */
  const openPartner = async (resource: string, mapping: object): Promise<string> => {
    const { id } = await make('POST', 'settings/v1/partners/', { name: crypto.randomUUID() })
    await make('PUT', `settings/v1/partners/${id}/mappings/${resource}/`, mapping)
    const key = { name: 'attack', partner_id: id }
    return (await make('POST', 'settings/v1/api-keys/', key)).key
  }
  return { call, make, openPartner, db, close: () => agent.destroy() }
}

async function send(
  agent: Agent,
  url: string,
  { method, key, body }: { method: string; key: string; body: object | undefined },
): Promise<Answer> {
  const content = body instanceof Buffer ? body : Buffer.from(body ? JSON.stringify(body) : '')
  const headers = {
    'X-API-Key': key,
    ...(body && { 'Content-Type': 'application/json', 'Content-Length': content.length }),
  }
  const sent = request(url, { method, headers, agent }).end(content)
  // A server that puts a request off does not read its body: after the answer, writing the rest fails.
  sent.on('error', () => {})
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer) {
    bytes += chunk.length
    if (bytes <= TEXT_BYTES_MAX) chunks.push(chunk)
  }
  const retryAfter = answer.headers['retry-after'] ?? null
  return {
    status: answer.statusCode ?? 0,
    bytes,
    retryAfter,
    text: Buffer.concat(chunks).toString(),
  }
}

/** Opens both tenants: the attacker, and the victim, which sends small requests whose times are measured. */
export async function openArena(servers: Servers) {
  const [attacker, victim] = [apiOf(servers, 'demo'), apiOf(servers, 'other')]
  for (const api of [attacker, victim]) {
    await api.make('POST', 'integrations/v1/products/', { sku: 'S' })
    await api.make('POST', 'integrations/v1/locations/', { code: 'L' })
  }
  const items = [{ sku_code: 'S', quantity: 1 }]
  await victim.make('POST', 'integrations/v1/orders/', { order_number: 'O', items })
  const ask = async (): Promise<Waited> => {
    const started = performance.now()
    const { status } = await victim.call('GET', 'integrations/v1/orders/O/')
    return { ms: performance.now() - started, status }
  }
  /** The victim's waits while the work runs. */
  const waitsDuring = async (work: Promise<unknown>): Promise<Waited[]> => {
    const waits: Waited[] = []
    let isOver = false
    const over = work.finally(() => {
      isOver = true
    })
    while (!isOver) {
      waits.push(await ask())
      await sleep(2)
    }
    await over
    return waits
  }
  const quietWaits = async () => {
    const waits: Waited[] = []
    for (let n = 0; n < SAMPLES; n++) waits.push(await ask())
    return waits
  }
  const close = () => {
    attacker.close()
    victim.close()
  }
  return { attacker, waitsDuring, quietWaits, close }
}
