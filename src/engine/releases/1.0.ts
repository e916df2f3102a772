import type { EndpointChange, Release } from './release.ts'

/** A list without pages and filters. */
const LIST: EndpointChange = { takes: [], assumes: { limit: '100' }, isUnpaged: true }

const NOTES = `- The lists of products, locations and inventory have the newest active records, at most 100,
  without \`limit\`, \`cursor\` and \`pagination\`. Stock is active if its product and its location are active. If
  much of the newest stock is inactive, the list may lack older records; a warning for \`data\` says so.
- Filters of lists have no effect, and neither has \`Accept\`: lists are JSON.
- A list takes parameters that it does not know; \`warnings\` names them.
- \`GET /inventory/{location_code}/\` takes no \`by\`, and its records are \`sku_code\` and \`quantity\`.
- \`{identifier}\` of orders, products and locations is a value of the field that the partner's settings name.
  If they name none, or the key has no partner, the answer is 400 \`SERVICE_ERROR\`.
- \`MAPPING_ERROR\` is 400, and cancelling a shipped order is 500 \`SERVICE_ERROR\`.
- Stock has no history: \`GET /inventory/{code}/history/\` is 404 \`NOT_FOUND\`.
- There is no \`GET /changes/\`: it is 404 \`NOT_FOUND\`.
- \`if_quantity\` in a row of an upload has no effect; \`warnings\` names it.
- Records have no \`ETag\`. \`If-Match\` and \`If-None-Match\` have no effect; \`warnings\` names them.
- There is no dry run: a POST, PUT or DELETE with \`dry_run\` is 400 \`SERVICE_ERROR\` and changes nothing.
- \`id\`, \`order_number\`, \`sku\` and \`code\` in a PUT have no effect, whatever they are.
- \`is_active\` in a PUT of a location has no effect.
- The scope segment \`inventorys\` means \`inventory\`.`

/** Release 1.0, the first (spec 9). */
export const RELEASE_1_0: Release = {
  name: '1.0',
  notes: NOTES,
  lifecycle: {
    deprecated_at: '2026-12-01T00:00:00.000Z',
    sunset_at: '2027-12-01T00:00:00.000Z',
  },
  endpoints: {
    'GET changes/': { isMissing: true },
    'GET orders/': { takes: ['limit', 'cursor'] },
    'GET products/': LIST,
    'GET locations/': LIST,
    'GET inventory/': LIST,
    'GET inventory/:identifier/': { takes: [], shows: ['sku_code', 'quantity'] },
    'GET inventory/:identifier/history/': { isMissing: true },
    'PUT locations/:identifier/': { ignores: ['is_active'] },
  },
  statuses: { MAPPING_ERROR: 400, SHIPPED_ORDER_STAYS: 500 },
  hasPlatformIdentifiers: false,
  refusesOtherNames: false,
  hasConditions: false,
  hasDryRuns: false,
  listsActiveStock: true,
  hasExports: false,
  takesUnknownParameters: true,
  scopeNames: { 'integrations.inventorys': 'integrations.inventory' },
}
