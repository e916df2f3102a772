import type { Scope } from '../src/engine/identity/scopes.ts'
import type { Json } from './tenant.ts'
import { unique } from './unique.ts'

// Node imports this as well (bench/edge.ts): of modules that want workerd it has types alone.

/** Prepares what a request is about, by whole paths: a client of a test, or one over HTTP. */
export interface Preparer {
  post: (path: string, body: object) => Promise<{ headers: Headers; body: Json }>
  put: (path: string, body: object) => Promise<unknown>
}

export interface Endpoint {
  method: string
  path: string
  scope: Scope
  /** What a key needs besides. */
  others?: readonly string[]
  area: 'integrations' | 'settings'
  body?: (api: Preparer) => Json
  /** Query parameters that it needs. */
  query?: string
}

const API = '/api/integrations/v1'
const SETTINGS = '/api/settings/v1'
const RESOURCE = ':resource{orders|products|locations|inventory}'

const newOrder = async (api: Preparer) => ({
  order_number: unique('O'),
  items: [{ sku_code: await make.products(api), quantity: 1 }],
})
const newProduct = () => ({ sku: unique('S') })
const newLocation = () => ({ code: unique('L') })
// Of what every key holds that may make one.
const newKey = () => ({ name: unique('key'), scopes: ['settings.keys.write'] })
const newPartner = () => ({ name: unique('partner') })
const newMapping = () => ({ inbound: { fields: { order_number: 'header.number' } } })
const newStock = async (api: Preparer) => ({
  inventory: [
    { location_code: await make.locations(api), sku_code: await make.products(api), quantity: 1 },
  ],
})

const make = {
  orders: async (api: Preparer) =>
    (await api.post(`${API}/orders/`, await newOrder(api))).body.data.order_number as string,
  products: async (api: Preparer) =>
    (await api.post(`${API}/products/`, newProduct())).body.data.sku as string,
  locations: async (api: Preparer) =>
    (await api.post(`${API}/locations/`, newLocation())).body.data.code as string,
  inventory: (api: Preparer) => make.locations(api),
  'api-keys': async (api: Preparer) =>
    (await api.post(`${SETTINGS}/api-keys/`, newKey())).body.data.id as string,
  'mapping-starters': async () => 'woocommerce-order',
  // A refused request tells its id.
  'audit-log': async (api: Preparer) =>
    (await api.post(`${SETTINGS}/partners/`, {})).body.request_id as string,
  partners: async (api: Preparer) => {
    const partner = await api.post(`${SETTINGS}/partners/`, newPartner())
    const id = partner.body.data.id as string
    await api.put(`${SETTINGS}/partners/${id}/mappings/orders/`, newMapping())
    return id
  },
}

type Make = (api: Preparer) => Promise<string>

/** A refused request whose document is kept: the workspace keeps them from then on. */
async function makeDocument(api: Preparer): Promise<string> {
  const keep_documents = { of: 'errors', days: 7 }
  await api.put(`${SETTINGS}/workspace/`, { keep_documents })
  return (await api.post(`${API}/orders/`, {})).body.request_id
}

/** A location whose stock has changed. */
async function makeHistory(api: Preparer): Promise<string> {
  const { inventory } = await newStock(api)
  const [row] = inventory
  for (const quantity of [1, 2]) {
    await api.post(`${API}/inventory/`, { inventory: [{ ...row, quantity }] })
  }
  return row?.location_code ?? ''
}

/** An upload that can be undone. */
async function makeUpload(api: Preparer): Promise<string> {
  const stock = [await newStock(api), await newStock(api)]
  const inventory = stock.flatMap((upload) => upload.inventory)
  const { headers } = await api.post(`${API}/inventory/`, { inventory })
  return headers.get('X-Request-Id') ?? ''
}

/** Whoever sends a request again needs all writes of settings, and the scope of the request. */
const SENDING = ['settings.write', 'integrations.*']

