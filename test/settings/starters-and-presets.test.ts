import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { listStarters, type Starter } from '../../src/settings/mapping-starters/starters.ts'
import { findPreset, listPresets } from '../../src/settings/webhook-presets/presets.ts'
import { sample } from '../fixtures/depth.ts'
import { freshIsolate } from '../fixtures/isolate.ts'
import { admin } from '../fixtures/opened.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectReason, expectRefusal } from '../fixtures/refusal.ts'
import { cookieOf, submit, withCookie } from '../fixtures/session.ts'
import { addPartner } from '../fixtures/settings.ts'
import { createKey, type Json, unique } from '../fixtures/tenant.ts'
import { dataOf } from '../fixtures/warehouse.ts'
import { edited } from '../starters/edit.ts'
import { sentAs } from '../starters/sent-as.ts'
import { STATES } from '../starters/states.ts'
import { haveLocation, haveProducts, linesOf, stored } from './examples.ts'

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

const STARTERS = '/api/settings/v1/mapping-starters/'
const starters = await listStarters(env)
const resourceIs = (resource: string) => starters.filter((starter) => starter.resource === resource)

/** What the expected document of a starter is (test/starters/). */
const samples = import.meta.glob<{ default: { expected: Json } }>('../starters/*.json')

async function expectedOf({ name }: Starter): Promise<Json> {
  const load = samples[`../starters/${name}.json`] ?? expect.fail(`there is no sample ${name}`)
  return (await load()).default.expected
}

/** A key of a partner that uses the starter as it is, and sends documents of its system. */
async function connect(starter: Starter) {
  const { resource, mapping } = starter
  const { api } = await openPartner({ mappings: { [resource]: mapping } })
  const { get, post, put } = api
  return {
    get,
    post: (path: string, document: unknown) => post(path, document, sentAs(starter)),
    put: (path: string, document: unknown) => put(path, document, sentAs(starter)),
  }
}

/** The id of the order that the document creates, alone or as one of several. */
async function created(api: Awaited<ReturnType<typeof connect>>, document: unknown) {
  const answer = await api.post('/orders/', document)
  if (answer.status !== 200) return dataOf(answer, 201).id
  const [result] = answer.body.data.results
  expect(result).toMatchObject({ index: 0, status: 'created' })
  return result.id
}

describe('GET /mapping-starters/', () => {
  it('lists all, each with a mapping and a document', async () => {
    const data = dataOf(await admin.get(`${STARTERS}?limit=100`), 200)
    expect(data).toEqual(starters)
    for (const { mapping, document, content_type } of data) {
      expect(Object.keys(mapping.inbound.fields).length).toBeGreaterThan(2)
      expect(typeof document).toBe(content_type ? 'string' : 'object')
    }
  })
})

describe('GET /mapping-starters/{name}/', () => {
  it.each(sample(starters, 12))('gives $name', async (starter) => {
    expect(dataOf(await admin.get(`${STARTERS}${starter.name}/`), 200)).toEqual(starter)
  })

  it.each(['nothing', 'toString', '__proto__', '..%2Findex', 'WooCommerce-Order'])(
    'knows no %s',
    async (name) => {
      const message = expect.stringContaining('GET /api/settings/v1/mapping-starters/ lists all')
      expectRefusal(await admin.get(`${STARTERS}${name}/`), 404, 'NOT_FOUND', message)
    },
  )
})

/** An ASSETS binding that answers with this. */
const assets = (answer: () => Promise<unknown>) => ({ ...env, ASSETS: { fetch: answer } })

const UNREADABLE: [string, () => Promise<unknown>][] = [
  ['fail', () => Promise.reject(new Error('an address of ours'))],
  ['have no such file', async () => new Response('not found', { status: 404 })],
  ['have half the file', async () => new Response('[{"name":"woo')],
  ['do not answer', () => new Promise(() => {})],
]

