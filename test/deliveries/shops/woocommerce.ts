import { createHmac } from 'node:crypto'
import type { Json } from '../../fixtures/tenant.ts'
import { MINUTE, SECOND } from './clock.ts'
import { type Change, NAMES, NOTES, type Outside, planLife, type Said } from './shop.ts'

// What WooCommerce does, from its source (github.com/woocommerce/woocommerce, plugins/woocommerce/includes).

const TOPICS = ['order.created', 'order.updated', 'order.deleted', 'order.restored'] as const
type Topic = (typeof TOPICS)[number]

/** class-wc-webhook.php, deliver(): 'timeout' => MINUTE_IN_SECONDS. */
const WAITS_MS = MINUTE
/** class-wc-webhook.php, failed_delivery(): the filter woocommerce_max_webhook_delivery_failures. */
const FAILURES_MAX = 5
/**
 * github.com/woocommerce/action-scheduler, classes/ActionScheduler_QueueRunner.php: the cron runs the queue every minute. run() claims
 * 25 actions at a time and processes one after the other, until none is left.
 */
const RUNS_EVERY_MS = MINUTE
const CLAIM = 25

interface Webhook {
  id: number
  topic: Topic
  status: 'active' | 'disabled'
  failure_count: number
}

interface Order {
  document: Json
  isTrashed: boolean
}

/** A shop that runs WooCommerce, with a webhook for each topic of orders: a webhook has one topic. */
export class WooCommerce {
  readonly name = 'WooCommerce'
  readonly webhooks: Webhook[] = TOPICS.map((topic, id) => ({
    id: id + 1,
    topic,
    status: 'active',
    failure_count: 0,
  }))
  /** Orders of which a delivery has failed: WooCommerce > Status > Logs, source webhooks-delivery, lists them. */
  readonly failed = new Set<number>()
  readonly #orders = new Map<number, Order>()
  readonly #outside: Outside
  readonly #address: string
  readonly #secret: string
  readonly #example: Json
  #queue: { webhook: Webhook; id: number }[] = []
  #isRunning = false

  constructor(outside: Outside, address: string, secret: string, example: Json) {
    this.#outside = outside
    this.#address = address
    this.#secret = secret
    this.#example = example
  }

