import { env } from 'cloudflare:workers'
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { listPresets } from '../../src/settings/webhook-presets/presets.ts'
import type { Fields } from '../fixtures/forms.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { openTenant, unique } from '../fixtures/tenant.ts'
import { CONNECT, connect, hiddenIn, wordsOf } from './connections.ts'

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
  const db = await openTenant()
  return await db.prepare(`select count(*) as n from ${table}`).first<number>('n')
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
    const db = await openTenant()
    await expect
      .poll(async () => {
        const sql = 'select path, dry_run, outcome from audit_log where api_key_id = ?'
        return (await db.prepare(sql).bind(made.id).all()).results
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
