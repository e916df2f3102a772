import { env } from 'cloudflare:workers'
import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { listPresets } from '../../src/settings/webhook-presets/presets.ts'
import type { Fields } from '../fixtures/forms.ts'
import { type Dashboard, openDashboard } from '../fixtures/session.ts'
import { type Api, openAdmin } from '../fixtures/tenant.ts'
import { CONNECT, connect, wordsOf } from './connections.ts'

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

let dashboard: Dashboard
let admin: Api
beforeAll(async () => {
  dashboard = await openDashboard()
  admin = await openAdmin()
})

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
