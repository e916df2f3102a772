import type { EndpointChange, Release } from './release.ts'

const LIST: EndpointChange = {
  ignores: ['limit', 'cursor'],
  assumes: { limit: '100' },
  isUnpaged: true,
}

/** Release 1.0, the first (spec 9). */
export const RELEASE_1_0: Release = {
  name: '1.0',
  lifecycle: {
    deprecated_at: '2026-12-01T00:00:00.000Z',
    sunset_at: '2027-12-01T00:00:00.000Z',
  },
  endpoints: {
    'GET products/': LIST,
    'GET locations/': LIST,
    'GET inventory/': LIST,
    'GET inventory/:identifier/': { ignores: ['by'], shows: ['sku_code', 'quantity'] },
    'PUT locations/:identifier/': { ignores: ['is_active'] },
  },
  statuses: { MAPPING_ERROR: 400, SHIPPED_ORDER_STAYS: 500 },
  hasPlatformIdentifiers: false,
  listsActiveStock: true,
  scopeNames: { 'integrations.inventorys': 'integrations.inventory' },
}
