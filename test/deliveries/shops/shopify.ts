import { createHmac, randomUUID } from 'node:crypto'
import type { Json } from '../../fixtures/tenant.ts'
import { HOUR, MINUTE, SECOND } from './clock.ts'
import { type Change, NAMES, NOTES, type Outside, planLife, type Said } from './shop.ts'

// What Shopify does, from its documentation (shopify.dev). Its source is not public.

const TOPICS = [
  ...(['orders/create', 'orders/updated', 'orders/paid', 'orders/fulfilled'] as const),
  ...(['orders/cancelled', 'orders/delete'] as const),
]
type Topic = (typeof TOPICS)[number]

/** docs/apps/build/webhooks, "HTTPS delivery", as third parties quote it: 5 s for the whole request. */
const WAITS_MS = 5 * SECOND
/**
 * changelog/updates-to-webhook-retry-mechanism: 8 tries over 4 hours with exponential backoff, with the first payload. The single
 * pauses are not documented: each is twice the one before.
 */
const RETRIES = Array.from({ length: 8 }, (_, n) => (4 * HOUR * 2 ** n) / (2 ** 8 - 1))
/** Deliveries come in any order, and now and then twice (docs/apps/build/webhooks/ignore-duplicates). */
const DELAY_MS = 2 * MINUTE
const DUPLICATES = 0.08
const FIRST_ID = 6_104_417_000_000

interface Delivery {
  topic: Topic
  body: string
  headers: Record<string, string>
  retries: number
}

/** A shop of Shopify's, with a subscription for each topic of orders, made by the Admin API: these can be removed. */
export class Shopify {
  readonly name = 'Shopify'
  /** Topics whose subscription was removed after the last retry of a delivery. */
  readonly removed = new Set<Topic>()
  /** Deliveries that were sent again after a failure. */
  retries = 0
  readonly #orders = new Map<number, Json>()
  readonly #deleted = new Set<number>()
  readonly #outside: Outside
  readonly #address: string
  readonly #secret: string
  readonly #example: Json

  constructor(outside: Outside, address: string, secret: string, example: Json) {
    this.#outside = outside
    this.#address = address
    this.#secret = secret
    this.#example = example
  }

