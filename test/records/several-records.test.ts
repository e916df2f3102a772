import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { loggedRow } from '../fixtures/audit-rows.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { countingStatements, databaseWhere } from '../fixtures/statements.ts'
import { type CallOptions, client, type Json, openTenant, unique } from '../fixtures/tenant.ts'
import { createProduct, dataOf, ID, path } from '../fixtures/warehouse.ts'

const fields = {
  order_number: 'orders[].number',
  customer_name: 'orders[].buyer',
  customer_info: 'orders[].address',
  notes: 'shop',
  'items[].sku_code': 'orders[].lines[].sku',
  'items[].quantity': { from: 'orders[].lines[].qty', as: 'integer' },
}
const EACH = { records: { each: 'orders[]' }, fields }

async function openShop(inbound: object = EACH) {
  const partner = await openPartner({ mappings: { orders: { inbound } } })
  const { sku } = await createProduct(partner.admin)
  const order = (more: object = {}) => ({
    number: unique('N'),
    buyer: 'Kim',
    lines: [{ sku: sku as string, qty: '2' }],
    ...more,
  })
  const send = async (orders: unknown, options: CallOptions = {}): Promise<Json> =>
    dataOf(await client(partner.key.key, options).post('/orders/', { shop: 'web', orders }), 200)
  return { ...partner, sku: sku as string, order, send }
}

const statuses = ({ results }: Json) => results.map(({ status }: Json) => status)
const failing = (code: string) => expect.objectContaining({ code })

async function rowsOf(request_id: string | null): Promise<Json[]> {
  const db = await openTenant()
  const sql =
    'select request_id, status, record_name, error_code, method, path from audit_log where replay_of = ?1 order by seq'
  return (await db.prepare(sql).bind(request_id).all()).results
}

