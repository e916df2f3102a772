import { env } from 'cloudflare:workers'
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { listPresets } from '../../src/settings/webhook-presets/presets.ts'
import type { Fields } from '../fixtures/forms.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { openDashboard } from '../fixtures/session.ts'
import { allRows, oneValue } from '../fixtures/sql.ts'
import { unique } from '../fixtures/tenant.ts'
import { CONNECT, connect, deliverWoo, hiddenIn, wooOrder, wordsOf } from './connections.ts'

const SETTINGS = '/api/settings/v1'
const presets = await listPresets(env)
const VERIFICATION = 'rules.verification.'

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString()

/** What only the user knows. */
const FILLED: Record<string, Fields> = {
  basic: { [`${VERIFICATION}username`]: 'shop' },
  public_key: { [`${VERIFICATION}keys`]: PEM },
  'square-orders': { [`${VERIFICATION}origin`]: 'https://api.example.com' },
}

const webhookAt = async (id: string) => (await admin.get(`${SETTINGS}/webhooks/${id}/`)).body.data

describe('POST /dashboard/connect/:preset/', () => {
  it.each(presets)('connects $name', async (preset) => {
    const { name, rules, secret, starter, steps } = preset
    const { kind } = rules.verification
    const fields = { ...FILLED[kind], ...FILLED[name] }
    const made = await connect(dashboard, name, fields)
    expect(made.answer.status).toBe(201)
    const webhook = await webhookAt(made.id)
    expect(webhook.rules).toMatchObject({ ...rules, verification: rules.verification })
    expect(webhook.needs_secret).toBe(secret !== null && !secret.chosen_here)
    expect(made.secret !== '').toBe(secret?.chosen_here ?? false)
    const mapping = `${SETTINGS}/partners/${webhook.partner_id}/mappings/${rules.resource}/`
    expect((await admin.get(mapping)).status).toBe(starter === null ? 404 : 200)
    const words = wordsOf(made.answer)
    for (const step of steps) {
      expect(words).toContain(step.replace('{address}', 'the address above').replace(/\s+/g, ' '))
    }
  })

  it('takes a public key as JWK too', async () => {
    const jwk = JSON.stringify(publicKey.export({ format: 'jwk' }))
    const { answer, id } = await connect(dashboard, 'saleor-orders', {
      [`${VERIFICATION}keys`]: jwk,
    })
    expect(answer.status).toBe(201)
    expect((await webhookAt(id)).rules.verification.keys).toHaveLength(1)
  })

  it('takes two public keys, one below the other', async () => {
    const { id } = await connect(dashboard, 'saleor-orders', {
      [`${VERIFICATION}keys`]: `${PEM}\r\n${PEM}`,
    })
    expect((await webhookAt(id)).rules.verification.keys).toHaveLength(2)
  })

  it.each([
    ['saleor-orders', 'keys', ''],
    ['saleor-orders', 'keys', '{"kty":'],
    ['saleor-orders', 'keys', '{"kty":"RSA"}'],
    ['basic', 'username', ''],
    ['square-orders', 'origin', 'http://localhost'],
    ['hmac', 'header', 'no header'],
    ['hmac', 'algorithm', 'md5'],
  ])('tells in the form of %s what is wrong with %s %j', async (preset, member, value) => {
    const field = `${VERIFICATION}${member}`
    const { answer } = await connect(dashboard, preset, { ...FILLED[preset], [field]: value })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(`id="${field}-error"`)
  })

  it('sets for any sender what it delivers and how it proves who it is', async () => {
    const { id } = await connect(dashboard, 'token', {
      'rules.resource': 'inventory',
      [`${VERIFICATION}header`]: 'X-Shop-Token',
      [`${VERIFICATION}prefix`]: '',
    })
    const webhook = await webhookAt(id)
    expect(webhook.rules).toMatchObject({ resource: 'inventory', actions: { '*': 'upload' } })
    expect(webhook.rules.verification).toEqual({ kind: 'token', header: 'X-Shop-Token' })
  })

  it('keeps the space after Bearer', async () => {
    const { id } = await connect(dashboard, 'token')
    expect((await webhookAt(id)).rules.verification.prefix).toBe('Bearer ')
  })
})

describe('GET /dashboard/connect/:preset/', () => {
  it.each(presets)('says of $name what arrives, and what does not', async ({ name, about }) => {
    expect(wordsOf(await dashboard.get(`${CONNECT}${name}/`))).toContain(about)
  })
})

/** The presets with an example that can be signed here. */
const testable = (await listPresets(env)).filter(
  ({ test_document, rules }) => test_document !== null && rules.verification.kind !== 'public_key',
)

