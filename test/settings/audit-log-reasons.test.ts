import { beforeAll, describe, expect, it } from 'vitest'
import { mintKey } from '../../src/engine/identity/key.ts'
import { REQUESTS_LOOKED_MAX } from '../../src/requests/audit-log/history.ts'
import { insertRequests } from '../fixtures/audit-rows.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { everyPage, rowsRead } from '../fixtures/pages-read.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { openDashboard } from '../fixtures/session.ts'
import { AUDIT } from '../fixtures/settings.ts'
import { execute, oneValue } from '../fixtures/sql.ts'
import { type Answer, client, createKey, type Json, openAdmin, unique } from '../fixtures/tenant.ts'
import { createOrder, dataOf } from '../fixtures/warehouse.ts'
import { find } from './trail.ts'

let sku: string

beforeAll(async () => {
  sku = unique('S')
  await admin.post('/products/', { sku })
})

const RULES = {
  order_number: 'no',
  external_order_id: 'ref',
  status: { value: 'pending' },
  'items[].sku_code': 'lines[].sku',
  'items[].quantity': { from: 'lines[].qty', as: 'integer' },
}
const MAPPINGS = { orders: { identifier_field: 'external_order_id', inbound: { fields: RULES } } }

/** What the log says of the request that was answered so. */
async function rowOf({ headers }: Answer): Promise<Json> {
  return dataOf(await admin.get(`${AUDIT}${headers.get('X-Request-Id')}/`), 200)
}

const nameOf = async (answer: Promise<Answer>) => (await rowOf(await answer)).record_name

describe('GET /audit-log/{id}/', () => {
  it('says why a mapping refused a document, and which order it was', async () => {
    const { api } = await openPartner({ mappings: MAPPINGS })
    const no = unique('O')
    const document = { no, ref: 'R', lines: [{ sku, qty: 'two dozen' }] }
    const answer = await api.post('/orders/', document)
    const row = await rowOf(answer)
    expect(answer.body.error.message).toContain('"two dozen"')
    expect(row).toMatchObject({
      status: 422,
      error_code: 'MAPPING_ERROR',
      record_name: no,
      message: 'lines[0].qty: The mapping expects an integer here, not a string of 9 characters.',
    })
    expect(row.details.problems).toMatchObject([
      { rule: 'items[].quantity', at: 'lines[0].qty', found: 'a string of 9 characters' },
    ])
  })

  it('says why a check refused a document, in its own paths', async () => {
    const { api } = await openPartner({ mappings: MAPPINGS })
    const answer = await api.post('/orders/', {
      no: unique('O'),
      ref: 'R',
      lines: [{ sku, qty: 0 }],
    })
    const row = await rowOf(answer)
    expect(row).toMatchObject({ status: 400, message: answer.body.error.message })
    expect(row.message).toMatch(/^lines\[0\]\.qty: /)
    expect(row.details).toEqual({
      fields: { 'items[0].quantity': answer.body.error.fields['items[0].quantity'] },
      source: { 'items[0].quantity': 'lines[0].qty' },
    })
  })

  it('says which rows of an upload failed', async () => {
    const rules = {
      'inventory[].location_code': 'rows[].at',
      'inventory[].sku_code': 'rows[].sku',
      'inventory[].quantity': { from: 'rows[].qty', as: 'integer' },
    }
    const { api } = await openPartner({ mappings: { inventory: { inbound: { fields: rules } } } })
    const code = unique('L')
    await admin.post('/locations/', { code })
    const rows = [
      { at: code, sku, qty: '4' },
      { at: code, sku, qty: 'a lot' },
      { at: 'NOWHERE', sku, qty: 1 },
    ]
    const row = await rowOf(await api.post('/inventory/', { rows }))
    expect(row).toMatchObject({ status: 200, record_name: null, message: '2 of 3 rows failed.' })
    expect(row.details).toEqual({
      errors: [
        {
          row: 1,
          errors: {
            quantity: ['The mapping expects an integer here, not a string of 5 characters.'],
          },
          source: { quantity: 'rows[1].qty' },
        },
        {
          row: 2,
          errors: { location_code: ['No location has the code "NOWHERE".'] },
          source: { location_code: 'rows[2].at' },
        },
      ],
    })
  })

  it('says nothing of a success', async () => {
    const row = await rowOf(await admin.get('/orders/'))
    expect(row).toMatchObject({ message: null, details: null })
  })

  it('is 404 for a request that the log does not have, another tenant’s too', async () => {
    const other = await openAdmin('other')
    const answer = await other.get('/orders/unknown/')
    for (const id of [crypto.randomUUID(), 'x', answer.body.request_id]) {
      const refused = await admin.get(`${AUDIT}${id}/`)
      expectRefusal(refused, 404, 'NOT_FOUND', `The audit log has no request with the id "${id}".`)
    }
  })
})