describe('POST /orders/ with a mapping that makes several records of a document', () => {
  it('applies each as a request of its own', async () => {
    const shop = await openShop()
    const [one, two] = [shop.order(), shop.order({ lines: [{ sku: 'none', qty: 1 }] })]
    const answer = await shop.api.post('/orders/', { shop: 'web', orders: [one, two, 'no'], x: 1 })
    expect([answer.status, answer.body.success, answer.body.warnings]).toEqual([
      200,
      true,
      undefined,
    ])
    const { results, ...counts } = answer.body.data
    const none = { updated: 0, unchanged: 0, skipped: 0, not_tried: 0 }
    expect(counts).toEqual({ total: 3, created: 1, failed: 2, ...none })
    const order = dataOf(await shop.api.get(path('orders', one.number)), 200)
    expect(order).toMatchObject({ customer_name: 'Kim', notes: 'web' })
    expect(results).toEqual([
      { index: 0, status: 'created', record: one.number, id: order.id },
      { index: 1, status: 'failed', record: two.number, error: failing('SERVICE_ERROR') },
      { index: 2, status: 'failed', record: null, error: failing('MAPPING_ERROR') },
    ])
    expect(results[1].error.source).toEqual({ 'items[0].sku_code': 'orders[1].lines[0].sku' })
    expect(results[2].error.problems[0].at).toBe('orders[2]')
  })

  it('gives each an audit row that names the request of the document', async () => {
    const shop = await openShop()
    const [one, two] = [shop.order(), shop.order({ number: null })]
    const orders = [one, two]
    const answer = await shop.api.post('/orders/', { shop: 'web', orders })
    const id = answer.headers.get('X-Request-Id')
    const of = { method: 'POST', path: '/api/integrations/v1/orders/', request_id: ID }
    expect(await rowsOf(id)).toEqual([
      { ...of, status: 201, record_name: one.number, error_code: null },
      { ...of, status: 400, record_name: null, error_code: 'VALIDATION_ERROR' },
    ])
    expect(await loggedRow(answer, 'status, record_id, message')).toEqual({
      status: 200,
      record_id: id,
      message: 'Of 2 records, 1 failed.',
    })
  })

  it('leaves alone what is stored already as the document says', async () => {
    const shop = await openShop()
    const orders = [shop.order(), shop.order({ address: { city: 'Oslo', zip: [1, 'a'] } })]
    const first = await shop.send(orders)
    expect(statuses(first)).toEqual(['created', 'created'])
    const ids = first.results.map(({ id }: Json) => id)

    const answer = await shop.api.post('/orders/', { shop: 'web', orders })
    const { results, ...counts } = answer.body.data
    expect(counts).toMatchObject({ total: 2, created: 0, unchanged: 2, failed: 0 })
    expect(results.map(({ id }: Json) => id)).toEqual(ids)
    expect(await rowsOf(answer.headers.get('X-Request-Id'))).toEqual([])
  })

  it.each<[string, (order: Json, sku: string) => object]>([
    ['another name', () => ({ buyer: 'Lou' })],
    ['another address', () => ({ address: { city: 'Rome' } })],
    ['another quantity', (_, sku) => ({ lines: [{ sku, qty: 3 }] })],
    ['a line more', ({ lines }) => ({ lines: [...lines, lines[0]] })],
    ['another product', (_, sku) => ({ lines: [{ sku: `${sku}x`, qty: 2 }] })],
  ])('refuses what is stored with %s, as its own POST would be', async (_, change) => {
    const shop = await openShop()
    const order = shop.order({ address: { city: 'Oslo' } })
    await shop.send([order])
    const { results } = await shop.send([{ ...order, ...change(order, shop.sku) }])
    const error = failing('VALIDATION_ERROR')
    expect(results).toEqual([{ index: 0, status: 'failed', record: order.number, error }])
  })

  it("looks up the partner's own numbers, and knows them again", async () => {
    const coded = { from: 'orders[].lines[].sku', as: 'string', code: 'products' }
    const shop = await openShop({ ...EACH, fields: { ...fields, 'items[].sku_code': coded } })
    const at = `/api/settings/v1/partners/${shop.id}/item-codes/products/`
    const item_codes = [{ code: '77', sku_code: shop.sku, units: 12 }]
    expect((await shop.admin.put(at, { item_codes })).body.data.failed).toBe(0)
    const orders = [
      shop.order({ lines: [{ sku: 77, qty: 2 }] }),
      shop.order({ lines: [{ sku: 78, qty: 2 }] }),
    ]
    const { results } = await shop.send(orders)
    expect(results).toMatchObject([
      { status: 'created' },
      { status: 'failed', error: { code: 'SERVICE_ERROR', reason: 'UNKNOWN_CODE' } },
    ])
    const { items } = dataOf(await shop.api.get(path('orders', orders[0]?.number ?? '')), 200)
    expect(items).toMatchObject([{ sku: { sku: shop.sku }, quantity: 24 }])
    expect(statuses(await shop.send(orders))).toEqual(['unchanged', 'failed'])
  })

  it('never takes the order of another partner for the same', async () => {
    const [shop, other] = [await openShop(), await openShop()]
    const order = shop.order()
    await shop.send([order])
    expect(statuses(await other.send([order]))).toEqual(['failed'])
  })

  it('answers the same document of no records with no results', async () => {
    const shop = await openShop()
    expect(await shop.send([])).toMatchObject({ total: 0, results: [] })
  })

  it.each([
    ['no array', {}, 'SOURCE_MISSING'],
    ['another kind', { orders: { number: 'A' } }, 'TYPE_MISMATCH'],
    ['501 records', { orders: Array.from({ length: 501 }, () => ({})) }, 'TOO_LARGE'],
  ])('refuses a document with %s', async (_, document, reason) => {
    const shop = await openShop()
    const { status, body } = await shop.api.post('/orders/', document)
    expect([status, body.error.code]).toEqual([422, 'MAPPING_ERROR'])
    expect(body.error.problems).toMatchObject([{ reason, rule: 'records.each', at: 'orders' }])
  })

  it('says what each would get in a dry run, and changes nothing', async () => {
    const shop = await openShop()
    const orders = [shop.order(), shop.order({ buyer: 5 })]
    const { body } = await shop.api.post('/orders/?dry_run=true', { shop: 'web', orders })
    expect(body).toMatchObject({ dry_run: true, data: { created: 1, failed: 1 } })
    expect(body.data.results[0]).toEqual({
      index: 0,
      status: 'created',
      record: orders[0]?.number,
    })
    expect(body.warnings).toEqual([
      { field: 'results', message: expect.stringMatching(/^Each was rehearsed alone/) },
    ])
    expect((await shop.api.get(path('orders', orders[0]?.number ?? ''))).status).toBe(404)
  })

  it('leaves the rest alone when the settings change midway', async () => {
    const shop = await openShop()
    let writes = 0
    const DB_DEMO = databaseWhere(async (batch) => {
      if (batch.length < 5) return
      writes += 1
      if (writes === 2) await saveMapping(shop.admin, shop.id, 'orders', { inbound: { ...EACH } })
      if (writes === 2)
        await saveMapping(shop.admin, shop.id, 'orders', { identifier_field: 'external_order_id' })
    })
    const orders = [shop.order(), shop.order(), shop.order()]
    const data = await shop.send(orders, { bindings: { ...env, DB_DEMO } })
    expect(statuses(data)).toEqual(['created', 'not_tried', 'not_tried'])
    expect(data.not_tried).toBe(2)
    expect(statuses(await shop.send(orders))).toEqual(['unchanged', 'created', 'created'])
  })

  it('leaves the rest alone after 3.5 seconds', async () => {
    const shop = await openShop()
    const now = Date.now
    let passed = 0
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + passed)
    const DB_DEMO = databaseWhere((batch) => {
      if (batch.length >= 5) passed += 1800
    })
    const orders = [shop.order(), shop.order(), shop.order()]
    const data = await shop.send(orders, { bindings: { ...env, DB_DEMO } })
    clock.mockRestore()
    expect(statuses(data)).toEqual(['created', 'created', 'not_tried'])
    expect(statuses(await shop.send(orders))).toEqual(['unchanged', 'unchanged', 'created'])
  })

  it('tries what is new before what is there with other values', async () => {
    const shop = await openShop()
    const known = shop.order()
    await shop.send([known])
    const changed = { ...known, buyer: 'Lou' }
    const fresh = shop.order()
    const { bindings } = countingStatements()
    const answer = await client(shop.key.key, { bindings }).post('/orders/', {
      shop: 'web',
      orders: [changed, fresh],
    })
    expect(statuses(answer.body.data)).toEqual(['failed', 'created'])
    const rows = await rowsOf(answer.headers.get('X-Request-Id'))
    expect(rows.map(({ record_name }) => record_name)).toEqual([fresh.number, known.number])
  })

  it('creates each of 500 once, in requests that D1 takes', async () => {
    const shop = await openShop()
    const orders = Array.from({ length: 500 }, () => shop.order())
    let left = 500
    for (let request = 0; left > 0; request++) {
      const { bindings, sent } = countingStatements()
      const { created, unchanged, not_tried, failed } = await shop.send(orders, { bindings })
      expect([created + unchanged + not_tried, failed]).toEqual([500, 0])
      expect(created).toBeGreaterThan(0)
      expect(sent.statements).toBeLessThan(900)
      left = not_tried
      expect(request).toBeLessThan(20)
    }
    const db = await openTenant()
    const names = JSON.stringify(orders.map(({ number }) => number))
    const stored =
      'select count(*) as n from orders where order_number in (select value from json_each(?1))'
    expect(await db.prepare(stored).bind(names).first('n')).toBe(500)
  })

  it('has each record once after two at once, with faults of the database in between', async () => {
    const shop = await openShop()
    const orders = Array.from({ length: 12 }, () => shop.order())
    let batches = 0
    const DB_DEMO = databaseWhere((batch) => {
      batches += 1
      const isLost = batch.length > 4 && batches % 5 === 0
      if (isLost) throw new Error('D1_ERROR: Network connection lost.')
    })
    const bindings = { ...env, DB_DEMO }
    const [one, two] = await Promise.all([
      shop.send(orders, { bindings }),
      shop.send(orders, { bindings }),
    ])
    expect(one.created + two.created).toBe(12)
    expect(statuses(await shop.send(orders))).toEqual(orders.map(() => 'unchanged'))
    const db = await openTenant()
    const names = JSON.stringify(orders.map(({ number }) => number))
    const created =
      "select count(*) as n from audit_log where status = 201 and method = 'POST' and record_name in (select value from json_each(?1))"
    expect(await db.prepare(created).bind(names).first('n')).toBe(12)
  })

  it('makes one record of rows that belong together', async () => {
    const inbound = {
      records: { each: "$[?@['Paid'] == 'yes']", group_by: ['$[].Name'] },
      fields: {
        order_number: '$[].Name',
        customer_name: '$[].Buyer',
        'items[].sku_code': '$[].Sku',
        'items[].quantity': { from: '$[].Qty', as: 'integer' },
      },
    }
    const shop = await openShop(inbound)
    const [a, b, c] = [unique('A'), unique('B'), unique('C')]
    const line = { Sku: shop.sku, Qty: '1' }
    const rows = [
      { Name: a, Paid: 'yes', Buyer: 'Kim', ...line },
      { Name: b, Paid: 'no', Buyer: 'Lou', ...line },
      { Name: c, Paid: 'yes', Buyer: 'Ida', ...line },
      { Name: a, Paid: '', Buyer: '', ...line, Qty: '3' },
      { Name: c, Paid: '', Buyer: 'Ola', ...line },
      { Name: b, Paid: 'yes', ...line },
    ]
    const data = dataOf(await shop.api.post('/orders/', rows), 200)
    expect(data.results).toMatchObject([
      { index: 0, status: 'created', record: a },
      { index: 1, status: 'failed', record: c, error: failing('MAPPING_ERROR') },
    ])
    expect(data.results[1].error.problems).toEqual([
      { reason: 'DIFFERS', rule: 'customer_name', at: '$[2].Buyer', found: '$[4].Buyer' },
    ])
    const { items } = dataOf(await shop.api.get(path('orders', a)), 200)
    expect(items.map(({ quantity }: Json) => quantity)).toEqual([1, 3])
  })
})