/** Changes rules of the mapping that was made. */
async function mapTo({ id }: { id: string }, fields: object) {
  const { partner_id } = (await admin.get(`/api/settings/v1/webhooks/${id}/`)).body.data
  const path = `/api/settings/v1/partners/${partner_id}/mappings/orders/`
  const { inbound } = (await admin.get(path)).body.data
  await admin.put(path, { inbound: { ...inbound, fields: { ...inbound.fields, ...fields } } })
}

async function rowsOf(table: string) {
  return await oneValue<number>(`select count(*) as n from ${table}`)
}

describe('POST /dashboard/connect/:preset/:id/test/', () => {
  it.each(testable)('delivers the example of $name, which passes the check', async (preset) => {
    const made = await connect(dashboard, preset.name)
    const secret = unique('secret')
    if (!preset.secret?.chosen_here) {
      await dashboard.post(`${made.at}secret/`, { ...made.carried, secret })
    }
    const tested = await dashboard.post(`${made.at}test/`, made.carried)
    expect(tested.status).toBe(200)
    const words = wordsOf(tested)
    expect(words).toContain('Nothing was written.')
    expect(words).toMatch(/It would (be created|wait|be updated)|The stock would be set/)
    expect(hiddenIn(tested, 'address')).toBe(made.address)
  })

  it('says at which place the example names an unknown product, and writes nothing', async () => {
    const made = await connect(dashboard, 'woocommerce-orders', { prefix: unique('P') })
    await mapTo(made, { 'items[].sku_code': { from: 'line_items[].id', as: 'string' } })
    const before = [await rowsOf('orders'), await rowsOf('waiting_deliveries')]
    const words = wordsOf(await dashboard.post(`${made.at}test/`, made.carried))
    expect(words).toContain('It would wait here until this is mended')
    expect(words).toMatch(/line_items\[0\]\.id No product has the SKU "\d+"/)
    expect(words).toContain('The products of the example are invented')
    expect([await rowsOf('orders'), await rowsOf('waiting_deliveries')]).toEqual(before)
  })

  it('says what would be created where the products are here, and creates nothing', async () => {
    const prefix = unique('P')
    for (const sku of ['SCHALE-BL-G', '645']) await admin.post('/products/', { sku })
    const made = await connect(dashboard, 'woocommerce-orders', { prefix })
    const words = wordsOf(await dashboard.post(`${made.at}test/`, made.carried))
    expect(words).toContain(`It would be created: ${prefix}30418.`)
    expect((await admin.get(`/orders/${prefix}30418/`)).status).toBe(404)
  })

  it('is a dry run of the webhook in the log, which its page does not count as arrived', async () => {
    const made = await connect(dashboard)
    const tested = await dashboard.post(`${made.at}test/`, made.carried)
    await expect
      .poll(async () => {
        const sql = 'select path, dry_run, outcome from audit_log where api_key_id = ?'
        return await allRows(sql, made.id)
      })
      .toEqual([
        { path: '/webhooks/v1/…', dry_run: 1, outcome: expect.stringMatching(/waiting|created/) },
      ])
    expect(wordsOf(tested)).toContain('Nothing yet.')
    expect(wordsOf(await dashboard.get(made.at))).toContain('Nothing yet.')
  })

  it('says of a webhook without a secret that it has to be entered first', async () => {
    const made = await connect(dashboard, 'shopify-orders')
    const words = wordsOf(await dashboard.post(`${made.at}test/`, made.carried))
    expect(words).toContain('The webhook has no secret yet: enter it first')
  })

  it('uses the secret that is stored, and not the one that was shown', async () => {
    const made = await connect(dashboard)
    await admin.put(`/api/settings/v1/webhooks/${made.id}/secret/`, { secret: unique('other') })
    const tested = await dashboard.post(`${made.at}test/`, made.carried)
    expect(wordsOf(tested)).toContain('It would')
    expect(hiddenIn(tested, 'shown_secret')).toBe('')
    expect(hiddenIn(tested, 'address')).toBe(made.address)
  })

  it('says what is wrong with the mapping', async () => {
    const made = await connect(dashboard)
    await mapTo(made, { customer_name: { from: 'nowhere', required: true } })
    const words = wordsOf(await dashboard.post(`${made.at}test/`, made.carried))
    expect(words).toContain('nowhere Is missing, and the mapping requires it.')
  })

  it.each(['saleor-orders', 'hmac'])('says plainly of %s that there is no test', async (preset) => {
    const keys = preset === 'hmac' ? {} : { 'rules.verification.keys': PEM }
    const made = await connect(dashboard, preset, keys)
    const words = wordsOf(made.answer)
    expect(words).toMatch(/Only the other system can sign|There is no example document/)
    expect(made.answer.text).not.toContain(`${made.at}test/`)
    const forced = wordsOf(await dashboard.post(`${made.at}test/`, made.carried))
    expect(forced).toMatch(/Only the other system can sign|There is no example document/)
  })

  it('is 404 for a webhook that is none', async () => {
    const at = `${CONNECT}woocommerce-orders/nobody/`
    expect((await dashboard.post(`${at}test/`, { address: '', shown_secret: '' })).status).toBe(404)
  })
})

