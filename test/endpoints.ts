import type { Scope } from '../src/scopes.ts'
import type { Json } from './tenant.ts'
import { unique } from './unique.ts'

// Node imports this as well (bench/edge.ts): of modules that want workerd it has types alone.

/** Prepares what a request is about, by whole paths: a client of a test, or one over HTTP. */
export interface Preparer {
  post: (path: string, body: object) => Promise<{ body: Json }>
  put: (path: string, body: object) => Promise<unknown>
}

export interface Endpoint {
  method: string
  path: string
  scope: Scope
  area: 'integrations' | 'settings'
  body?: (api: Preparer) => Json
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
const newKey = () => ({ name: unique('key') })
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
  partners: async (api: Preparer) => {
    const partner = await api.post(`${SETTINGS}/partners/`, newPartner())
    const id = partner.body.data.id as string
    await api.put(`${SETTINGS}/partners/${id}/mappings/orders/`, newMapping())
    return id
  },
}

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

  settings('GET', '/workspace/', 'settings.read'),
  settings('PUT', '/workspace/', 'settings.write', () => ({ name: unique('Warehouse') })),

  settings('POST', '/api-keys/', 'settings.write', newKey),
  settings('GET', '/api-keys/', 'settings.read'),
  settings('GET', '/api-keys/:id/', 'settings.read'),
  settings('PUT', '/api-keys/:id/', 'settings.write', newKey),
  settings('POST', '/api-keys/:id/rotate/', 'settings.write', () => ({ overlap_seconds: 60 })),
  settings('DELETE', '/api-keys/:id/', 'settings.write'),

  settings('POST', '/partners/', 'settings.write', newPartner),
  settings('GET', '/partners/', 'settings.read'),
  settings('GET', '/partners/:id/', 'settings.read'),
  settings('PUT', '/partners/:id/', 'settings.write', newPartner),
  settings('DELETE', '/partners/:id/', 'settings.write'),

  settings('GET', '/partners/:id/mappings/', 'settings.read'),
  settings('GET', `/partners/:id/mappings/${RESOURCE}/`, 'settings.read'),
  settings('PUT', `/partners/:id/mappings/${RESOURCE}/`, 'settings.write', newMapping),
  settings('DELETE', `/partners/:id/mappings/${RESOURCE}/`, 'settings.write'),
  settings('POST', `/partners/:id/mappings/${RESOURCE}/preview/`, 'settings.write', () => ({
    payload: { header: { number: unique('O') } },
  })),

  settings('GET', '/audit-log/', 'settings.read'),
]

/** What answers without a key, beside the dashboard's sign-in. */
export const PUBLIC = [{ method: 'GET', path: '/healthz/' }]

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
  const identifier = endpoint.path.includes(':') ? await make[resource](admin) : ''
  return requestAt(endpoint, identifier, admin)
}

/** The same about a record that does not exist. */
export function strayRequestOf(endpoint: Endpoint, admin: Preparer) {
  return requestAt(endpoint, unique('unknown'), admin)
}

/** The path of a route with its parameters filled in. */
export function pathAt(path: string, identifier: string): string {
  return path.replace(RESOURCE, 'orders').replace(/:\w+/, identifier)
}

async function requestAt(
  { method, path, body }: Endpoint,
  identifier: string,
  admin: Preparer,
): Promise<[string, string, Json?]> {
  return [method, pathAt(path, identifier), await body?.(admin)]
}
