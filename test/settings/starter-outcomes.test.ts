import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { listStarters, type Starter } from '../../src/settings/mapping-starters/starters.ts'
import type { WebhookPreset } from '../../src/settings/webhook-presets/preset-schema.ts'
import { listPresets } from '../../src/settings/webhook-presets/presets.ts'
import { sample } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { type Answer, type Json, unique } from '../fixtures/tenant.ts'
import { openWebhook, SHOP_RULES } from '../fixtures/webhooks.ts'
import { type Edit, edited } from '../starters/edit.ts'
import { sentAs } from '../starters/sent-as.ts'
import { STATES } from '../starters/states.ts'
import { haveProducts } from './examples.ts'

// What docs/starters.md says of each starter, by the requests of its partner and by the deliveries of its system.

const starters = (await listStarters(env)).filter(({ resource }) => resource === 'orders')
const presets = await listPresets(env)
const samples = import.meta.glob<{ default: { expected: Json } }>('../starters/*.json')

async function expectedOf({ name }: Starter): Promise<Json> {
  const load = samples[`../starters/${name}.json`] ?? expect.fail(`there is no sample ${name}`)
  return (await load()).default.expected
}

/** The mapping with a prefix of its own, since the orders of all tests are in one warehouse; and its order's number. */
function withPrefix({ mapping }: Starter, { order_number }: Json) {
  const copy: Json = structuredClone(mapping)
  const { fields } = copy.inbound
  const { join, ...others } = fields.order_number
  const prefix = unique('P')
  fields.order_number = { ...others, join: [{ value: prefix }, ...join] }
  return { mapping: copy, number: [prefix, order_number].join(others.with ?? ' ') }
}

const ACTIONS = { 'order.created': 'upsert', '*': 'skip' }

/** A partner with a key, and a webhook that knows what its system sends, signed as those of other tests. */
async function connect(starter: Starter, mapping: object, preset: WebhookPreset | undefined) {
  const { document = null, take_if = null, cancel_if = null } = preset?.rules ?? {}
  const rules = { ...SHOP_RULES, document, take_if, cancel_if }
  const made = { actions: ACTIONS, delivery_id: null, changed_at: null }
  const mappings = { orders: mapping }
  const { partner, deliver } = await openWebhook({ mappings, rules: { ...rules, ...made } })
  const { post, put } = partner.api
  const sent = sentAs(starter)
  return {
    post: (path: string, order: Json) => post(path, order, sent),
    put: (path: string, order: Json) => put(path, order, sent),
    deliver: (order: Json) => deliver(document ? placed(document, order) : order),
  }
}

const placed = (path: string, order: Json): Json =>
  path.split('.').reduceRight<Json>((inner, name) => ({ [name]: inner }), order)

/** Whether the POST has created the order, alone or as the only one of its document. */
const isCreated = ({ status, body }: Answer) =>
  status === 201 || (status === 200 && body.data.results[0]?.status === 'created')

const isRefused = ({ status, body }: Answer) =>
  (status >= 400 && status < 500) || (status === 200 && body.data.created === 0)

const cases = starters.flatMap((starter) => {
  const fitting = presets.filter((preset) => preset.starter === starter.name)
  return [undefined, ...fitting].map((preset) => ({ starter, preset, name: starter.name }))
})
const keyed = cases.filter(({ preset }) => preset === undefined)
const delivered = cases.flatMap(({ preset, ...one }) => (preset ? [{ ...one, preset }] : []))

async function prepared(starter: Starter, preset?: WebhookPreset) {
  const expected = await expectedOf(starter)
  await haveProducts(...expected.items.map(({ sku_code }: Json) => sku_code))
  const { mapping, number } = withPrefix(starter, expected)
  const connected = await connect(starter, mapping, preset)
  return {
    ...connected,
    states: STATES[starter.name] ?? expect.fail('no states'),
    document: starter.document as Json,
    own: `/orders/${encodeURIComponent(expected.external_order_id)}/`,
    /** Null if there is no such order. */
    status: async (): Promise<string | null> => {
      const answer = await admin.get(`/orders/${encodeURIComponent(number)}/`)
      return answer.status === 404 ? null : answer.body.data.status
    },
  }
}

/** How an order of the system may end, each with one edit that says so. */
function endsOf({ name }: Starter): [how: 'cancelled' | 'shipped', edit: Edit][] {
  const { cancelled = [], shipped = [] } = STATES[name] ?? {}
  return [
    ...cancelled.slice(0, 1).map((edit) => ['cancelled', edit] as ['cancelled', Edit]),
    ...shipped.slice(0, 1).map((edit) => ['shipped', edit] as ['shipped', Edit]),
  ]
}

