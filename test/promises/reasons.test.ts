import { describe, expect, it } from 'vitest'
import type { ErrorReason } from '../../src/engine/errors.ts'
import { openPartner } from '../fixtures/partner.ts'
import {
  type Answer,
  client,
  createKey,
  type Json,
  openAdmin,
  openTenant,
  unique,
} from '../fixtures/tenant.ts'
import { createLocation, createOrder, createProduct } from '../fixtures/warehouse.ts'

const SETTINGS = '/api/settings/v1'
const NOBODY = '00000000-0000-4000-8000-000000000000'

async function newKey(fields: object): Promise<Json> {
  const key = { name: unique('key'), scopes: ['integrations.*'], ...fields }
  return (await admin.post(`${SETTINGS}/api-keys/`, key)).body.data
}

async function shippedOrder(): Promise<string> {
  const { order_number } = await createOrder(api)
  await api.put(`/orders/${order_number}/`, { status: 'shipped' })
  return `/orders/${order_number}/`
}

/** A request that has replaced nothing and succeeded, so it can be neither undone nor sent again. */
async function idOfPost(): Promise<string> {
  const { headers } = await api.post('/products/', { sku: unique('S') })
  return headers.get('X-Request-Id') ?? ''
}

async function keyOfDeletedPartner(): Promise<string> {
  const { id, key } = await openPartner()
  const gone = (await openTenant()).prepare('update partners set deleted_at = ? where id = ?')
  await gone.bind('2026-01-01T00:00:00.000Z', id).run()
  return `${SETTINGS}/api-keys/${key.id}/`
}