describe('the name of the record', () => {
  it('is the order number, whichever name the partner uses', async () => {
    const { api } = await openPartner({ mappings: MAPPINGS })
    const [no, ref] = [unique('O'), unique('R')]
    expect(await nameOf(api.post('/orders/', { no, ref, lines: [{ sku, qty: 1 }] }))).toBe(no)
    expect(await nameOf(api.get(`/orders/${ref}/`))).toBe(no)
    expect(await nameOf(api.put(`/orders/${ref}/`, { notes: 'x' }))).toBe(no)
    expect(await nameOf(api.delete(`/orders/${ref}/`))).toBe(no)
  })

  it('is the SKU or the location code', async () => {
    const name = unique('N')
    expect(await nameOf(admin.post('/products/', { sku: name }))).toBe(name)
    expect(await nameOf(admin.put(`/products/${name}/`, { quantity: 1 }))).toBe(name)
    expect(await nameOf(admin.post('/locations/', { code: name }))).toBe(name)
    expect(await nameOf(admin.delete(`/locations/${name}/`))).toBe(name)
    expect(await nameOf(admin.get(`/inventory/${name}/`))).toBe(name)
  })

  it('is what was sent, where a request is refused', async () => {
    const name = unique('N')
    expect(await nameOf(admin.get(`/orders/${name}/`))).toBe(name)
    expect(await nameOf(admin.put(`/products/${name}/`, { quantity: 'x' }))).toBe(name)
    expect(await nameOf(admin.post('/products/', { sku: name, quantity: 'x' }))).toBe(name)
    expect(await nameOf(admin.post('/products/', { sku }))).toBe(sku)
    const reader = client((await createKey(['integrations.orders.read'])).value)
    expect(await nameOf(reader.delete(`/orders/${name}/`))).toBe(name)
  })

  it('is none for lists, uploads and settings', async () => {
    expect(await nameOf(admin.get('/products/'))).toBeNull()
    expect(await nameOf(admin.post('/inventory/', { inventory: [] }))).toBeNull()
    expect(await nameOf(admin.post('/api/settings/v1/partners/', { name: unique('p') }))).toBeNull()
    expect(await nameOf(admin.post('/products/', { quantity: 1 }))).toBeNull()
    expect(await nameOf(admin.post('/products/', { sku: 7 }))).toBeNull()
  })

  it('holds no API key that was sent in its place', async () => {
    const { value, hint } = await mintKey('demo')
    expect(await nameOf(admin.get(`/orders/${value}/`))).toBe(hint)
    expect(await nameOf(admin.post('/products/', { sku: value, quantity: 'x' }))).toBe(hint)
  })
})