describe('POST /dashboard/connect/:preset/:id/undo/', () => {
  it('removes webhook, partner and mapping, with a change of each in the history', async () => {
    const name = unique('shop')
    const { at, id, address, secret } = await connect(dashboard, undefined, { name })
    const { partner_id } = await webhookAt(id)
    expect(wordsOf(await dashboard.get(`${at}undo/`))).toContain(
      'the partner, its mapping, the webhook',
    )
    const undone = await dashboard.post(`${at}undo/`)
    expect(undone.status).toBe(303)
    expect(undone.headers.get('Location')).toBe(`${CONNECT}?done=connection-undone`)
    expect((await webhookAt(id)).status).toBe('revoked')
    expect((await admin.get(`${SETTINGS}/partners/${partner_id}/`)).status).toBe(404)
    expect((await deliverWoo(address, secret, await wooOrder())).status).toBe(404)
    const results = await allRows(
      `select kind, action, source from settings_history where request_id = ? order by seq`,
      undone.headers.get('X-Request-Id'),
    )
    expect(results).toEqual([
      { kind: 'mapping', action: 'deleted', source: 'dashboard' },
      { kind: 'api_key', action: 'changed', source: 'dashboard' },
      { kind: 'partner', action: 'changed', source: 'dashboard' },
    ])
    expect((await connect(dashboard, undefined, { name })).answer.status).toBe(201)
  })

  it('keeps a partner and a mapping that were there before', async () => {
    const partner = (await admin.post(`${SETTINGS}/partners/`, { name: unique('p') })).body.data
    const path = `${SETTINGS}/partners/${partner.id}/mappings/orders/`
    await admin.put(path, { inbound: { fields: { order_number: 'own' } } })
    const { at, id } = await connect(dashboard, undefined, { name: '', partner_id: partner.id })
    expect(wordsOf(await dashboard.get(`${at}undo/`))).toContain('what was made: the webhook.')
    expect((await dashboard.post(`${at}undo/`)).status).toBe(303)
    expect((await webhookAt(id)).status).toBe('revoked')
    expect((await admin.get(path)).status).toBe(200)
  })

  it('removes a mapping that was made for a partner that was there', async () => {
    const partner = (await admin.post(`${SETTINGS}/partners/`, { name: unique('p') })).body.data
    const { at } = await connect(dashboard, undefined, { name: '', partner_id: partner.id })
    const path = `${SETTINGS}/partners/${partner.id}/mappings/orders/`
    expect((await admin.get(path)).status).toBe(200)
    expect((await dashboard.post(`${at}undo/`)).status).toBe(303)
    expect((await admin.get(path)).status).toBe(404)
    expect((await admin.get(`${SETTINGS}/partners/${partner.id}/`)).status).toBe(200)
  })

  it('is refused after the first delivery, also of one that waits, and says so before', async () => {
    const { at, id, address, secret } = await connect(dashboard, undefined, { prefix: unique('P') })
    const order = await wooOrder({ line_items: [lineOf(unique('S'))] })
    expect((await deliverWoo(address, secret, order)).body.data.outcome).toBe('waiting')
    expect((await dashboard.get(at)).text).not.toContain(`${at}undo/`)
    expect(wordsOf(await dashboard.get(`${at}undo/`))).toContain('can no longer be undone')
    const refused = await dashboard.post(`${at}undo/`)
    expect(refused.status).toBe(409)
    expect(wordsOf(refused)).toContain('A delivery has arrived')
    expect((await webhookAt(id)).status).toBe('active')
  })

  it('is refused after a delivery that was applied', async () => {
    const { at, address, secret } = await connect(dashboard, undefined, { prefix: unique('P') })
    const sku = unique('S')
    await admin.post('/products/', { sku })
    const order = await wooOrder({ line_items: [lineOf(sku)] })
    expect((await deliverWoo(address, secret, order)).body.data.outcome).toBe('created')
    expect((await dashboard.post(`${at}undo/`)).status).toBe(409)
  })

  it('is possible after a delivery with a wrong signature, and after a test', async () => {
    const { at, id, address, carried } = await connect(dashboard)
    expect((await deliverWoo(address, 'wrong', await wooOrder())).status).toBe(401)
    await dashboard.post(`${at}test/`, carried)
    const logged = () => oneValue('select count(*) as n from audit_log where api_key_id = ?', id)
    await expect.poll(logged).toBe(2)
    expect((await dashboard.post(`${at}undo/`)).status).toBe(303)
  })

  it('loses against a delivery that comes between the question and the answer', async () => {
    const { at, id, address, secret } = await connect(dashboard, undefined, { prefix: unique('P') })
    const [, version = ''] =
      /name="version" value="(\d+)"/.exec((await dashboard.get(`${at}undo/`)).text) ?? []
    await deliverWoo(address, secret, await wooOrder())
    const late = await dashboard.post(`${at}undo/`, { confirmed: 'true', version })
    expect(late.status).toBe(409)
    expect((await webhookAt(id)).status).toBe('active')
  })

  it('and a delivery at the same time: either the order is kept or there is no webhook', async () => {
    const { at, id, address, secret } = await connect(dashboard, undefined, { prefix: unique('P') })
    const [undone, delivered] = await Promise.all([
      dashboard.post(`${at}undo/`),
      deliverWoo(address, secret, await wooOrder()),
    ])
    const isUndone = undone.status === 303
    expect(delivered.status).toBe(isUndone ? 404 : 200)
    expect((await webhookAt(id)).status).toBe(isUndone ? 'revoked' : 'active')
  })

  it('is refused once another key is linked to the partner that it made', async () => {
    const { at, id } = await connect(dashboard)
    const { partner_id } = await webhookAt(id)
    await admin.post(`${SETTINGS}/api-keys/`, { name: unique('key'), partner_id })
    const refused = await dashboard.post(`${at}undo/`)
    expect(refused.status).toBe(409)
    expect(wordsOf(refused)).toContain('Another key or webhook is linked to the partner')
    expect((await webhookAt(id)).status).toBe('active')
  })

  it('is refused the second time', async () => {
    const { at } = await connect(dashboard)
    expect((await dashboard.post(`${at}undo/`)).status).toBe(303)
    const again = await dashboard.post(`${at}undo/`)
    expect(again.status).toBe(409)
    expect(wordsOf(again)).toContain('there is nothing to undo')
  })

  it('is refused of another version', async () => {
    const { at, id } = await connect(dashboard)
    await admin.put(`${SETTINGS}/webhooks/${id}/`, { name: unique('renamed') })
    expect((await dashboard.post(`${at}undo/`, { confirmed: 'true', version: '1' })).status).toBe(
      412,
    )
  })
})

