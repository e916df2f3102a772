import { describe, expect, it } from 'vitest'
import { ENDPOINTS, requestOf } from '../fixtures/endpoints.ts'
import { admin } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import type { Json } from '../fixtures/tenant.ts'
import { path as pathOf, stock } from '../fixtures/warehouse.ts'
import { operationAt, responseOf } from './document.ts'
import { call } from './documented.ts'

const SHAPED = "With an outbound mapping of the key's partner, records have the partner's fields"
const FIELDS = { orders: 'order_number', products: 'sku', locations: 'code', inventory: 'sku_code' }

/** A record of the answer, as a partner with a mapping of one field sees it. */
const recordIn = (data: Json) => {
  const [one = {}] = [data].flat()
  return one.record ?? one
}

const stocked = async () => pathOf('inventory', (await stock(admin)).location_code)

describe('a response that an outbound mapping changes', () => {
  it('says so, and no other does', async () => {
    const mappings = Object.fromEntries(
      Object.entries(FIELDS).map(([resource, field]) => [
        resource,
        { outbound: { fields: { named: field } } },
      ]),
    )
    const { api } = await openPartner({ mappings })
    for (const endpoint of ENDPOINTS.filter(({ area }) => area === 'integrations')) {
      const title = `${endpoint.method} ${endpoint.path}`
      const [method, path, body] = await requestOf(endpoint, admin)
      // The location of that request has no stock, so there is no record to look at.
      const at = title.endsWith('/inventory/:identifier/') ? await stocked() : path
      const answer = await call(api, [method, at, body])
      expect([title, answer.body.success]).toEqual([title, true])
      const isShaped = Object.keys(recordIn(answer.body.data)).join() === 'named'
      const { description } = responseOf(operationAt(method, endpoint.path), answer.status)
      expect([title, description.includes(SHAPED)]).toEqual([title, isShaped])
    }
  })
})