/** Every endpoint there is, with the scope it needs and a body that it takes. */
export const ENDPOINTS: Endpoint[] = [
  integrations('POST', '/orders/', 'integrations.orders.write', newOrder),
  integrations('GET', '/orders/', 'integrations.orders.read'),
  integrations('GET', '/orders/:identifier/', 'integrations.orders.read'),
  integrations('PUT', '/orders/:identifier/', 'integrations.orders.write', () => ({ notes: 'x' })),
  integrations('DELETE', '/orders/:identifier/', 'integrations.orders.delete', () => ({
    reason: 'x',
  })),

  integrations('POST', '/products/', 'integrations.products.write', newProduct),
  integrations('GET', '/products/', 'integrations.products.read'),
  integrations('GET', '/products/:identifier/', 'integrations.products.read'),
  integrations('PUT', '/products/:identifier/', 'integrations.products.write', () => ({
    quantity: 9,
  })),
  integrations('DELETE', '/products/:identifier/', 'integrations.products.delete'),

  integrations('POST', '/locations/', 'integrations.locations.write', newLocation),
  integrations('GET', '/locations/', 'integrations.locations.read'),
  integrations('GET', '/locations/:identifier/', 'integrations.locations.read'),
  integrations('PUT', '/locations/:identifier/', 'integrations.locations.write', () => ({
    zone: 'x',
  })),
  integrations('DELETE', '/locations/:identifier/', 'integrations.locations.delete'),

  integrations('POST', '/inventory/', 'integrations.inventory.write', newStock),
  integrations('GET', '/inventory/', 'integrations.inventory.read'),
  integrations('GET', '/inventory/:identifier/', 'integrations.inventory.read'),
  integrations('GET', '/inventory/:identifier/history/', 'integrations.inventory.read'),

  {
    ...integrations('GET', '/changes/', 'integrations.products.read'),
    query: 'from=start&resource=products',
  },

  settings('GET', '/workspace/', 'settings.workspace.read'),
  settings('PUT', '/workspace/', 'settings.workspace.write', () => ({ name: unique('Warehouse') })),

  settings('POST', '/api-keys/', 'settings.keys.write', newKey),
  settings('GET', '/api-keys/', 'settings.keys.read'),
  settings('GET', '/api-keys/:id/', 'settings.keys.read'),
  settings('PUT', '/api-keys/:id/', 'settings.keys.write', newKey),
  settings('POST', '/api-keys/:id/rotate/', 'settings.keys.write', () => ({ overlap_seconds: 60 })),
  settings('DELETE', '/api-keys/:id/', 'settings.keys.write'),

  settings('POST', '/partners/', 'settings.partners.write', newPartner),
  settings('GET', '/partners/', 'settings.partners.read'),
  settings('GET', '/partners/:id/', 'settings.partners.read'),
  settings('PUT', '/partners/:id/', 'settings.partners.write', newPartner),
  settings('DELETE', '/partners/:id/', 'settings.partners.write'),

  settings('GET', '/partners/:id/mappings/', 'settings.partners.read'),
  settings('GET', `/partners/:id/mappings/${RESOURCE}/`, 'settings.partners.read'),
  settings('PUT', `/partners/:id/mappings/${RESOURCE}/`, 'settings.partners.write', newMapping),
  settings('DELETE', `/partners/:id/mappings/${RESOURCE}/`, 'settings.partners.write'),
  settings(
    'POST',
    `/partners/:id/mappings/${RESOURCE}/preview/`,
    'settings.partners.write',
    () => ({
      payload: { header: { number: unique('O') } },
    }),
  ),

  {
    ...settings(
      'POST',
      `/partners/:id/mappings/${RESOURCE}/replay/`,
      'settings.partners.write',
      () => ({ last: 5 }),
    ),
    others: ['settings.documents.read'],
  },

  settings('GET', '/partners/:id/check-up/', 'settings.audit.read'),
  settings('DELETE', '/partners/:id/documents/', 'settings.documents.write'),

  settings('GET', '/mapping-starters/', 'settings.partners.read'),
  settings('GET', '/mapping-starters/:name/', 'settings.partners.read'),

  settings('GET', '/audit-log/', 'settings.audit.read'),
  settings('GET', '/audit-log/:id/', 'settings.audit.read'),
  {
    ...settings('GET', '/audit-log/:id/changes/', 'settings.audit.read'),
    others: ['integrations.inventory.read'],
  },
  {
    ...settings('POST', '/audit-log/:id/undo/', 'settings.audit.read', () => ({})),
    others: ['integrations.inventory.write'],
  },
  settings('GET', '/audit-log/:id/document/', 'settings.documents.read'),
  settings('DELETE', '/audit-log/:id/document/', 'settings.documents.write'),
  {
    ...settings('POST', '/audit-log/:id/send-again/', 'settings.documents.read', () => ({})),
    others: SENDING,
  },
  {
    ...settings('POST', '/send-again/', 'settings.documents.read', async (api) => ({
      request_ids: [await makeDocument(api)],
    })),
    others: SENDING,
  },
  settings('GET', '/key-attempts/', 'settings.audit.read'),
]