describe('GET /dashboard/connect/:preset/:id/arrived/', () => {
  const arrivedAt = async (at: string) => wordsOf(await dashboard.get(`${at}arrived/`))

  it('tells what has arrived, one after the other', async () => {
    const prefix = unique('P')
    const { at, address, secret } = await connect(dashboard, undefined, { prefix })
    expect(await arrivedAt(at)).toContain('Nothing yet.')
    await deliverWoo(address, 'wrong', await wooOrder())
    await expect
      .poll(() => arrivedAt(at))
      .toMatch(
        /A delivery with a wrong signature, \d+ s ago\. The signature does not match\. Compare the secret in WooCommerce/,
      )
    await deliverWoo(address, secret, await wooOrder({ status: 'pending' }))
    await expect.poll(() => arrivedAt(at)).toContain('A delivery was skipped')
    const sku = unique('S')
    await deliverWoo(address, secret, await wooOrder({ line_items: [lineOf(sku)] }))
    await expect.poll(() => arrivedAt(at)).toMatch(/A delivery waits, .*No product has the SKU/)
    await admin.post('/products/', { sku })
    const order = await wooOrder({ line_items: [lineOf(sku)] })
    await deliverWoo(address, secret, order)
    await expect
      .poll(() => arrivedAt(at))
      .toContain(`First order: created ${prefix}${order.number}`)
    await deliverWoo(address, secret, { ...order, status: 'cancelled' })
    await expect
      .poll(() => arrivedAt(at))
      .toContain(`The newest delivery: cancelled ${prefix}${order.number}`)
    expect(await arrivedAt(at)).toContain(`First order: created ${prefix}${order.number}`)
  })

  it('tells nothing to a key that may not read the log', async () => {
    const { at } = await connect(dashboard)
    const limited = await openDashboard([
      'settings.keys.*',
      'settings.partners.*',
      'integrations.*',
    ])
    expect(wordsOf(await limited.get(at))).toContain('you lack the scope settings.audit.read')
    expect((await limited.get(at)).text).not.toContain('data-arrived')
  })
})

/** A line of a WooCommerce order. */
function lineOf(sku: string) {
  return {
    id: 1,
    name: 'Bowl',
    product_id: 1,
    variation_id: 0,
    quantity: 1,
    sku,
    total: '1.00',
    price: 1,
    meta_data: [],
  }
}
