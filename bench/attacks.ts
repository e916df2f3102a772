import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { startTwoTenants } from './server.ts'

type Servers = Awaited<ReturnType<typeof startTwoTenants>>

/** Large requests of one tenant that may slow down another tenant in the same isolate. */
export interface Attack {
  name: string
  /** How many of its requests are sent at once. */
  times: number
  /** The status of those that are not put off, if they are refused for what they are. */
  refused?: number
  /** Prepares the tenant. Returns a function that sends one request of the attack. */
  prepare: (api: Api) => Promise<() => Promise<Answer>>
}

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
  const make = async (method: string, path: string, body: object) => {
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

let orders = 0
/** As long as a target may be, below a field of an element. */
const DEEP = '.a.b.c.d.e.f.g.h.i.j.k'

/** Each has twice the strength that once crashed the isolate or made other tenants wait for seconds. */
export const ATTACKS: Attack[] = [
  {
    name: 'repeated_text',
    times: 20,
    async prepare({ call, openPartner }) {
      const fields = {
        order_number: 'number',
        'items[].sku_code': 'lines[].s',
        'items[].quantity': 'lines[].q',
        'items[].notes': 'memo',
      }
      const key = await openPartner('orders', { inbound: { unmapped: 'drop', fields } })
      const lines = Array.from({ length: 1000 }, () => ({ s: 'S', q: 1 }))
      const memo = 'x'.repeat(10_000)
      return () =>
        call('POST', 'integrations/v1/orders/', { number: `O-${orders++}`, memo, lines }, key)
    },
  },
  {
    name: 'fixed_value',
    times: 2,
    async prepare({ call, openPartner, db }) {
      await fillStock(db, 20_000)
      const fields = { sku_code: 'sku_code', unit: { value: 'u'.repeat(20_480) } }
      const key = await openPartner('inventory', { outbound: { fields } })
      return () => call('GET', 'integrations/v1/inventory/L/', undefined, key)
    },
  },
  {
    name: 'large_pages',
    times: 40,
    async prepare({ call, make }) {
      const custom_fields = { text: 'x'.repeat(65_000) }
      for (let n = 0; n < 200; n++) {
        await make('POST', 'integrations/v1/products/', { sku: `LARGE-${n}`, custom_fields })
      }
      return () => call('GET', 'integrations/v1/products/?limit=200')
    },
  },
  {
    name: 'large_order',
    times: 80,
    async prepare({ call, make }) {
      const line = { sku_code: 'S', quantity: 1, notes: 'x'.repeat(10_000) }
      const order = { order_number: 'LARGE', items: Array.from({ length: 1000 }, () => line) }
      await make('POST', 'integrations/v1/orders/', order)
      return () => call('GET', 'integrations/v1/orders/LARGE/')
    },
  },
  {
    name: 'mapped_values',
    times: 40,
    refused: 400,
    async prepare({ call, openPartner }) {
      const key = await openPartner('orders', { inbound: rulesBelow('') })
      return () => call('POST', 'integrations/v1/orders/', elements(10_760), key)
    },
  },
  {
    name: 'mapped_objects',
    times: 40,
    refused: 400,
    async prepare({ call, openPartner }) {
      const key = await openPartner('orders', { inbound: rulesBelow(DEEP) })
      // With one more it would be 422: these are nearly as many objects as a mapping may make.
      return () => call('POST', 'integrations/v1/orders/', elements(302), key)
    },
  },
  {
    name: 'answered_objects',
    times: 20,
    async prepare({ call, make, openPartner }) {
      const targets = Array.from({ length: 200 }, (_, n) => `lines[].f${n}${DEEP}`)
      const fields = Object.fromEntries(targets.map((target) => [target, 'items[].quantity']))
      const key = await openPartner('orders', { outbound: { fields } })
      const items = Array.from({ length: 1000 }, () => ({ sku_code: 'S', quantity: 1 }))
      await make('POST', 'integrations/v1/orders/', { order_number: 'DEEP', items })
      return () => call('GET', 'integrations/v1/orders/DEEP/', undefined, key)
    },
  },
  {
    name: 'uploads',
    times: 72,
    async prepare({ call }) {
      const row = '{"location_code":"L","sku_code":"S","quantity":1}'
      const rows = Array(Math.floor(10_000_000 / (row.length + 1))).fill(row)
      const body = Buffer.from(`{"inventory":[${rows.join()}]}`)
      return () => call('POST', 'integrations/v1/inventory/', body)
    },
  },
]

/** 90 rules that write each element of an array into an object of its own, at this path below the element. */
function rulesBelow(path: string) {
  const targets = Array.from({ length: 90 }, (_, n) => `metadata.list[].f${n}${path}`)
  const fields = Object.fromEntries(targets.map((target) => [target, 'l[].a']))
  return { unmapped: 'drop', fields: { order_number: 'number', ...fields } }
}

function elements(count: number) {
  return { number: `O-${orders++}`, l: Array.from({ length: count }, () => ({ a: 1 })) }
}

async function fillStock(db: D1Database, records: number): Promise<void> {
  const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${records})`
  await db.batch([
    db.prepare(
      `${numbers} insert into products (id, sku, created_at, updated_at)
       select 'stocked-' || i, 'STOCKED-' || i, '', '' from n`,
    ),
    db.prepare(
      `${numbers} insert into inventory (location_code, sku_code, quantity)
       select 'L', 'STOCKED-' || i, 5 from n`,
    ),
  ])
}