describe('assets that cannot be read', () => {
  it.each(sample(UNREADABLE, 1))(
    'are 503 of GET /mapping-starters/ where they %s',
    async (_, answer) => {
      const message = 'The mapping starters cannot be read just now: try again.'
      const isolate = await freshIsolate()
      const broken = { ...isolate, bindings: assets(answer) }
      const refused = await admin.get(STARTERS, broken)
      expectReason(refused, 503, 'UNAVAILABLE', 'STORE_UNREACHABLE', message)
      dataOf(await admin.get(STARTERS, isolate), 200)
    },
  )

  it('leave the editor as it is, without starters', async () => {
    const { value } = await createKey(['settings.*'])
    const fail = () => Promise.reject(new Error('an address of ours'))
    const options = { ...(await freshIsolate()), bindings: assets(fail) }
    const { id } = await openPartner({})
    const signedIn = await submit('/dashboard/sign-in/', { key: value }, {}, options)
    const dashboard = withCookie(cookieOf(signedIn), options)
    const text = markupOf(await dashboard.get(`/dashboard/partners/${id}/mappings/orders/`))
    expect(text).toContain('mapping-editor')
    expect(text).not.toContain('name="start"')
  })
})

describe('a partner that connects with a starter', () => {
  it.each(sample(resourceIs('orders'), 4))('$name creates its order whole', async (starter) => {
    const expected = await expectedOf(starter)
    await haveProducts(...expected.items.map((item: Json) => item.sku_code))
    const api = await connect(starter)
    const id = await created(api, starter.document)
    const { items, ...order } = await stored(
      `/orders/${encodeURIComponent(expected.order_number)}/`,
    )
    const { items: lines, ...header } = expected
    expect(order).toMatchObject({ ...header, id })
    expect(linesOf({ items })).toEqual(lines)
  })

  const withStates = resourceIs('orders').filter(({ name }) => STATES[name]?.cancelled)

  it.each(sample(withStates, 3))('$name cancels its order by PUT', async (starter) => {
    const { document } = starter
    const [edit = {}] = STATES[starter.name]?.cancelled ?? []
    const cancelled = edited(document, edit)
    const { items, order_number, external_order_id } = await expectedOf(starter)
    await haveProducts(...items.map((item: Json) => item.sku_code))
    const api = await connect(starter)
    const own = `/orders/${encodeURIComponent(external_order_id)}/`
    const there = await api.get(own)
    if (there.status === 404) await created(api, document)
    expect(dataOf(await api.put(own, document), 200).status).toBe('pending')
    expect(dataOf(await api.put(own, cancelled), 200).status).toBe('cancelled')
    expect((await stored(`/orders/${encodeURIComponent(order_number)}/`)).status).toBe('cancelled')
  })

  it.each(sample(resourceIs('products'), 3))('$name creates its product whole', async (starter) => {
    const expected = await expectedOf(starter)
    const api = await connect(starter)
    dataOf(await api.post('/products/', starter.document), 201)
    const product = await stored(`/products/${encodeURIComponent(expected.sku)}/`)
    expect(product).toMatchObject(expected)
  })

  it.each(sample(resourceIs('inventory'), 3))('$name stores each of its rows', async (starter) => {
    const { inventory } = await expectedOf(starter)
    await haveProducts(...inventory.map((row: Json) => row.sku_code))
    for (const { location_code } of inventory) await haveLocation(location_code)
    const api = await connect(starter)
    const result = dataOf(await api.post('/inventory/', starter.document), 200)
    expect(result).toMatchObject({ total: inventory.length, failed: 0, errors: [] })
    for (const { location_code, ...row } of inventory) {
      const path = `/inventory/${encodeURIComponent(location_code)}/`
      expect(await stored(path)).toContainEqual({ location_code, ...row })
    }
  })

  it('takes the stock list of a supplier as Excel writes it', async () => {
    const starter = starters.find(({ name }) => name === 'supplier-stock-csv') ?? expect.fail()
    const { api } = await openPartner({ mappings: { inventory: starter.mapping } })
    const [sku_code, location_code] = [unique('ÖL'), unique('Süd')]
    await haveProducts(sku_code)
    await haveLocation(location_code)
    const list = `Artikel;Bezeichnung;Lager;Menge\r\n${sku_code};Öl;${location_code};1.250\r\n`
    const body = Uint8Array.from(list, (character) => character.charCodeAt(0))
    const headers = { 'Content-Type': 'text/csv; charset=windows-1252' }
    expect(starter.notes.join()).toContain(headers['Content-Type'])
    dataOf(await api.post('/inventory/', body, { headers }), 200)
    const path = `/inventory/${encodeURIComponent(location_code)}/`
    expect(await stored(path)).toMatchObject([{ location_code, sku_code, quantity: 1250 }])
  })
})
