import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { OUTCOMES } from '../../src/engine/db/tables.ts'
import { mintKey } from '../../src/engine/identity/key.ts'
import { brokenBindings } from '../fixtures/bindings.ts'
import { routesBelow } from '../fixtures/routes.ts'
import { execute } from '../fixtures/sql.ts'
import { type Json, openAdmin, send, unique } from '../fixtures/tenant.ts'
import { delivered, openWebhook, shopDocument } from '../fixtures/webhooks.ts'
import { faultsOf, operationAt, responseOf, WEBHOOK_OPERATIONS } from './document.ts'
import { documentedErrors, expectDocumented, met, PAST } from './documented.ts'

// Real answers at the addresses of webhooks, held against what the document says of them.

type Opened = Awaited<ReturnType<typeof openWebhook>>

const PATH = '/webhooks/v1/:token/'
const METHODS = ['GET', 'POST']
const TOO_MUCH = 'x'.repeat(2_000_000)

let shop: Opened
beforeEach(async () => {
  shop = await openWebhook()
})

/** The document says this of the answer, to its last field and header. */
async function expectTold(
  method: string,
  status: number,
  outcome: string,
  answer: ReturnType<typeof send>,
) {
  const told = await answer
  expectDocumented({ method, path: PATH }, told, status, WEBHOOK_OPERATIONS)
  expect(told.body.error?.code ?? told.body.data.outcome).toBe(outcome)
  return told
}

const ask = (address: string, method: string, options: object = {}) =>
  method === 'GET' ? send(new Request(address), options) : delivered(address, {}, options)

async function set(fields: string, table = 'api_keys') {
  const where = table === 'api_keys' ? ` where id = '${shop.id}'` : ''
  await execute(`update ${table} set ${fields}${where}`)
}

describe('the document', () => {
  it('has every method of an address, and no other path without a key', () => {
    const routes = routesBelow('/webhooks/').filter((route) => route.endsWith('/'))
    expect(routes).toEqual(METHODS.map((method) => `${method} ${PATH}`))
    const told = WEBHOOK_OPERATIONS.map(({ method, path }) => `${method} ${path}`)
    expect(told).toEqual(METHODS.map((method) => `${method} /webhooks/v1/{token}/`))
    for (const { operation } of WEBHOOK_OPERATIONS) expect(operation.security).toEqual([])
  })

  it('has examples that are as their schemas say', () => {
    for (const one of WEBHOOK_OPERATIONS) {
      for (const status of Object.keys(one.operation.responses)) {
        if (status === 'default') continue
        const response = responseOf(one, status).content['application/json']
        const { schema, example, examples = { example: { value: example } } } = response
        for (const { value } of Object.values<Json>(examples)) {
          expect(faultsOf(one.document, schema, value), status).toEqual([])
        }
      }
    }
  })

  it('explains each outcome that a sender may hear, and no other', () => {
    const { operation, document } = operationAt('POST', PATH, WEBHOOK_OPERATIONS)
    const heard = document.components.schemas.Delivery.properties.outcome.enum
    expect(OUTCOMES.filter((one) => !heard.includes(one))).toEqual(['superseded', 'dismissed'])
    for (const outcome of heard) expect(operation.description).toContain(`- \`${outcome}\`: `)
  })
})

describe('an error that any method may give', () => {
  it.each(METHODS)('%s', async (method) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => void vi.restoreAllMocks())
    const { address } = shop.webhook
    const unknown = address.replace(/xh_.*/, `${(await mintKey('demo', 'xh')).value}/`)
    await expectTold(method, 404, 'NOT_FOUND', ask(unknown, method))
    const plain = address.replace('https:', 'http:')
    await expectTold(method, 403, 'HTTPS_REQUIRED', ask(plain, method))
    const busy = { bindings: brokenBindings('D1 DB is overloaded') }
    await expectTold(method, 503, 'UNAVAILABLE', ask(address, method, busy))
    const broken = { bindings: brokenBindings('no such table') }
    await expectTold(method, 500, 'INTERNAL_ERROR', ask(address, method, broken))
    await set('rate_limit = 1')
    await ask(address, method)
    await expectTold(method, 429, 'RATE_LIMITED', ask(address, method))
    await set(`rate_limit = null, expires_at = '${PAST}'`)
    await expectTold(method, 401, 'KEY_EXPIRED', ask(address, method))
  })
})

describe('GET /webhooks/v1/:token/', () => {
  it('is ready, and warns of what has no effect', async () => {
    const { address } = shop.webhook
    for (const query of ['', '?more=1']) {
      const answer = await send(new Request(address + query))
      expectDocumented({ method: 'GET', path: PATH }, answer, 200, WEBHOOK_OPERATIONS)
    }
  })

  it('gives a challenge back as the document describes it', async () => {
    const { operation } = operationAt('GET', PATH, WEBHOOK_OPERATIONS)
    const { schema } = operation.parameters.find(({ name }: Json) => name === 'challenge')
    const pattern = new RegExp(schema.pattern)
    for (const challenge of ['aB3-x', '1+1=2', 'x'.repeat(200), 'x'.repeat(201), '<b>', '']) {
      const url = `${shop.webhook.address}?${new URLSearchParams({ challenge })}`
      const { text, headers } = await send(new Request(url))
      expect([challenge, text === challenge]).toEqual([challenge, pattern.test(challenge)])
      const type = pattern.test(challenge) ? 'text/plain' : 'application/json'
      expect(headers.get('Content-Type')).toMatch(new RegExp(`^${type}\\b`))
    }
  })
})

