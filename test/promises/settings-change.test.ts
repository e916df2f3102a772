import { describe, expect, it } from 'vitest'
import { byDepth, itInDeep } from '../fixtures/depth.ts'
import { freshIsolate } from '../fixtures/isolate.ts'
import { openPartner } from '../fixtures/partner.ts'
import { KEYS, WORKSPACE } from '../fixtures/settings.ts'
import { createKey, dispatch, ORIGIN, openAdmin, unique, type Worker } from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'

// P3 and P8 (docs/ARCHITECTURE.md): how many requests are 503 while several administrators change settings without a pause, in two
// isolates at once: at most 1 in 100, and of the changes themselves 1 in 10.

const API = '/api/integrations/v1'
const PARTNERS = '/api/settings/v1/partners/'
const ADMIN = ['settings.*', 'integrations.*']
const CALLERS = 6
/** Of requests that everybody sends one after the other, all at the same time. */
const ROUNDS = byDepth(2, 6)
const IN_A_ROW = 4

type Call = [method: string, path: string, body?: object]

/** Sends one request after the other, and counts the answers. */
class Client {
  answers = 0
  unavailable = 0
  readonly #key: string
  readonly #worker: Worker
  readonly #afterwards: Promise<unknown>[] = []

  constructor(key: string, turn: number) {
    this.#key = key
    this.#worker = isolates[turn % isolates.length] as Worker
  }

  async ask([method, path, body]: Call): Promise<void> {
    const headers = { 'X-API-Key': this.#key, 'Content-Type': 'application/json' }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const request = new Request(ORIGIN + path, init)
    const { answer, afterwards } = await dispatch(request, { worker: this.#worker })
    this.answers += 1
    if (answer.status === 503) this.unavailable += 1
    this.#afterwards.push(afterwards())
  }

  async drain(): Promise<void> {
    await Promise.all(this.#afterwards.splice(0))
  }
}

const newOrder = () => ({ order_number: unique('O'), items: [{ sku_code: sku, quantity: 1 }] })

const callOf = (turn: number): Call =>
  (
    [
      ['POST', `${API}/orders/`, newOrder()],
      ['GET', `${API}/orders/?limit=5`],
      ['POST', `${API}/orders/`, {}],
      ['PUT', `${API}/products/${sku}/`, { quantity: turn }],
    ] satisfies Call[]
  )[turn % 4] as Call

type Change = (writer: number, turn: number) => Call

/** The shares of 503 among the changes and among the calls with the key. */
async function measure(writers: Client[], change: Change, key: string) {
  const callers = Array.from({ length: CALLERS }, (_, turn) => new Client(key, turn))
  for (let round = 0; round < ROUNDS; round++) {
    const send = async (client: Client, of: (turn: number) => Call) => {
      for (let turn = 0; turn < IN_A_ROW; turn++) await client.ask(of(round * IN_A_ROW + turn))
    }
    await Promise.all([
      ...writers.map((client, writer) => send(client, (turn) => change(writer, turn))),
      ...callers.map((client) => send(client, callOf)),
    ])
    // While answers keep coming, no timer of this isolate goes off.
    await Promise.all([...writers, ...callers].map((client) => client.drain()))
  }
  return { changes: shareOf(writers), calls: shareOf(callers) }
}

function shareOf(clients: Client[]): number {
  const answers = clients.reduce((sum, client) => sum + client.answers, 0)
  const unavailable = clients.reduce((sum, client) => sum + client.unavailable, 0)
  return unavailable / answers
}

const openWriters = async (count: number) => {
  const keys = await Promise.all(Array.from({ length: count }, () => createKey(ADMIN)))
  return {
    ids: keys.map(({ id }) => id),
    clients: keys.map(({ value }, n) => new Client(value, n)),
  }
}

const sku = (await createProduct(await openAdmin())).sku
const isolates = [(await freshIsolate()).worker, (await freshIsolate()).worker]

describe.each(byDepth([4], [4, 8]))('while %i administrators change settings', (count) => {
  itInDeep('of others, everybody is served', async () => {
    const { clients } = await openWriters(count)
    const change: Change = (_, turn) =>
      (
        [
          ['POST', KEYS, { name: unique('key') }],
          ['PUT', WORKSPACE, { name: unique('Warehouse') }],
          ['POST', PARTNERS, { name: unique('Partner') }],
        ] satisfies Call[]
      )[turn % 3] as Call
    const { changes, calls } = await measure(clients, change, (await createKey()).value)
    expect([changes, calls]).toEqual([0, 0])
  })

  it('of the partner whose key is used, nearly everybody is served', async () => {
    const { clients } = await openWriters(count)
    const { id, key } = await openPartner()
    const mapping = { inbound: { fields: { notes: 'remark' } } }
    const change: Change = () => ['PUT', `${PARTNERS}${id}/mappings/orders/`, mapping]
    const { changes, calls } = await measure(clients, change, key.key)
    expect(changes).toBe(0)
    expect(calls).toBeLessThanOrEqual(1 / 100)
  })

  itInDeep('of each other, nearly everybody is served', async () => {
    const { ids, clients } = await openWriters(count)
    const change: Change = (writer, turn) => {
      const id = ids[(writer + turn) % count]
      return ['PUT', `${KEYS}${id}/`, { name: unique('key') }]
    }
    const { changes, calls } = await measure(clients, change, (await createKey()).value)
    expect(changes).toBeLessThanOrEqual(1 / 10)
    expect(calls).toBe(0)
  })
})