describe('GET /audit-log/', () => {
  it('filters by record_name, in exact case', async () => {
    const name = unique('Name')
    for (const sku of [name, name.toLowerCase(), `${name}-2`])
      await admin.post('/products/', { sku })
    await admin.get(`/products/${name}/`)
    const told = async (query: Record<string, string>) =>
      (await find(query)).map(({ method, record_name }) => [method, record_name])
    expect(await told({ record_name: name })).toEqual([
      ['GET', name],
      ['POST', name],
    ])
    expect(await told({ record_name: name, method: 'POST' })).toEqual([['POST', name]])
    expect(await told({ record_name: name, resource: 'orders' })).toEqual([])
    expect(await told({ record_name_prefix: name })).toEqual([
      ['POST', `${name}-2`],
      ['GET', name],
      ['POST', name],
    ])
  })

  it.each(['%', '_', '*', '?', '[a]'])('takes %s in a prefix for itself', async (wildcard) => {
    const name = unique('W')
    await admin.get(`/orders/${name}x/`)
    await admin.get(`/orders/${encodeURIComponent(name + wildcard)}y/`)
    const rows = await find({ record_name_prefix: name + wildcard })
    expect(rows.map(({ record_name }) => record_name)).toEqual([`${name}${wildcard}y`])
  })

  it('is paged by prefix without skipping or repeating', async () => {
    const name = unique('P')
    const names = ['a', 'b', 'c', 'a', 'b'].map((end) => name + end)
    for (const one of names) await admin.get(`/orders/${one}/`)
    const seen: string[] = []
    const query = `record_name_prefix=${name}&limit=2`
    for await (const { body } of everyPage(admin, `${AUDIT}?${query}`)) {
      seen.push(...body.data.map(({ record_name }: Json) => record_name))
    }
    expect(seen).toEqual(names.toSorted().reverse())
  })

  it('says so where the row at which a page of names ended is gone', async () => {
    const name = unique('G')
    for (const end of ['a', 'b', 'c']) await admin.get(`/orders/${name}${end}/`)
    const query = { record_name_prefix: name, limit: '1' }
    const { body } = await admin.get(`${AUDIT}?${new URLSearchParams(query)}`)
    await execute('delete from audit_log where record_name = ?', `${name}c`)
    const cursor = body.pagination.next_cursor
    const answer = await admin.get(`${AUDIT}?${new URLSearchParams({ ...query, cursor })}`)
    expectInvalid(answer, 'cursor')
    expect(answer.body.error.message).toContain('start again without a cursor')
  })

  it('filters by the field at fault, ours or theirs, with any index', async () => {
    const { id, api } = await openPartner({ mappings: MAPPINGS })
    const bad = { sku, qty: 'x' }
    await api.post('/orders/', { no: unique('O'), ref: 'R', lines: [{ sku, qty: 1 }, bad] })
    await api.post('/orders/', { no: unique('O'), ref: 'R', lines: [] })
    const statuses = async (field: string) =>
      (await find({ partner_id: id, field })).map(({ status }) => status)
    for (const field of ['items[].quantity', 'items[3].quantity', 'lines[].qty', 'lines[0].qty']) {
      expect(await statuses(field)).toEqual([422])
    }
    expect(await statuses('items')).toEqual([400])
    for (const field of ['items[]', 'quantity', '%', '']) expect(await statuses(field)).toEqual([])
  })

  it('shows message and record, but not the details', async () => {
    const name = unique('N')
    await admin.get(`/products/${name}/`)
    const [row] = await find({ record_name: name })
    expect(row).toMatchObject({ record_name: name, message: `No product has the SKU "${name}".` })
    expect(row).not.toHaveProperty('details')
  })
})

// The changes of a record, which its page in the dashboard shows.

const show = async ({ id }: Json) => (await openDashboard()).get(`/dashboard/orders/${id}/`)

describe('the history of a record', () => {
  it('shows the newest 20 changes, and says that there are more', async () => {
    const order = await createOrder(admin)
    const path = `/api/integrations/v1/orders/${order.order_number}/`
    const row = { record_id: order.id, record_name: order.order_number, method: 'PUT', path }
    await insertRequests([row], 20)
    const { text } = await show(order)
    expect(text.match(/<a href="\/dashboard\/audit-log\/[0-9a-f-]+\/">\s*Changed/g)).toHaveLength(
      20,
    )
    expect(text).not.toMatch(/POST \/api/)
    expect(text).toContain('Older changes are not shown')
  })

  inDeepPass(() => {
    it('looks at a bounded number of requests about it, and says so', async () => {
      const order = await createOrder(admin)
      const about = { record_id: null, record_name: order.order_number }
      expect((await show(order)).text).not.toContain('Older changes are not shown')
      await insertRequests([about], REQUESTS_LOOKED_MAX - 2)
      expect((await show(order)).text).toContain('POST /api/integrations/v1/orders/')
      await insertRequests([about], 20_000)
      const page = await show(order)
      expect(page.text).toContain('The audit log has no change of this record.')
      expect(page.text).toContain('among the newest 10,000 requests about it')
      expect(rowsRead(page)).toBeLessThan(2.1 * REQUESTS_LOOKED_MAX)
    })
  })

  it('reads its record’s requests by an index, whatever else the log holds', async () => {
    await insertRequests([{ record_name: 'other' }], 5000)
    expect(rowsRead(await show(await createOrder(admin)))).toBeLessThan(60)
    expect(await oneValue('select count(*) from audit_log')).toBeGreaterThan(5000)
  })
})