  /** Plans so many orders, placed within so many ms. */
  open(orders: number, ms: number): void {
    const { dice } = this.#outside
    for (let n = 0; n < orders; n++) {
      const id = FIRST_ID + n
      planLife(this.#outside, dice.below(ms), (change) => this.#change(id, change))
    }
  }

  get isDisabled(): boolean {
    return this.removed.size > 0
  }

  /** For the shop's owner: any change of an order delivers all of it. */
  save(id: number): void {
    this.#change(id, 'save')
  }

  repeat(id: number): Request {
    return this.#request(this.#deliveryOf('orders/updated', this.#orders.get(id)))
  }

  *said(): Generator<[number, Said]> {
    for (const [id, document] of this.#orders) {
      yield [id, { ...saidBy(document), ...(this.#deleted.has(id) && { state: 'gone' as const }) }]
    }
  }

  /** One change has several topics, each of which is delivered by itself. */
  #change(id: number, change: Change): void {
    const { clock } = this.#outside
    if (change === 'place') {
      this.#orders.set(id, this.#newOrder(id))
      this.#emit('orders/create', id)
      return
    }
    const document = this.#orders.get(id)
    if (!document || this.#deleted.has(id)) return
    this.#apply(document, change)
    document.updated_at = shopTime(clock.now)
    if (change === 'delete') {
      this.#deleted.add(id)
      this.#emit('orders/delete', id)
      return
    }
    this.#emit('orders/updated', id)
    if (change === 'pay') this.#emit('orders/paid', id)
    if (change === 'complete') this.#emit('orders/fulfilled', id)
    if (change === 'cancel') this.#emit('orders/cancelled', id)
  }

  #apply(document: Json, change: Change): void {
    const { clock, dice, skus } = this.#outside
    const [line] = document.line_items
    const lines: Json[] = document.line_items
    if (change === 'pay') document.financial_status = 'paid'
    if (change === 'cancel') {
      document.cancelled_at = shopTime(clock.now)
      document.cancel_reason = 'customer'
    }
    if (change === 'refund') document.financial_status = 'refunded'
    if (change === 'complete') document.fulfillment_status = 'fulfilled'
    if (change === 'rename') {
      document.shipping_address = { ...document.shipping_address, name: dice.of(NAMES) }
    }
    if (change === 'note') document.note = dice.of(NOTES)
    if (change === 'edit_lines') {
      const added = { ...line, id: line.id + 100, sku: dice.of(skus), current_quantity: 1 }
      document.line_items = [...lines, added]
    }
    // docs/api/admin-rest/latest/resources/order: current_quantity is without what was refunded or removed.
    if (change === 'refund_part' && line.current_quantity > 1) {
      const less = { ...line, current_quantity: line.current_quantity - 1 }
      document.line_items = [less, ...lines.slice(1)]
      document.financial_status = 'partially_refunded'
    }
  }

  #newOrder(id: number): Json {
    const n = id - FIRST_ID
    const { clock, dice, skus } = this.#outside
    const [line] = this.#example.line_items
    const line_items = Array.from({ length: 1 + dice.below(3) }, (_, at) => {
      const quantity = 1 + dice.below(5)
      return {
        ...line,
        id: id * 10 + at,
        sku: dice.of(skus),
        quantity,
        current_quantity: quantity,
        requires_shipping: true,
        gift_card: false,
      }
    })
    const now = shopTime(clock.now)
    return {
      ...this.#example,
      ...{ id, order_number: 2000 + n, number: 1000 + n, name: `#${2000 + n}` },
      ...{ created_at: now, updated_at: now, note: null },
      ...{ financial_status: 'pending', fulfillment_status: null },
      ...{ cancelled_at: null, cancel_reason: null },
      shipping_address: { ...this.#example.shipping_address, name: dice.of(NAMES) },
      line_items,
    }
  }

  #emit(topic: Topic, id: number): void {
    const { clock, dice } = this.#outside
    if (this.removed.has(topic)) return
    const delivery = this.#deliveryOf(topic, this.#orders.get(id))
    clock.after(dice.below(DELAY_MS), () => this.#deliver(delivery))
    if (dice.chance(DUPLICATES)) {
      clock.after(dice.below(30 * MINUTE), () => this.#deliver({ ...delivery, retries: 0 }))
    }
  }

  /** docs/apps/build/webhooks/delivery-structure. That orders/delete has the id alone is from memory. */
  #deliveryOf(topic: Topic, document: Json): Delivery {
    const { clock } = this.#outside
    const body = JSON.stringify(topic === 'orders/delete' ? { id: document.id } : document)
    const headers = {
      'X-Shopify-Topic': topic,
      'X-Shopify-Shop-Domain': 'fernhollow.example.com',
      'X-Shopify-API-Version': '2026-10',
      'X-Shopify-Webhook-Id': randomUUID(),
      'X-Shopify-Event-Id': randomUUID(),
      'X-Shopify-Triggered-At': new Date(clock.now).toISOString(),
      // docs/apps/build/webhooks/verify-deliveries: base64 of the HMAC of the body.
      'X-Shopify-Hmac-Sha256': createHmac('sha256', this.#secret).update(body).digest('base64'),
    }
    return { topic, body, headers, retries: 0 }
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { clock, send } = this.#outside
    const status = await send(this.#request(delivery), WAITS_MS)
    if (status !== null && status >= 200 && status < 300) return
    const pause = RETRIES[delivery.retries]
    delivery.retries += 1
    // What is under way goes on; without the subscription nothing new is sent.
    if (pause === undefined) this.removed.add(delivery.topic)
    else {
      this.retries += 1
      clock.after(pause, () => this.#deliver(delivery))
    }
  }

  #request({ body, headers }: Delivery): Request {
    const all = { 'Content-Type': 'application/json', ...headers }
    return new Request(this.#address, { method: 'POST', body, headers: all })
  }
}

/** As Shopify writes it: to the second, with the shop's own offset. */
function shopTime(ms: number): string {
  return `${new Date(ms - 4 * HOUR).toISOString().slice(0, 19)}-04:00`
}

function saidBy(document: Json): Said {
  const { order_number, cancelled_at, financial_status, fulfillment_status } = document
  const isCancelled = cancelled_at !== null || financial_status === 'refunded'
  const isOpen = financial_status !== 'pending'
  const state = fulfillment_status === 'fulfilled' ? 'shipped' : isOpen ? 'open' : 'unpaid'
  return {
    order_number: `SHOPIFY-${order_number}`,
    state: isCancelled ? 'cancelled' : state,
    customer_name: document.shipping_address.name,
    notes: document.note,
    lines: document.line_items.map(({ sku, current_quantity }: Json) => ({
      sku,
      quantity: current_quantity,
    })),
  }
}
