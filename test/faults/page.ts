import { env } from 'cloudflare:workers'
import { sign } from 'hono/jwt'
import { ITEM_CODE, pathAt } from '../fixtures/endpoints.ts'
import type { Fields } from '../fixtures/forms.ts'
import { freshIsolate } from '../fixtures/isolate.ts'
import { type DashboardPage, ITEM_CODES, MAPPING, UNDO_IMPORT } from '../fixtures/pages.ts'
import {
  type Dashboard,
  newSession,
  openDashboard,
  openForm,
  withCookie,
} from '../fixtures/session.ts'
import { type Api, createKey, openAdmin, unique } from '../fixtures/tenant.ts'
import { openWebhook } from '../fixtures/webhooks.ts'
import type { Subject } from './trial.ts'

const SETTINGS = '/api/settings/v1'
const MAPPED: Fields = {
  'inbound.unmapped': 'drop',
  'inbound.target': ['order_number'],
  'inbound.kind': ['required'],
  'inbound.source': ['no'],
}

const TOKEN: Fields = { resource: 'orders', kind: 'token', header: 'X-Token' }

async function partnerOf(admin: Api): Promise<string> {
  return (await admin.post(`${SETTINGS}/partners/`, { name: unique('partner') })).body.data.id
}

/** What each form sends, by the page's path. */
const FORMS: Record<string, (admin: Api) => Fields | Promise<Fields>> = {
  '/dashboard/new/api-key/': () => ({ name: unique('key'), access: 'full' }),
  '/dashboard/api-keys/:id/': () => ({ name: unique('key'), access: 'full' }),
  '/dashboard/api-keys/:id/rotate/': () => ({ overlap_seconds: '3600' }),
  '/dashboard/new/webhook/': async (admin) => ({
    ...TOKEN,
    name: unique('webhook'),
    partner_id: await partnerOf(admin),
    secret: 'swordfish',
  }),
  '/dashboard/webhooks/:id/edit/': async (admin) => ({
    ...TOKEN,
    name: unique('webhook'),
    partner_id: await partnerOf(admin),
  }),
  '/dashboard/webhooks/:id/secret/': () => ({ secret: 'swordfish' }),
  '/dashboard/webhooks/:id/rotate/': () => ({ overlap_seconds: '3600' }),
  '/dashboard/orders/:id/edit/': () => ({ notes: unique('note') }),
  '/dashboard/products/:id/edit/': () => ({ cost: '3.20' }),
  '/dashboard/locations/:id/edit/': () => ({ zone: unique('zone') }),
  '/dashboard/inventory/adjust/': async (admin) => ({
    location_code: await recordNamed('locations', admin),
    sku_code: await recordNamed('products', admin),
    quantity: '7',
  }),
  '/dashboard/import/products/': () => ({ document: `sku\n${unique('S')}` }),
  '/dashboard/import/locations/': () => ({ document: `code\n${unique('L')}` }),
  '/dashboard/import/inventory/': async (admin) => {
    const pair = [await recordNamed('locations', admin), await recordNamed('products', admin)]
    return { document: `location_code;sku_code;quantity\n${pair.join(';')};7` }
  },
  '/dashboard/import/inventory/run/': async (admin) => {
    const pair = [await recordNamed('locations', admin), await recordNamed('products', admin)]
    return { rows: JSON.stringify([[2, ...pair, 7, null]]) }
  },
  '/dashboard/new/product/': () => ({ sku: unique('S') }),
  '/dashboard/new/location/': () => ({ code: unique('L') }),
  '/dashboard/new/person/': () => ({ name: 'Ada', email: `${unique('ada')}@example.com` }),
  '/dashboard/people/:id/': () => ({ name: unique('Ada') }),
  '/dashboard/new/partner/': () => ({ name: unique('partner') }),
  '/dashboard/partners/:id/': () => ({ name: unique('partner') }),
  [MAPPING]: () => MAPPED,
  [`${MAPPING}preview/`]: () => ({ ...MAPPED, document: '{"no": "A-1"}' }),
  [`${MAPPING}replay/`]: () => MAPPED,
  [ITEM_CODES]: () => ({ code: unique('C'), sku_code: unique('S') }),
  [`${ITEM_CODES}import/`]: () => ({ body: `code,sku_code\n${unique('C')},MUG` }),
  '/dashboard/orders/:id/cancel/': () => ({ reason: 'Sold out' }),
  '/dashboard/orders/:id/lines-seen/': () => ({ request_id: SHOWN }),
  '/dashboard/connect/:preset/': () => ({ name: unique('partner') }),
  '/dashboard/connect/:preset/:id/secret/': () => ({ secret: unique('secret') }),
  '/dashboard/workspace/': () => ({ name: unique('Warehouse') }),
  '/dashboard/workspace/integration/': () => ({ integration_enabled: 'false' }),
}