/** D1 batches before the answer (P1); null where they depend on how many documents there are. */
export function roundTripsOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): number | null {
  if (/\/(?:send-again|replay)\/$/.test(path)) return null
  // Reads what to delete, deletes it in R2, and then tells the audit log.
  return method === 'DELETE' && /\/documents?\/$/.test(path) ? 2 : 1
}

/** What answers without a key, beside the dashboard's sign-in. */
export const PUBLIC = [
  { method: 'GET', path: '/healthz/', d1: 1 },
  { method: 'GET', path: `${API}/openapi.json`, d1: 0 },
  { method: 'GET', path: `${API}/openapi-1.0.json`, d1: 0 },
  { method: 'GET', path: `${SETTINGS}/openapi.json`, d1: 0 },
]

function integrations(method: string, path: string, scope: Scope, body?: Endpoint['body']) {
  return { method, path: API + path, scope, area: 'integrations' as const, ...(body && { body }) }
}

function settings(method: string, path: string, scope: Scope, body?: Endpoint['body']) {
  return { method, path: SETTINGS + path, scope, area: 'settings' as const, ...(body && { body }) }
}

/** `orders` of `/api/integrations/v1/orders/:identifier/`. */
export function resourceOf({ path }: Endpoint): string {
  return path.split('/')[4] ?? ''
}

/** The request of an endpoint at a record that exists, with a body that it takes. */
export async function requestOf(
  endpoint: Endpoint,
  admin: Preparer,
): Promise<[string, string, Json?]> {
  const resource = resourceOf(endpoint) as keyof typeof make
  return requestAt(endpoint, await identifierOf(endpoint.path, make[resource], admin), admin)
}

async function identifierOf(path: string, makeOne: Make, admin: Preparer): Promise<string> {
  if (!path.includes(':')) return ''
  if (path.endsWith('/history/')) return await makeHistory(admin)
  if (/\/:id\/(?:changes|undo)\/$/.test(path)) return await makeUpload(admin)
  const isOfDocument = /\/:id\/(?:document|send-again)\/$/.test(path)
  return await (isOfDocument ? makeDocument : makeOne)(admin)
}

/** The same about a record that does not exist. */
export function strayRequestOf(endpoint: Endpoint, admin: Preparer) {
  return requestAt(endpoint, unique('unknown'), admin)
}

/** The path of the endpoint with the query that it needs. */
export function pathWith({ path, query }: Pick<Endpoint, 'path' | 'query'>): string {
  return query === undefined ? path : `${path}?${query}`
}

/** The address with one more query parameter. */
export function asked(address: string, parameter: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}${parameter}`
}

/** The path of a route with its parameters filled in. */
export function pathAt(path: string, identifier: string): string {
  return path.replace(RESOURCE, 'orders').replace(/:\w+/, identifier)
}

async function requestAt(
  endpoint: Endpoint,
  identifier: string,
  admin: Preparer,
): Promise<[string, string, Json?]> {
  return [endpoint.method, pathAt(pathWith(endpoint), identifier), await endpoint.body?.(admin)]
}
