import type { Client } from '../client.ts'
import type { Intent, Thing } from '../journal.ts'
import type { Random } from '../random.ts'
import { API, settled } from './writes.ts'

const PATH = `${API}/orders/`
const ITEMS_MAX = 5
/** How many of its newest orders it keeps changing. */
const OPEN_MAX = 100

/** A shop: creates, changes, cancels and reads orders, and sometimes sends wrong ones. */
export class OrderWorker {
  readonly #name: string
  readonly #skus: string[]
  #orders: Thing[] = []
  #unheard: { thing: Thing; intent: Intent }[] = []
  #turn = 0

  constructor(name: string, skus: string[]) {
    this.#name = name
    this.#skus = skus
  }

  async step(client: Client, random: Random): Promise<unknown> {
    const unheard = this.#unheard.findIndex(({ thing }) => thing.doubt === null)
    if (unheard >= 0) return await this.#retry(client, unheard)
    const open = settled(this.#orders).filter(({ state }) => state?.status !== 'cancelled')
    const order = random.pick(open)
    const draw = random.next()
    if (!order || draw < 0.5) return await this.#create(client, random)
    if (draw < 0.72) return await client.write(order, this.#update(order, random))
    if (draw < 0.82) return await client.write(order, this.#cancel(order))
    if (draw < 0.86) return await client.write(order, duplicate(order, this.#skus[0]))
    if (draw < 0.88) return await this.#createWrong(client)
    return await client.read(draw < 0.96 ? `${PATH}${order.key}/` : `${PATH}?limit=50`)
  }

  async #create(client: Client, random: Random): Promise<void> {
    const thing = client.journal.newThing('order', client.journal.newName(this.#name))
    const items = Array.from({ length: random.between(1, ITEMS_MAX) }, () => ({
      sku_code: random.pick(this.#skus),
      quantity: random.between(1, 99),
    }))
    const header = { customer_name: `Customer of ${thing.key}`, notes: `Turn ${this.#next()}` }
    const intent = creation(thing.key, header, items)
    const done = await client.write(thing, intent)
    this.#orders = [...this.#orders.slice(1 - OPEN_MAX), thing]
    if (!done && thing.doubt) this.#unheard.push({ thing, intent })
  }

  /** Sends an order with an unknown product, which must not be created at all. */
  async #createWrong(client: Client): Promise<void> {
    const { journal } = client
    const thing = journal.newThing('order', journal.newName(`${this.#name}-wrong`))
    const items = [
      { sku_code: this.#skus[0], quantity: 1 },
      { sku_code: 'CRASH-none', quantity: 1 },
    ]
    const intent = creation(thing.key, {}, items)
    await client.write(thing, { ...intent, expected: 400, wanted: null })
  }

  /** Sends an unanswered order again, as a client does. It must exist only once. */
  async #retry(client: Client, place: number): Promise<void> {
    const [retried] = this.#unheard.splice(place, 1)
    if (!retried) return
    const { thing, intent } = retried
    const landed = thing.state !== null
    const again = landed ? { ...intent, expected: 400, wanted: thing.state } : intent
    const done = await client.write(thing, again)
    if (!done && thing.doubt) this.#unheard.push(retried)
  }

  #update({ key, state }: Thing, random: Random): Intent {
    const status = random.pick(['pending', 'in_progress', 'partially_verified'])
    const body = { notes: `Turn ${this.#next()}`, status }
    return {
      method: 'PUT',
      path: `${PATH}${key}/`,
      body,
      expected: 200,
      wanted: { ...state, ...body },
    }
  }

  #cancel({ key, state }: Thing): Intent {
    const reason = `Turn ${this.#next()}`
    return {
      method: 'DELETE',
      path: `${PATH}${key}/`,
      body: { reason },
      expected: 200,
      wanted: { ...state, status: 'cancelled', cancel_reason: reason },
    }
  }

  #next(): number {
    this.#turn += 1
    return this.#turn
  }
}

interface Item {
  sku_code: string | undefined
  quantity: number
}

function creation(order_number: string, header: object, items: Item[]): Intent {
  return {
    method: 'POST',
    path: PATH,
    body: { order_number, ...header, items },
    expected: 201,
    wanted: {
      ...header,
      status: 'pending',
      cancel_reason: null,
      items: items.map(({ sku_code, quantity }) => `${sku_code} ${quantity}`),
    },
  }
}

function duplicate({ key, state }: Thing, sku: string | undefined): Intent {
  const intent = creation(key, { notes: 'Twice' }, [{ sku_code: sku, quantity: 7 }])
  return { ...intent, expected: 400, wanted: state }
}