/** The request that has brought the differences of an order. */
const SHOWN = crypto.randomUUID()

/** What a page is asked. */
const QUERIES: Record<string, string> = { '/dashboard/search/': '?q=a' }

/** A page, asked by a session whose key no cache knows. */
export function pageSubject({ method, path }: DashboardPage): Subject {
  return {
    name: `${method} ${path}`,
    async prepare() {
      const admin = await openAdmin()
      const identifier = await identifierAt(path, admin)
      const address = pathAt(path, identifier) + (QUERIES[path] ?? '')
      const key = await createKey(['settings.*', 'integrations.*'])
      const filledIn = path.includes('/sign-in/') ? { key: key.value } : await FORMS[path]?.(admin)
      // Opened by another session: no cache knows this one.
      const fields = { ...(await openForm(await openDashboard(), address)), ...filledIn }
      const cookie = path.includes('/sign-in/') ? null : await sessionOf(key.id)
      // An isolate remembers the identifier fields for a search, and would make fewer calls the next time.
      const isolate = path in QUERIES ? await freshIsolate() : {}
      return (bindings) => {
        const dashboard = withCookie(cookie, { bindings, ...isolate })
        return method === 'GET' ? dashboard.get(address) : dashboard.post(address, fields)
      }
    },
  }
}

/** A delivery that waits for a person. Here a real one would get 503: the clock runs too fast. */
async function storeWaiting(): Promise<string> {
  const id = crypto.randomUUID()
  const at = new Date().toISOString()
  await env.DB_DEMO.prepare(
    `insert into waiting_deliveries (delivery_id, log_seq, api_key_id, partner_id, resource, needs, error_code, message,
      created_at, ends_at, bytes, body) values (?1, 0, 'w', 'p', 'orders', 'person', 'SERVICE_ERROR', 'x', ?2, ?2, 2, '{}')`,
  )
    .bind(id, at)
    .run()
  return id
}

/** What stands for `:id` in the page's path: that of a new record, or of a request. */
export async function identifierAt(path: string, admin: Api): Promise<string> {
  const [, , area = ''] = path.split('/')
  if (area in RECORDS) return await recordOf(area as keyof typeof RECORDS, path, admin)
  if (path.includes('/:change/')) {
    return String((await admin.get(`${SETTINGS}/history/?limit=1`)).body.data[0].id)
  }
  if (!path.includes(':id')) return ''
  if (area === 'deliveries') return await storeWaiting()
  if (path.includes('/sessions/')) return await admin.signIn()
  if (path.includes('/people/')) return await personOf(admin)
  if (path.includes('/connect/')) return await webhookOf(admin)
  if (path.includes('/undo/')) {
    const { headers } = await RECORDS.inventory(admin)
    return headers.get('X-Request-Id') ?? ''
  }
  if (path === UNDO_IMPORT) return await importedBy(await openDashboard())
  // A refused request tells its id.
  if (path.includes('/audit-log/')) {
    return (await admin.post(`${SETTINGS}/partners/`, {})).body.request_id
  }
  if (path.includes('/webhooks/')) return (await openWebhook()).id
  const kind = path.includes('/api-keys/') ? 'api-keys' : 'partners'
  const { id } = (await admin.post(`${SETTINGS}/${kind}/`, { name: unique('it') })).body.data
  if (kind === 'partners') {
    await admin.put(`${SETTINGS}/partners/${id}/mappings/orders/`, SAVED)
    const codes = `${SETTINGS}/partners/${id}/item-codes/products`
    await admin.put(`${codes}/${ITEM_CODE}/`, { sku_code: 'MUG' })
  }
  return id
}