// What cannot be provoked by a request or two has its reason in the test of its own.
const CASES: [reason: ErrorReason, status: number, ask: () => Promise<Answer>][] = [
  ['MALFORMED_JSON', 400, () => api.post('/products/', '{')],
  [
    'MALFORMED_BODY',
    400,
    async () => {
      const { id } = await openPartner()
      const path = `${SETTINGS}/partners/${id}/mappings/orders/preview/`
      return await admin.post(path, { payload: 'a,a', content_type: 'text/csv' })
    },
  ],
  ['NOT_AN_OBJECT', 400, () => api.post('/products/', '[]')],
  ['BODY_TOO_COMPLEX', 400, () => api.post('/products/', '['.repeat(65))],
  ['REQUEST_TOO_LONG', 400, () => api.get(`/products/?sku=${'s'.repeat(17_000)}`)],
  ['UNKNOWN_PARAMETER', 400, () => api.get('/products/?skus=S')],
  ['CONFLICTING_PARAMETERS', 400, () => api.get('/orders/?status=draft&order_number=O')],
  ['INVALID_CURSOR', 400, () => api.get('/orders/?cursor=x')],
  [
    'INVALID_CURSOR',
    400,
    async () => {
      await createLocation(api)
      await createLocation(api)
      const { body } = await api.get('/locations/?limit=1')
      return await api.get(`/products/?cursor=${body.pagination.next_cursor}`)
    },
  ],
  [
    'DUPLICATE_ORDER_NUMBER',
    400,
    async () => {
      const { order_number } = await createOrder(api)
      return await api.post('/orders/', {
        order_number,
        items: [{ sku_code: (await createProduct(api)).sku, quantity: 1 }],
      })
    },
  ],
  [
    'OTHER_RECORD',
    400,
    async () => {
      const { sku } = await createProduct(api)
      return await api.put(`/products/${sku}/`, { sku: 'another' })
    },
  ],
  [
    'UNKNOWN_SKU',
    400,
    () =>
      api.post('/orders/', {
        order_number: unique('O'),
        items: [{ sku_code: 'none', quantity: 1 }],
      }),
  ],
  ['SHIPPED_ORDER_STAYS', 400, async () => await api.delete(await shippedOrder())],
  ['ORDER_IS_FINAL', 400, async () => await api.put(await shippedOrder(), { status: 'pending' })],
  [
    'AMBIGUOUS_IDENTIFIER',
    400,
    async () => {
      const partner = await openPartner({ default_identifier_field: 'external_order_id' })
      const external_order_id = unique('E')
      await createOrder(api, { external_order_id })
      await createOrder(api, { external_order_id })
      return await partner.api.get(`/orders/${external_order_id}/`)
    },
  ],
  ['NO_IDENTIFIER_FIELD', 400, () => old.get('/orders/O/')],
  ['NO_DRY_RUN', 400, () => old.post('/products/?dry_run=true', { sku: 's' })],
  ['NOT_IN_RELEASE', 404, () => old.get('/changes/')],
  [
    'KEY_CANNOT_ROTATE',
    400,
    async () => {
      const { id } = await newKey({})
      await admin.delete(`${SETTINGS}/api-keys/${id}/`)
      return await admin.post(`${SETTINGS}/api-keys/${id}/rotate/`, {})
    },
  ],
  [
    'OWN_ORDERS_WITHOUT_PARTNER',
    400,
    () => admin.post(`${SETTINGS}/api-keys/`, { name: 'k', own_orders_only: true }),
  ],
  [
    'CANNOT_UNDO',
    400,
    async () => await admin.post(`${SETTINGS}/audit-log/${await idOfPost()}/undo/`, {}),
  ],
  [
    'CANNOT_SEND_AGAIN',
    400,
    async () => await admin.post(`${SETTINGS}/audit-log/${await idOfPost()}/send-again/`, {}),
  ],
  [
    'NO_DOCUMENT',
    404,
    async () => await admin.get(`${SETTINGS}/audit-log/${await idOfPost()}/document/`),
  ],
  [
    'PARTNER_DELETED',
    400,
    async () => {
      const expires_at = new Date(Date.now() + 60_000).toISOString()
      return await admin.put(await keyOfDeletedPartner(), { expires_at })
    },
  ],
  [
    'ALREADY_EXISTS',
    409,
    async () => {
      const { code } = await createLocation(api)
      return await api.post('/locations/', { code })
    },
  ],
  [
    'EXISTS_INACTIVE',
    409,
    async () => {
      const { sku } = await createProduct(api, { is_active: false })
      return await api.post('/products/', { sku })
    },
  ],
  ['UNKNOWN_RECORD', 404, () => api.get('/orders/none/')],
  ['UNKNOWN_RECORD', 404, () => admin.get(`${SETTINGS}/partners/${NOBODY}/`)],
  ['UNKNOWN_PATH', 404, () => api.get('/nothing/')],
  [
    'KEY_LACKS_SCOPE',
    403,
    async () =>
      await client((await createKey(['integrations.orders.read'])).value).get('/products/'),
  ],
  [
    'GRANT_EXCEEDS_KEY',
    403,
    async () => {
      const keys = client((await createKey(['settings.keys.write'])).value)
      return await keys.post(`${SETTINGS}/api-keys/`, { name: 'k', scopes: ['integrations.*'] })
    },
  ],
  [
    'KEY_IS_OF_PARTNER',
    403,
    async () => {
      const { id } = await openPartner()
      const { key } = await newKey({ partner_id: id, scopes: ['settings.documents.read'] })
      return await client(key).get(`${SETTINGS}/audit-log/${NOBODY}/document/`)
    },
  ],
  [
    'RATE_OF_KEY',
    429,
    async () => {
      const limited = client((await newKey({ rate_limit: 1 })).key)
      const answers = [
        await limited.get('/orders/'),
        await limited.get('/orders/'),
        await limited.get('/orders/'),
      ]
      return answers.at(-1) as Answer
    },
  ],
  ['BODY_TOO_LARGE', 413, () => api.post('/products/', `"${'x'.repeat(10 * 1024 * 1024)}"`)],
  ['OTHER_MEDIA_TYPE', 415, () => sent('application/xml')],
  ['COMPRESSED_BODY', 415, () => sent('application/json', { 'Content-Encoding': 'gzip' })],
]

const sent = (type: string, headers = {}) =>
  api.post('/products/', '{"sku": "s"}', { headers: { 'Content-Type': type, ...headers } })

await openTenant()
const api = client((await createKey()).value)
const admin = await openAdmin()
const old = client((await newKey({ release: '1.0' })).key)

describe('an error whose code has unlike causes', () => {
  it.each(CASES)('says which: %s', async (reason, status, ask) => {
    const answer = await ask()
    expect([answer.status, answer.body.error.reason]).toEqual([status, reason])
  })
})

describe('release 1.0', () => {
  it('has the reasons too, with its own statuses', async () => {
    const { body, status } = await client(
      (
        await newKey({
          release: '1.0',
          partner_id: (await openPartner({ default_identifier_field: 'order_number' })).id,
        })
      ).key,
    ).delete(await shippedOrder())
    expect([status, body.error.code, body.error.reason]).toEqual([
      500,
      'SERVICE_ERROR',
      'SHIPPED_ORDER_STAYS',
    ])
  })
})