  /** Plans so many orders, placed within so many ms, and starts the runner of the queue. */
  open(orders: number, ms: number): void {
    const { clock, dice } = this.#outside
    for (let n = 0; n < orders; n++) {
      const id = 30_000 + n
      planLife(this.#outside, dice.below(ms), (change) => this.#change(id, change))
    }
    clock.after(RUNS_EVERY_MS, () => this.#runQueue())
  }

  /** deliver_ping(): unsigned, when a webhook is saved for the first time as active. Anything but 200 is shown as an error. */
  async ping(): Promise<(number | null)[]> {
    const { send } = this.#outside
    return await Promise.all(
      this.webhooks.map(({ id }) => {
        const body = `webhook_id=${id}`
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
        // WordPress waits 5 s by default (class-wp-http.php, from memory).
        return send(new Request(this.#address, { method: 'POST', body, headers }), 5 * SECOND)
      }),
    )
  }

  get isDisabled(): boolean {
    return this.webhooks.some(({ status }) => status === 'disabled')
  }

  /** For the shop's owner: any change of an order delivers all of it. */
  save(id: number): void {
    this.#change(id, 'save')
  }

  /** For the shop's owner: WooCommerce does not send again, so whoever reads the log saves the order once more. */
  saveAgain(): number {
    const { size } = this.failed
    for (const id of this.failed) {
      const order = this.#orders.get(id)
      if (order?.isTrashed) {
        this.#fire('order.restored', id)
        this.#change(id, 'delete')
      } else this.#change(id, 'save')
    }
    this.failed.clear()
    return size
  }

  /** The newest body of each order, signed, as the shop sends it. */
  repeat(id: number): Request {
    return this.#request(this.webhooks[1] as Webhook, id)
  }

  *said(): Generator<[number, Said]> {
    for (const [id, { document, isTrashed }] of this.#orders) {
      yield [id, { ...saidBy(document), ...(isTrashed && { state: 'gone' as const }) }]
    }
  }

  #change(id: number, change: Change): void {
    if (change === 'place') {
      this.#orders.set(id, { document: this.#newOrder(id), isTrashed: false })
      this.#fire('order.created', id)
      return
    }
    const order = this.#orders.get(id)
    if (!order) return
    if (change === 'delete') order.isTrashed = true
    this.#apply(order.document, change)
    // In GMT and to the second, as REST API v3 shows it. That each save moves it is from memory.
    order.document.date_modified_gmt = this.#gmt()
    // That the topic of the trash is order.deleted is from memory (WC_Webhook, get_topic_hooks()).
    this.#fire(change === 'delete' ? 'order.deleted' : 'order.updated', id)
  }

  #apply(document: Json, change: Change): void {
    const { dice, skus } = this.#outside
    if (change === 'pay') document.status = 'processing'
    if (change === 'cancel') document.status = 'cancelled'
    if (change === 'refund') document.status = 'refunded'
    if (change === 'complete') document.status = 'completed'
    if (change === 'rename') {
      const [first, last] = dice.of(NAMES).split(' ')
      document.billing = { ...document.billing, first_name: first, last_name: last }
    }
    if (change === 'note') document.customer_note = dice.of(NOTES)
    if (change === 'edit_lines') {
      const [line] = document.line_items
      document.line_items = [{ ...line, quantity: line.quantity + 1, sku: dice.of(skus) }]
    }
    // The lines stay as they are (REST API, "refunds" of an order).
    if (change === 'refund_part') document.refunds = [{ id: 1, reason: '', total: '-1.00' }]
    if (change === 'delete') document.status = 'trash'
  }

  #newOrder(id: number): Json {
    const { dice, skus } = this.#outside
    const [first_name, last_name] = dice.of(NAMES).split(' ')
    const [line] = this.#example.line_items
    const count = 1 + dice.below(3)
    const line_items = Array.from({ length: count }, (_, n) => ({
      ...line,
      id: id * 10 + n,
      sku: dice.of(skus),
      quantity: 1 + dice.below(5),
    }))
    return {
      ...this.#example,
      id,
      number: String(id),
      status: 'pending',
      date_created_gmt: this.#gmt(),
      date_modified_gmt: this.#gmt(),
      billing: { ...this.#example.billing, first_name, last_name },
      customer_note: '',
      line_items,
    }
  }

  /**
   * wc-webhook-functions.php, wc_webhook_execute_queue(): one action for each webhook and order; another one is not added as long
   * as the first one is to run within ten minutes. class-wc-webhook.php: only active webhooks deliver.
   */
  #fire(topic: Topic, id: number): void {
    const webhook = this.webhooks.find((each) => each.topic === topic)
    if (webhook?.status !== 'active') return
    const isQueued = this.#queue.some((each) => each.webhook === webhook && each.id === id)
    if (!isQueued) this.#queue.push({ webhook, id })
  }

  async #runQueue(): Promise<void> {
    this.#outside.clock.after(RUNS_EVERY_MS, () => this.#runQueue())
    if (this.#isRunning) return
    this.#isRunning = true
    while (this.#queue.length > 0) {
      for (const { webhook, id } of this.#queue.splice(0, CLAIM)) await this.#deliver(webhook, id)
    }
    this.#isRunning = false
  }

  /** log_delivery(): 200 to 302 is a success, which sets the count to 0. Nothing is sent again. */
  async #deliver(webhook: Webhook, id: number): Promise<void> {
    const status = await this.#outside.send(this.#request(webhook, id), WAITS_MS)
    if (status !== null && status >= 200 && status < 303) {
      webhook.failure_count = 0
      return
    }
    this.failed.add(id)
    // failed_delivery(): the seventh failure in a row disables.
    if (webhook.failure_count > FAILURES_MAX) webhook.status = 'disabled'
    else webhook.failure_count += 1
  }

  /**
   * deliver() and build_payload(): the order as it is when it is sent, not when it changed; of a deleted one its id alone.
   * generate_signature(): HMAC-SHA256 of the body in base64. wp_json_encode() escapes slashes and all beyond ASCII.
   */
  #request({ id: webhookId, topic }: Webhook, id: number): Request {
    const payload = topic === 'order.deleted' ? { id } : this.#orders.get(id)?.document
    const body = JSON.stringify(payload)
      .replaceAll('/', '\\/')
      .replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    const [resource = '', event = ''] = topic.split('.')
    return new Request(this.#address, {
      method: 'POST',
      body,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'WooCommerce/10.4.2 Hookshot (WordPress/6.9)',
        'X-WC-Webhook-Source': 'https://shop.example.com/',
        'X-WC-Webhook-Topic': topic,
        'X-WC-Webhook-Resource': resource,
        'X-WC-Webhook-Event': event,
        'X-WC-Webhook-Signature': createHmac('sha256', this.#secret).update(body).digest('base64'),
        'X-WC-Webhook-ID': String(webhookId),
        // get_new_delivery_id(): of the webhook and the second, so two deliveries of a second share it.
        'X-WC-Webhook-Delivery-ID': createHmac('md5', 'salt')
          .update(`${webhookId}${Math.floor(this.#outside.clock.now / SECOND)}`)
          .digest('hex'),
      },
    })
  }

  #gmt(): string {
    return new Date(this.#outside.clock.now).toISOString().slice(0, 19)
  }
}

const STATES: Record<string, Said['state']> = {
  pending: 'unpaid',
  processing: 'open',
  completed: 'shipped',
  cancelled: 'cancelled',
  refunded: 'cancelled',
  trash: 'gone',
}

function saidBy({ number, status, billing, customer_note, line_items }: Json): Said {
  return {
    order_number: `WC-${number}`,
    state: STATES[status] ?? 'unpaid',
    customer_name: `${billing.first_name} ${billing.last_name}`,
    notes: customer_note === '' ? null : customer_note,
    lines: line_items.map(({ sku, quantity }: Json) => ({ sku, quantity })),
  }
}