describe('PUT /orders/{identifier}/ with such a mapping', () => {
  it('takes a document of one record, and refuses any other number', async () => {
    const shop = await openShop()
    const order = shop.order()
    await shop.send([order])
    const at = path('orders', order.number)
    const changed = { orders: [{ buyer: 'Lou' }] }
    expect(dataOf(await shop.api.put(at, changed), 200).customer_name).toBe('Lou')
    for (const orders of [[], [{ buyer: 'A' }, { buyer: 'B' }]]) {
      const { status, body } = await shop.api.put(at, { orders })
      expect([status, body.error.code]).toEqual([422, 'MAPPING_ERROR'])
      expect(body.error.problems).toEqual([
        {
          reason: 'SEVERAL_RECORDS',
          rule: 'records.each',
          at: 'orders',
          expected: 1,
          found: orders.length,
        },
      ])
    }
  })
})

describe.each([
  [
    'products',
    'sku',
    'custom_fields.name',
    { cost: { from: 'all[].cost', as: 'decimal' } },
    { cost: 1.5 },
  ],
  ['locations', 'code', 'name', { metadata: 'all[].meta' }, { meta: { b: 1, a: [true] } }],
])('POST /%s/ with such a mapping', (resource, key, name, more, values) => {
  it('creates what is new, leaves alone what is there, refuses what differs', async () => {
    const rules = { [key]: 'all[].id', [name]: 'all[].name', ...more }
    const inbound = { records: { each: 'all[]' }, fields: rules }
    const { api } = await openPartner({ mappings: { [resource]: { inbound } } })
    const [one, two] = [unique('R'), unique('R')]
    const document = (called: string) => ({
      all: [
        { id: one, name: called, ...values },
        { id: two, name: 'Two', ...values },
        { name: 'x' },
      ],
    })
    const send = async (called: string) =>
      dataOf(await api.post(`/${resource}/`, document(called)), 200)
    expect(statuses(await send('One'))).toEqual(['created', 'created', 'failed'])
    expect(statuses(await send('One'))).toEqual(['unchanged', 'unchanged', 'failed'])
    const { results } = await send('Other')
    expect(results).toMatchObject([
      { status: 'failed', record: one, error: failing('DUPLICATE') },
      { status: 'unchanged', record: two, id: ID },
      { status: 'failed', record: null, error: failing('VALIDATION_ERROR') },
    ])
  })

  it('names each by what its item code stands for, and knows it again', async () => {
    const rules = {
      [key]: { from: 'all[].id', as: 'string', code: resource },
      [name]: 'all[].name',
    }
    const inbound = { records: { each: 'all[]' }, fields: rules }
    const { api, admin, id } = await openPartner({ mappings: { [resource]: { inbound } } })
    const ours = unique('R')
    const theirs = unique('K')
    const codes = `/api/settings/v1/partners/${id}/item-codes/${resource}/`
    const named = resource === 'products' ? { sku_code: ours } : { location_code: ours }
    dataOf(await admin.put(`${codes}${theirs}/`, named), 200)
    const document = {
      all: [
        { id: theirs, name: 'One' },
        { id: unique('none'), name: 'Two' },
      ],
    }
    const send = async () => dataOf(await api.post(`/${resource}/`, document), 200).results
    const unknown = { status: 'failed', error: { reason: 'UNKNOWN_CODE' } }
    expect(await send()).toMatchObject([{ status: 'created' }, unknown])
    expect(await send()).toMatchObject([{ status: 'unchanged', record: theirs }, unknown])
    expect((await api.get(path(resource, ours))).status).toBe(200)
    expect((await api.get(path(resource, theirs))).status).toBe(404)
  })
})
