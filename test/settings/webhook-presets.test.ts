import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { findPreset, listPresets } from '../../src/settings/webhook-presets/presets.ts'
import { freshIsolate } from '../fixtures/isolate.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { addPartner } from '../fixtures/settings.ts'
import { admin, dataOf } from './examples.ts'

const PRESETS = '/api/settings/v1/webhook-presets/'
const presets = await listPresets(env)

describe('GET /webhook-presets/', () => {
  it('lists all, by name', async () => {
    const data = dataOf(await admin.get(`${PRESETS}?limit=200`), 200)
    expect(data).toEqual(presets)
    expect(data.length).toBeGreaterThan(20)
  })

  it('has pages', async () => {
    const first = await admin.get(`${PRESETS}?limit=2`)
    const next = await admin.get(`${PRESETS}?limit=2&cursor=${first.body.pagination.next_cursor}`)
    expect([...dataOf(first, 200), ...dataOf(next, 200)]).toEqual(presets.slice(0, 4))
  })

  it('is 503 where its file cannot be read', async () => {
    const isolate = await freshIsolate()
    const fetch = async () => new Response('not found', { status: 404 })
    const broken = { ...isolate, bindings: { ...env, ASSETS: { fetch } } }
    const message = 'The webhook presets cannot be read just now: try again.'
    expectRefusal(await admin.get(PRESETS, broken), 503, 'UNAVAILABLE', message)
    dataOf(await admin.get(PRESETS, isolate), 200)
  })
})

/** What the user fills in. */
const FILLED: Record<string, object> = {
  public_key: { keys: [await publicKey()] },
  basic: { username: 'shop' },
  'square-orders': { origin: 'https://api.example.com' },
}

async function publicKey() {
  const how = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  }
  const pair = await crypto.subtle.generateKey(how, true, ['sign', 'verify'])
  const { kty, n, e } = (await crypto.subtle.exportKey(
    'jwk',
    (pair as CryptoKeyPair).publicKey,
  )) as JsonWebKey
  return { kty, n, e }
}

describe('the rules of a preset', () => {
  it.each(presets)('make a webhook: $name', async ({ name, rules, secret }) => {
    const { verification } = rules
    const filled = { ...verification, ...FILLED[verification.kind], ...FILLED[name] }
    const { id } = await addPartner()
    const answer = await admin.post('/api/settings/v1/webhooks/', {
      name,
      partner_id: id,
      rules: { ...rules, verification: filled },
      secret: secret && 'c2VjcmV0',
    })
    const made = dataOf(answer, 201)
    expect([answer.body.warnings, made.needs_secret]).toEqual([undefined, false])
    expect(made.rules).toMatchObject({ ...rules, verification: filled })
  })
})

describe('GET /webhook-presets/{name}/', () => {
  it.each(presets)('gives $name', async (preset) => {
    expect(dataOf(await admin.get(`${PRESETS}${preset.name}/`), 200)).toEqual(preset)
    expect(await findPreset(env, preset.name)).toEqual(preset)
  })

  it.each(['nothing', '__proto__', 'woocommerce-order'])('knows no %s', async (name) => {
    const message = expect.stringContaining('GET /api/settings/v1/webhook-presets/ lists all')
    expectRefusal(await admin.get(`${PRESETS}${name}/`), 404, 'NOT_FOUND', message)
  })
})