/** The request that has checked a table, which was imported then. */
async function importedBy(dashboard: Dashboard): Promise<string> {
  const [run, check] = [crypto.randomUUID(), crypto.randomUUID()]
  const rows = JSON.stringify([[2, '', unique('S')]])
  const results = '{"created":0,"changed":0,"same":0,"failed":0,"failures":[]}'
  await dashboard.post('/dashboard/import/products/run/', { run, check, rows, results })
  return check
}

async function personOf(admin: Api): Promise<string> {
  const person = { name: 'Ada', email: `${unique('ada')}@example.com`, role: 'viewer' }
  return (await admin.post(`${SETTINGS}/people/`, person)).body.data.id
}

/** As it is connected by hand. */
async function webhookOf(admin: Api): Promise<string> {
  const partner = await admin.post(`${SETTINGS}/partners/`, { name: unique('it') })
  const verification = { kind: 'token', header: 'X-Token' }
  const rules = { resource: 'orders', verification }
  const partner_id = partner.body.data.id
  const input = { name: unique('webhook'), partner_id, rules, secret: unique('secret') }
  return (await admin.post(`${SETTINGS}/webhooks/`, input)).body.data.id
}

const RECORDS = {
  orders: async (admin: Api) => {
    const items = [{ sku_code: await recordNamed('products', admin), quantity: 2 }]
    return await admin.post('/orders/', { order_number: unique('O'), items })
  },
  products: (admin: Api) => admin.post('/products/', { sku: unique('S') }),
  locations: (admin: Api) => admin.post('/locations/', { code: unique('L') }),
  inventory: async (admin: Api) => {
    const location_code = await recordNamed('locations', admin)
    const sku_code = await recordNamed('products', admin)
    return await admin.post('/inventory/', {
      inventory: [{ location_code, sku_code, quantity: 3 }],
    })
  },
}

async function recordNamed(resource: 'products' | 'locations', admin: Api): Promise<string> {
  const { sku, code } = (await RECORDS[resource](admin)).body.data
  return sku ?? code
}

/** A list shows the record as well. */
async function recordOf(area: keyof typeof RECORDS, path: string, admin: Api): Promise<string> {
  const { id, sku, code } = (await RECORDS[area](admin)).body.data
  if (path.endsWith('/lines-seen/')) await storeDifferences(id)
  if (path.endsWith('/activate/')) await admin.delete(`/${area}/${sku ?? code}/`)
  return id ?? ''
}

async function storeDifferences(order_id: string): Promise<void> {
  await env.DB_DEMO.prepare(
    `insert into line_differences (order_id, log_seq, request_id, partner_id, sent, differences, total, noted_at)
      values (?1, 0, ?2, 'p', '[]', '[]', 1, ?3)`,
  )
    .bind(order_id, SHOWN, new Date().toISOString())
    .run()
}

const SAVED = { inbound: { fields: { order_number: 'number' } } }

/** The cookie of a session of this key. */
export async function sessionOf(key_id: string): Promise<string> {
  const secret: unknown = Reflect.get(env, 'SESSION_SECRET')
  return `crossdock_session=${await sign(await newSession(key_id), String(secret))}`
}