describe('POST /webhooks/v1/:token/', () => {
  const deliver = (document: unknown, sent: Parameters<Opened['deliver']>[1] = {}) =>
    shop.deliver(document, sent)

  it('tells what became of an order', async () => {
    const order = await shopDocument(shop.partner.api)
    const later = { ...order, modified: '2026-01-01T00:00:00Z' }
    await expectTold('POST', 200, 'created', deliver(order))
    await expectTold('POST', 200, 'unchanged', deliver(order))
    const updated = deliver({ ...later, note: 'x', lines: [{ sku: unique('S'), qty: 1 }] })
    expect((await expectTold('POST', 200, 'updated', updated)).body.warnings).not.toEqual([])
    await expectTold('POST', 200, 'stale', deliver(order))
    await expectTold('POST', 200, 'skipped', deliver(later, { event: 'order.seen' }))
    await expectTold('POST', 200, 'cancelled', deliver(later, { event: 'order.deleted' }))
  })

  it('tells what became of a product and of stock, and why a delivery waits', async () => {
    const rules = { verification: { kind: 'address' }, take_if: null, cancel_if: null }
    const open = { event: null, changed_at: null, delivery_id: null, actions: { '*': 'upsert' } }
    const of = async (resource: string, action: string) => {
      const actions = { '*': action }
      const mine = { ...rules, ...open, resource, actions }
      return (await openWebhook({ secret: null, mappings: {}, rules: mine })).deliver
    }
    const sku = unique('S')
    await expectTold('POST', 200, 'created', (await of('products', 'upsert'))({ sku }))
    await expectTold('POST', 200, 'deactivated', (await of('products', 'deactivate'))({ sku }))
    const upload = await of('inventory', 'upload')
    const rows = { inventory: [{ location_code: 'none', sku_code: sku, quantity: 1 }, {}] }
    await expectTold('POST', 200, 'uploaded', upload(rows))
    const order = await shopDocument(shop.partner.api, { lines: [{ sku: unique('S'), qty: 1 }] })
    const waiting = await expectTold('POST', 200, 'waiting', deliver(order))
    expect(waiting.body.data.error.source).toEqual(expect.any(Object))
    await expectTold('POST', 200, 'waiting', deliver({ ...order, number: 7, modified: 'never' }))
  })

  it('tells a ping', async () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    await expectTold('POST', 200, 'skipped', deliver('webhook_id=12', { headers: form }))
  })

  it('tells how to read what it wrote, where a key has near reads', async () => {
    const admin = await openAdmin()
    const near = { name: unique('near'), scopes: ['integrations.*'], reads: 'near' }
    const { id } = (await admin.post('/api/settings/v1/api-keys/', near)).body.data
    const told = deliver(await shopDocument(shop.partner.api))
    expect((await expectTold('POST', 200, 'created', told)).headers.has('X-Read-After')).toBe(true)
    await admin.delete(`/api/settings/v1/api-keys/${id}/`)
  })

  it('refuses what it cannot read or believe', async () => {
    await expectTold('POST', 400, 'VALIDATION_ERROR', deliver('{"a":'))
    await expectTold('POST', 401, 'SIGNATURE_INVALID', deliver({}, { secret: 'another' }))
    await expectTold('POST', 413, 'PAYLOAD_TOO_LARGE', deliver('x'.repeat(10_485_761)))
    const html = { 'Content-Type': 'text/html' }
    await expectTold('POST', 415, 'UNSUPPORTED_MEDIA_TYPE', deliver('{"a":1}', { headers: html }))
  })

  it('tells why it cannot apply what is too large to be kept', async () => {
    const order = await shopDocument(shop.partner.api, { more: TOO_MUCH })
    const lines = [{ sku: unique('S'), qty: 1 }]
    await expectTold('POST', 400, 'SERVICE_ERROR', deliver({ ...order, lines }))
    await expectTold('POST', 422, 'MAPPING_ERROR', deliver({ ...order, lines: 'none' }))
    await set('integration_enabled = 0', 'workspace')
    onTestFinished(() => set('integration_enabled = 1', 'workspace'))
    await expectTold('POST', 403, 'WORKSPACE_DISABLED', deliver(order))
  })

  it('tells of a product of the same name that another identifier names', async () => {
    const rules = { resource: 'products', verification: { kind: 'address' } }
    const { deliver: send } = await openWebhook({
      secret: null,
      mappings: { products: { identifier_field: 'custom_fields.code' } },
      rules: {
        ...rules,
        event: null,
        actions: { '*': 'upsert' },
        take_if: null,
        cancel_if: null,
        changed_at: null,
        delivery_id: null,
      },
    })
    const sku = unique('S')
    await (await openAdmin()).post('/products/', { sku })
    const product = { sku, custom_fields: { code: unique('C') }, more: TOO_MUCH }
    await expectTold('POST', 409, 'DUPLICATE', send(product))
  })
})

describe('every error that is documented', () => {
  it('has been met above', () => {
    const told = documentedErrors(WEBHOOK_OPERATIONS)
    expect(told.filter((error) => !met.has(error))).toEqual([])
  })
})
