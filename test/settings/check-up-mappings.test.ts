import { beforeAll, describe, expect, it } from 'vitest'
import { openPartner } from '../fixtures/partner.ts'
import { openDashboard } from '../fixtures/session.ts'
import { client, type Json, openTenant } from '../fixtures/tenant.ts'

const PARTNERS = '/api/settings/v1/partners/'
const KEYS = '/api/settings/v1/api-keys/'
const SAVED_AT = '2025-05-01T00:00:00.000Z'

const MELTING = {
  unmapped: 'drop',
  fields: {
    order_number: '$[0].order',
    'items[].sku_code': '$[].sku',
    'items[].quantity': '$[].qty',
  },
}

type Partner = Awaited<ReturnType<typeof openPartner>>
type Saved = { identifier_field?: string; inbound?: object; outbound?: object }

let db: D1Database
beforeAll(async () => {
  db = await openTenant()
})

/** As a release has saved it that did not refuse it yet. */
async function saveBefore({ id }: Partner, resource: string, saved: Saved): Promise<void> {
  const { identifier_field = null, inbound = null, outbound = null } = saved
  const texts = [inbound, outbound].map((rules) => rules && JSON.stringify(rules))
  await db
    .prepare(
      `insert into field_mappings (partner_id, resource, identifier_field, inbound, outbound, updated_at)
       values (?, ?, ?, ?, ?, ?)`,
    )
    .bind(id, resource, identifier_field, ...texts, SAVED_AT)
    .run()
}

async function found({ admin, id }: Partner): Promise<Json[]> {
  const { status, body } = await admin.get(`${PARTNERS}${id}/check-up/`)
  expect(status).toBe(200)
  return body.data.filter(({ kind }: Json) => kind === 'mapping_refused')
}

async function refusalOf({ admin, id }: Partner, resource: string, saved: Saved): Promise<Json> {
  const { status, body } = await admin.put(`${PARTNERS}${id}/mappings/${resource}/`, saved)
  expect(status).toBe(400)
  return body.error.fields
}

describe('GET /partners/{id}/check-up/ about mappings that would be refused now', () => {
  it('finds one that makes one order of rows of several, with what saving it would say', async () => {
    const partner = await openPartner()
    await saveBefore(partner, 'orders', { inbound: MELTING })
    const refusal = await refusalOf(partner, 'orders', { inbound: MELTING })
    const field = 'inbound.fields.order_number'
    expect(Object.keys(refusal)).toEqual([field])
    expect(await found(partner)).toEqual([
      {
        kind: 'mapping_refused',
        since: SAVED_AT,
        count: 1,
        requests: [],
        message: `The inbound mapping of orders would be refused if it were saved now. "${field}": ${refusal[field][0]}`,
        remedy: expect.stringContaining('works as it was saved'),
      },
    ])
  })

  it('counts the places of each direction, and names the first', async () => {
    const partner = await openPartner()
    const inbound = { unmapped: 'drop', fields: { sku: '/sku', name: '/name' } }
    const outbound = { unmapped: 'drop', fields: { code: 'no_field_of_ours' } }
    await saveBefore(partner, 'products', { identifier_field: 'no', inbound, outbound })
    await saveBefore(partner, 'locations', { inbound: { unmapped: 'keep', fields: {} } })
    const told = (await found(partner)).map(({ count, message }) => [
      count,
      message.split(': ')[0] ?? '',
    ])
    const refused = 'would be refused if it were saved now'
    expect(told).toEqual([
      [1, `The mapping of products ${refused}. "identifier_field"`],
      [2, `The inbound mapping of products ${refused}, at 2 places. "inbound.fields.sku"`],
      [1, `The outbound mapping of products ${refused}. "outbound.fields.code"`],
    ])
  })

  it('finds nothing in mappings that can be saved again', async () => {
    const fields = { ...MELTING.fields, order_number: '$[].order' }
    const inbound = { records: { each: '$[]', group_by: ['$[].order'] }, fields }
    const outbound = { fields: { number: 'order_number' } }
    const partner = await openPartner({
      mappings: {
        orders: { identifier_field: 'order_number', inbound, outbound },
        inventory: { inbound: { fields: { inventory: 'rows' } } },
      },
    })
    expect(await found(partner)).toEqual([])
  })

  it('tells nothing of mappings to a key that may not read them', async () => {
    const partner = await openPartner()
    await saveBefore(partner, 'orders', { inbound: MELTING })
    const path = `${PARTNERS}${partner.id}/check-up/`
    for (const [scopes, count] of [
      [['settings.audit.read'], 0],
      [['settings.audit.read', 'settings.partners.read'], 1],
    ] as const) {
      const made = await partner.admin.post(KEYS, { name: 'reader', scopes })
      const { body } = await client(made.body.data.key).get(path)
      expect(body.data).toHaveLength(count)
    }
  })

  it('is on the page of the partner', async () => {
    const partner = await openPartner()
    await saveBefore(partner, 'orders', { inbound: MELTING })
    const dashboard = await openDashboard()
    const { text } = await dashboard.get(`/dashboard/partners/${partner.id}/`)
    expect(text).toContain('The inbound mapping of orders would be refused')
  })
})