describe('a partner with a key', () => {
  it.each(sample(keyed, 4))('of $name creates only what is taken', async ({ starter }) => {
    const { post, put, states, own, document, status } = await prepared(starter)
    const { cancelled = [], shipped = [], refused, refusedByPost = [] } = states
    for (const edit of [...cancelled, ...shipped, ...refused, ...refusedByPost]) {
      expect({
        edit,
        isRefused: isRefused(await post('/orders/', edited(document, edit))),
      }).toEqual({ edit, isRefused: true })
    }
    expect(await status()).toBe(null)
    expect(isCreated(await post('/orders/', document))).toBe(true)
    expect((await put(own, document)).body.data?.status).toBe('pending')
    for (const edit of refused) {
      const answer = await put(own, edited(document, edit))
      expect({ edit, isRefused: [400, 422].includes(answer.status) }).toEqual({
        edit,
        isRefused: true,
      })
    }
    expect(await status()).toBe('pending')
  })

  it.each(sample(keyed, 4))('of $name ends its order by PUT', async ({ starter }) => {
    for (const [how, edit] of endsOf(starter)) {
      const { post, put, own, document, status } = await prepared(starter)
      expect(isCreated(await post('/orders/', document))).toBe(true)
      expect((await put(own, edited(document, edit))).body.data?.status).toBe(how)
      expect(await status()).toBe(how)
    }
  })
})

/** Where the documents of these starters may have several orders, and what makes another one of the first. */
const LISTS: [name: string, place: string, own: object][] = [
  ['brightpearl-orders', 'response', { id: 2 }],
  ['ebay-orders', 'orders', { orderId: 'L-2' }],
  ['etsy-receipts', 'results', { receipt_id: 2 }],
  ['lightspeed-orders', 'order', { id: 2, number: 'L-2' }],
  ['shipstation-orders', 'orders', { orderId: 2, orderNumber: 'L-2' }],
  ['shopware-order', 'data', { id: 'L-2', orderNumber: 'L-2' }],
  ['walmart-orders', 'list.elements.order', { purchaseOrderId: 'L-2' }],
  ['zoho-inventory-salesorders', 'salesorder', { salesorder_id: '2', salesorder_number: 'L-2' }],
]

/** Of a list, or the one that stands in its place. */
const firstAt = (place: string, document: Json): Json =>
  [place.split('.').reduce((inner, name) => inner[name], document)].flat()[0]

describe('a list of orders', () => {
  it.each(sample(LISTS, 3))('of %s creates each but a cancelled one', async (name, place, own) => {
    const starter = starters.find((one) => one.name === name) ?? expect.fail(name)
    const { post, document, states } = await prepared(starter)
    const [cancel = {}] = states.cancelled ?? []
    const cancelled = { ...firstAt(place, edited(document, cancel)), ...own }
    const orders = [cancelled, firstAt(place, document)]
    const { body } = await post('/orders/', edited(document, { [place]: orders }))
    expect(body.data).toMatchObject({ total: 2, created: 1, failed: 1 })
    expect(body.data.results.map((one: Json) => one.status)).toEqual(['failed', 'created'])
  })
})

describe('a webhook', () => {
  it.each(sample(delivered, 3))('of $preset.name takes only what is to be picked', async (one) => {
    const { deliver, states, document, status } = await prepared(one.starter, one.preset)
    const { cancelled = [], shipped = [], refused } = states
    for (const edit of [...cancelled, ...refused, ...shipped]) {
      const { outcome } = (await deliver(edited(document, edit))).body.data
      expect({ edit, outcome }).toEqual({ edit, outcome: 'skipped' })
    }
    expect(await status()).toBe(null)
    expect((await deliver(document)).body.data.outcome).toBe('created')
    for (const edit of refused) {
      const { outcome } = (await deliver(edited(document, edit))).body.data
      expect({ edit, outcome }).toEqual({ edit, outcome: 'skipped' })
    }
    expect(await status()).toBe('pending')
  })

  it.each(sample(delivered, 3))('of $preset.name ends its order', async ({ starter, preset }) => {
    for (const [how, edit] of endsOf(starter)) {
      const { deliver, document, status } = await prepared(starter, preset)
      expect((await deliver(document)).body.data.outcome).toBe('created')
      await deliver(edited(document, edit))
      expect(await status()).toBe(how)
    }
  })
})

/** What the notes of these starters say of webhooks, since their systems only know POST. */
const CANCEL_IF = {
  'cxml-order-request': "@.cXML.Request.OrderRequest.OrderRequestHeader['@type'] == 'delete'",
  'ubl-order-xml': "@['oc:OrderCancellation']",
}

describe('a webhook that takes XML', () => {
  it.each(Object.entries(CANCEL_IF))('of %s cancels by its cancel_if', async (name, cancel_if) => {
    const starter = starters.find((one) => one.name === name) ?? expect.fail(name)
    const { notes, document } = starter
    expect(notes.join(' ')).toContain(cancel_if)
    const expected = await expectedOf(starter)
    await haveProducts(...expected.items.map(({ sku_code }: Json) => sku_code))
    const { mapping, number } = withPrefix(starter, expected)
    const rules = {
      ...{ event: null, actions: { '*': 'upsert' }, delivery_id: null },
      ...{ take_if: null, cancel_if, changed_at: null },
    }
    const { deliver } = await openWebhook({ mappings: { orders: mapping }, rules })
    const outcomeOf = async (text: Json) =>
      (await deliver(text, { event: null, ...sentAs(starter) })).body.data.outcome
    const [edit = {}] = STATES[name]?.cancelled ?? []
    expect(await outcomeOf(document)).toBe('created')
    expect(await outcomeOf(edited(document, edit))).toBe('cancelled')
    const order = await admin.get(`/orders/${encodeURIComponent(number)}/`)
    expect(order.body.data.status).toBe('cancelled')
  })
})
