import { env } from 'cloudflare:workers'
import { newAddress } from '../fixtures/address.ts'
import { ENDPOINTS } from '../fixtures/endpoints.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'
import { openWebhook, type Sent, shopDocument } from '../fixtures/webhooks.ts'
import { endpointSubjects } from './endpoint.ts'
import { testEveryFault } from './exhaustive.ts'
import type { Subject } from './trial.ts'

type Opened = Awaited<ReturnType<typeof openWebhook>>

const RATE_LIMIT = 30_000

/** A delivery after others, by a webhook with a rate limit, so that the Durable Object is called. */
function delivery(
  name: string,
  document: object,
  { event = 'order.created', before = [] }: { event?: string; before?: [object, string][] } = {},
): Subject {
  return {
    name,
    async prepare() {
      const shop = await openWebhook({ settings: { rate_limit: RATE_LIMIT } })
      const order = await shopDocument(shop.partner.api, { modified: '2026-03-02T00:00:00Z' })
      for (const [fields, earlier] of before) {
        const { text, body } = await shop.deliver({ ...order, ...fields }, { event: earlier })
        if (body?.success !== true) throw new Error(text)
      }
      await forgetCallers()
      return askingWith(shop, { ...order, ...document }, { event })
    },
  }
}

const STOCK = {
  resource: 'inventory',
  ...{ actions: {}, event: null, take_if: null, cancel_if: null, changed_at: null },
}

/** An upload of stock, of which one row waits for its product. */
const upload: Subject = {
  name: 'an upload with a row that waits',
  async prepare() {
    const settings = { rate_limit: RATE_LIMIT }
    const shop = await openWebhook({ rules: STOCK, mappings: {}, settings })
    const { sku } = await createProduct(shop.partner.api)
    const { code } = await createLocation(shop.partner.api)
    const inventory = [
      { location_code: code, sku_code: sku, quantity: 1 },
      { location_code: 'NOWHERE', sku_code: 'NOT-THERE', quantity: 1 },
    ]
    await forgetCallers()
    const ask = askingWith(shop, { inventory }, {})
    return async (bindings: object) => {
      const answer = await ask(bindings)
      // The rows are counted after the commit. Null says that nobody could count them.
      return { ...answer, text: answer.text.replace('"waiting":null', '"waiting":1') }
    }
  },
}

/** Nobody knows the webhook, so that it is looked up again. */
async function forgetCallers(): Promise<void> {
  for (const { name } of (await env.KEYS.list()).keys) await env.KEYS.delete(name)
}

function askingWith(shop: Opened, document: object, sent: Sent) {
  const headers = { 'CF-Connecting-IP': newAddress() }
  return (bindings: object) => shop.deliver(document, { ...sent, headers, bindings })
}

const CREATED: [object, string] = [{}, 'order.created']
const LATER = { modified: '2026-03-03T00:00:00Z' }
const EARLIER = { modified: '2026-03-01T00:00:00Z', customer: 'Grace' }

const SUBJECTS = [
  delivery('a new order', {}),
  delivery('a new order that is called a change', {}, { event: 'order.updated' }),
  delivery(
    'a change',
    { ...LATER, customer: 'Grace' },
    { event: 'order.updated', before: [CREATED] },
  ),
  delivery('a change that is called new', { ...LATER, customer: 'Grace' }, { before: [CREATED] }),
  delivery('the same again', {}, { before: [CREATED] }),
  delivery('what is older', EARLIER, { event: 'order.updated', before: [CREATED] }),
  delivery('a cancellation', { ...LATER, status: 'cancelled' }, { before: [CREATED] }),
  delivery('a cancellation of nothing', { ...LATER, status: 'cancelled' }),
  delivery('what is skipped', { status: 'draft' }),
  delivery('what waits for a product', { lines: [{ sku: 'NOT-THERE', qty: 1 }] }),
  delivery('what waits for a person', { lines: 5 }),
  upload,
]

// A delivery is answered within 4 s, so a call that is that late may cost it its answer. At the usual speed these would be
// 20 ms, which a busy machine needs for the calls themselves.
// What tries deliveries is answered inside of another answer: tried-deliveries.deep.test.ts.
const WAITING = ENDPOINTS.filter(
  ({ path }) => path.includes('/deliveries/') && !path.endsWith('/apply/'),
)

testEveryFault('deliveries', [...SUBJECTS, ...WAITING.flatMap(endpointSubjects)], {
  speed: 40,
  mayRefuse: ({ on, how }) => on === 'd1' && (how === 'late' || how === 'never'),
})
