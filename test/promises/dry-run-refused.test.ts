import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { openPartner } from '../fixtures/partner.ts'
import { type Request, rehearse, seen } from '../fixtures/rehearsing.ts'
import { addPartner, inSeconds, issueKey, KEYS, WORKSPACE } from '../fixtures/settings.ts'
import {
  type Api,
  client,
  createKey,
  type Json,
  openAdmin,
  openTenant,
  unique,
} from '../fixtures/tenant.ts'
import { createLocation, createOrder, createProduct, oneLine, path } from '../fixtures/warehouse.ts'

// A dry run is refused as the request: for the same reason, of several the same, and in the same words.

const PARTNERS = '/api/settings/v1/partners/'
const PAST = '2026-01-01T00:00:00.000Z'
const OLD_TAG = { headers: { 'If-Match': '"99.abc"' } }

type Case = [name: string, status: number, prepare: () => Promise<Request>]

async function holdsFor(api: Api, request: Request, status: number, of = db) {
  // The first request of a key lays its settings in the cache.
  await api.get('/orders/')
  const dry = await rehearse(of, api, request)
  const [method, where, body, more] = request
  const real = await api.call(method, where, body, more)
  expect(real.status).toBe(status)
  expect(seen(dry)).toEqual(seen(real))
}

const orderAt = async (status: string) => {
  const { order_number } = await createOrder(admin)
  const { status: changed } = await admin.put(path('orders', order_number), { status })
  expect(changed).toBe(200)
  return path('orders', order_number)
}
const unknownLine = () => [{ sku_code: unique('none'), quantity: 1 }]
const partnerAt = async () => `${PARTNERS}${(await addPartner()).id}/`

const RESOURCES: Case[] = [
  [
    'an order number that exists',
    400,
    async () => {
      const { order_number } = await createOrder(admin)
      return ['POST', '/orders/', { order_number, items: await oneLine(admin) }]
    },
  ],
  [
    'lines of unknown products',
    400,
    async () => {
      const items = [...(await oneLine(admin)), ...unknownLine(), ...unknownLine()]
      return ['POST', '/orders/', { order_number: unique('O'), items }]
    },
  ],
  [
    'an order number that exists, with unknown products',
    400,
    async () => {
      const { order_number } = await createOrder(admin)
      return ['POST', '/orders/', { order_number, items: unknownLine() }]
    },
  ],
  [
    'another status of a shipped order',
    400,
    async () => ['PUT', await orderAt('shipped'), { status: 'pending' }],
  ],
  [
    'the cancellation of a shipped order by PUT',
    400,
    async () => ['PUT', await orderAt('shipped'), { status: 'cancelled', notes: 'x' }],
  ],
  ['the cancellation of a shipped order', 400, async () => ['DELETE', await orderAt('shipped')]],
  [
    'another status of a cancelled order',
    400,
    async () => ['PUT', await orderAt('cancelled'), { status: 'verified' }],
  ],
  [
    'a SKU that exists',
    409,
    async () => ['POST', '/products/', { sku: (await createProduct(admin)).sku }],
  ],
  [
    'a SKU of an inactive product',
    409,
    async () => {
      const { sku } = await createProduct(admin, { is_active: false })
      return ['POST', '/products/', { sku }]
    },
  ],
  [
    'a location code that exists',
    409,
    async () => ['POST', '/locations/', { code: (await createLocation(admin)).code }],
  ],
  [
    'an old version of an order',
    412,
    async () => ['PUT', await orderAt('pending'), { notes: 'x' }, OLD_TAG],
  ],
  [
    'an old version of a shipped order',
    412,
    async () => ['DELETE', await orderAt('shipped'), undefined, OLD_TAG],
  ],
  [
    'an old version of a product',
    412,
    async () => [
      'PUT',
      path('products', (await createProduct(admin)).sku),
      { quantity: 1 },
      OLD_TAG,
    ],
  ],
  [
    'a condition that cannot be read',
    400,
    async () => ['PUT', await orderAt('pending'), {}, { headers: { 'If-Match': 'x' } }],
  ],
  ['a body with wrong fields', 400, async () => ['POST', '/products/', { quantity: 'x' }]],
  ['a body that is no JSON', 400, async () => ['POST', '/products/', '{']],
  [
    'a body of another type',
    415,
    async () => ['POST', '/products/', 'x', { headers: { 'Content-Type': 'text/plain' } }],
  ],
  [
    'a body that is too large',
    413,
    async () => ['POST', '/products/', '{}', { headers: { 'Content-Length': '99999999' } }],
  ],
  ['a path that does not exist', 404, async () => ['POST', '/nothing/']],
  ['a method that the path does not have', 405, async () => ['PUT', '/orders/', {}]],
]

