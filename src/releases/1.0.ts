import type { EndpointChange, Release } from './release.ts'

const LIST: EndpointChange = {
  ignores: ['limit', 'cursor'],
  assumes: { limit: '100' },
  isUnpaged: true,
}

const NOTES = `- The lists of products, locations and inventory have up to 100 active records, the newest, without
  \`limit\`, \`cursor\` and \`pagination\`. Stock counts as active where its product and its location are.
- \`GET /inventory/{location_code}/\` takes no \`by\`, and its records are \`sku_code\` and \`quantity\`.
- \`{identifier}\` of orders, products and locations is what the partner's settings name. Where they name
  none, and for a key without a partner, the answer is 400 \`SERVICE_ERROR\`.
- \`MAPPING_ERROR\` is 400, and cancelling a shipped order is 500 \`SERVICE_ERROR\`.
- \`is_active\` in a PUT of a location has no effect.
- The scope segment \`inventorys\` is taken for \`inventory\`.`

/** Release 1.0, the first (spec 9). */
export const RELEASE_1_0: Release = {
  name: '1.0',
  notes: NOTES,
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