const SETTINGS: Case[] = [
  [
    'a key of an unknown partner',
    400,
    async () => ['POST', KEYS, { name: 'k', partner_id: crypto.randomUUID() }],
  ],
  [
    'a key of a deleted partner',
    400,
    async () => ['POST', KEYS, { name: 'k', partner_id: (await addPartner(PAST)).id }],
  ],
  [
    'own orders without a partner',
    400,
    async () => ['POST', KEYS, { name: 'k', own_orders_only: true }],
  ],
  [
    'a key that begins to be of an unknown partner',
    400,
    async () => [
      'PUT',
      `${KEYS}${(await issueKey(admin)).id}/`,
      { partner_id: crypto.randomUUID(), own_orders_only: true },
    ],
  ],
  [
    'own orders of a key without a partner',
    400,
    async () => ['PUT', `${KEYS}${(await issueKey(admin)).id}/`, { own_orders_only: true }],
  ],
  [
    'a key with own orders that loses its partner',
    400,
    async () => {
      const { key } = await openPartner({ own_orders_only: true })
      return ['PUT', `${KEYS}${key.id}/`, { partner_id: null }]
    },
  ],
  [
    'a later expiry of a key of a deleted partner',
    400,
    async () => ['PUT', await keyOfDeleted(), { expires_at: inSeconds(60) }],
  ],
  [
    'the rotation of a key of a deleted partner',
    400,
    async () => ['POST', `${await keyOfDeleted()}rotate/`, {}],
  ],
  [
    'the rotation of a revoked key',
    400,
    async () => {
      const { id } = await issueKey(admin)
      await admin.delete(`${KEYS}${id}/`)
      return ['POST', `${KEYS}${id}/rotate/`, {}]
    },
  ],
  [
    'a scope of another release',
    400,
    async () => [
      'PUT',
      `${KEYS}${(await issueKey(admin)).id}/`,
      { scopes: ['integrations.inventorys.read'] },
    ],
  ],
  [
    'the name of another partner',
    409,
    async () => ['POST', PARTNERS, { name: (await addPartner()).name }],
  ],
  [
    'a partner that takes the name of another',
    409,
    async () => ['PUT', await partnerAt(), { name: (await addPartner()).name }],
  ],
  [
    'the deletion of a partner with a live key',
    409,
    async () => ['DELETE', `${PARTNERS}${(await openPartner()).id}/`],
  ],
  [
    'a mapping of a deleted partner',
    404,
    async () => ['PUT', `${PARTNERS}${(await addPartner(PAST)).id}/mappings/orders/`, {}],
  ],
  [
    'a mapping that is none',
    400,
    async () => ['PUT', `${await partnerAt()}mappings/orders/`, { inbound: { fields: { x: 1 } } }],
  ],
  [
    'the deletion of a mapping that is not there',
    404,
    async () => ['DELETE', `${await partnerAt()}mappings/orders/`],
  ],
  ['a workspace without a name', 400, async () => ['PUT', WORKSPACE, { name: '' }]],
]

/** The path of a live key whose partner was deleted since, which no endpoint leaves. */
async function keyOfDeleted(): Promise<string> {
  const { id, key } = await openPartner()
  await db.prepare('update partners set deleted_at = ? where id = ?').bind(PAST, id).run()
  return `${KEYS}${key.id}/`
}

const db = await openTenant()
const admin = await openAdmin()

describe.each(sample([...RESOURCES, ...SETTINGS], 8))('%s', (_, status, prepare) => {
  it('is refused in a dry run as well, and in the same words', async () => {
    await holdsFor(admin, await prepare(), status)
  })
})

describe('the last key with settings access', () => {
  const CHANGES: [string, (key: string) => Request][] = [
    ['revoked', (at) => ['DELETE', at]],
    ['made to expire', (at) => ['PUT', at, { expires_at: inSeconds(60) }]],
    ['without the scope', (at) => ['PUT', at, { scopes: ['integrations.*'] }]],
    [
      'without the scope, and of an unknown partner',
      (at) => ['PUT', at, { scopes: ['integrations.*'], partner_id: crypto.randomUUID() }],
    ],
  ]

  it.each(CHANGES)('is not to be %s in a dry run either', async (_, change) => {
    const other = await openTenant('other')
    const { id, value } = await createKey(['settings.*', 'integrations.*'], { tenant: 'other' })
    const revoke = 'update api_keys set revoked_at = ? where id <> ? and revoked_at is null'
    await other.prepare(revoke).bind(PAST, id).run()
    await holdsFor(client(value), change(`${KEYS}${id}/`), 400, other)
  })
})

describe('a key without the scope', () => {
  it('may not rehearse what it may not do', async () => {
    const reader = client((await createKey(['integrations.*.read', 'settings.read'])).value)
    const requests: Request[] = [
      ['POST', '/orders/', {}],
      ['DELETE', path('products', (await createProduct(admin)).sku)],
      ['PUT', WORKSPACE, { name: 'x' }],
      ['POST', KEYS, { name: 'x' }],
    ]
    for (const request of requests) await holdsFor(reader, request, 403)
  })

  it('may not rehearse to grant more than it has', async () => {
    const granting = client((await createKey(['settings.keys.write'])).value)
    const body: Json = { name: 'x', scopes: ['settings.*'] }
    await holdsFor(granting, ['POST', KEYS, body], 403)
    const { id } = await issueKey(admin, { scopes: ['settings.*'] })
    await holdsFor(granting, ['POST', `${KEYS}${id}/rotate/`, {}], 403)
    await holdsFor(granting, ['PUT', `${KEYS}${id}/`, { rate_limit: 5 }], 403)
  })
})
