import { beforeEach, describe, expect, it } from 'vitest'
import { admin, db } from '../fixtures/opened.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { openPartner } from '../fixtures/partner.ts'
import { openDashboard } from '../fixtures/session.ts'
import { execute, oneRow } from '../fixtures/sql.ts'
import { type Api, client, createKey, type Json } from '../fixtures/tenant.ts'
import {
  changesOf,
  idOf,
  LOG,
  newShelf,
  shelved,
  undo as takeBack,
  upload,
} from '../fixtures/undo.ts'
import { createLocation, createOrder, createProduct, dataOf, path } from '../fixtures/warehouse.ts'

beforeEach(async () => {
  await execute('update workspace set undo_days = 7, audit_retention_days = 365')
})

const undo = (id: string, api = admin) => takeBack(api, id)
const changes = (id: string) => changesOf(admin, id)
const stored = (table: string, id: string) =>
  oneRow<Json>(`select * from ${table} where id = ?`, id)

/** Without what counts and dates changes. */
const valuesOf = ({
  version,
  updated_at,
  changed_in,
  changed_by,
  changed_place,
  ...values
}: Json) => values

const ORDER = {
  customer_name: 'Ann "A" \u0000 Lee',
  customer_info: { mail: 'a@example.com', näme: ['\u0001', 1.5, null] },
  notes: 'line\u0000break',
  metadata: { channel: 'web' },
}

describe('a PUT that is undone', () => {
  it('gives a product all that it had', async () => {
    const custom_fields = { colour: 'blue', deep: [{ n: 1e21 }, '\u2028'] }
    const product = await createProduct(admin, { quantity: -3, cost: '1.50', custom_fields })
    const before = await stored('products', product.id)
    const body = { quantity: 2_000_000_000, cost: null, custom_fields: {}, is_active: false }
    const put = await admin.put(path('products', product.sku), body)
    dataOf(put, 200)
    expect(await changes(idOf(put))).toEqual(
      [
        change(product.sku, 'products', 'quantity', -3, 2_000_000_000),
        change(product.sku, 'products', 'cost', '1.50', null),
        change(product.sku, 'products', 'custom_fields', custom_fields, {}),
        change(product.sku, 'products', 'is_active', true, false),
      ].sort(byField),
    )
    const undone = await undo(idOf(put))
    expect(dataOf(undone, 200)).toEqual({
      request_id: idOf(undone),
      undone: idOf(put),
      restored: 1,
      zeroed: 0,
      changed_since: [],
      changed_since_total: 0,
    })
    const after = await stored('products', product.id)
    expect(valuesOf(after)).toEqual(valuesOf(before))
    expect(after.version).toBe(before.version + 2)
  })

  it('gives a location and an order all that they had, and only that', async () => {
    const location = await createLocation(admin, { name: 'A', metadata: { floor: 1 } })
    const order = await createOrder(admin, ORDER)
    const [old_location, old_order] = [
      await stored('locations', location.id),
      await stored('orders', order.id),
    ]
    const first = await admin.put(path('locations', location.code), { name: null, zone: 'Z' })
    const second = await admin.put(path('orders', order.order_number), {
      customer_name: 'Bo',
      customer_info: null,
      notes: null,
      metadata: {},
      due_date: '2026-05-01T00:00:00.000Z',
      status: 'in_progress',
    })
    for (const put of [first, second]) dataOf(await undo(idOf(put)), 200)
    expect(valuesOf(await stored('locations', location.id))).toEqual(valuesOf(old_location))
    expect(valuesOf(await stored('orders', order.id))).toEqual(valuesOf(old_order))
  })

  it('gives the lines back that `verified` touched', async () => {
    const sku_code = (await createProduct(admin)).sku
    const order = await createOrder(admin, {
      items: [
        { sku_code, quantity: 2 },
        { sku_code, quantity: 3 },
        { sku_code, quantity: 4 },
      ],
    })
    await execute(
      `update order_items set verified_quantity = position,
          verification_status = iif(position = 2, 'verified', 'partial') where order_id = ?`,
      order.id,
    )
    const before = (await admin.get(path('orders', order.order_number))).body.data
    const put = await admin.put(path('orders', order.order_number), { status: 'verified' })
    expect(
      (await changes(idOf(put))).map(({ field, from, to }: Json) => [field, from, to]),
    ).toEqual([
      ['status', 'pending', 'verified'],
      ['items[0].verified_quantity', 0, 2],
      ['items[0].verification_status', 'partial', 'verified'],
      ['items[1].verified_quantity', 1, 3],
      ['items[1].verification_status', 'partial', 'verified'],
    ])
    const undone = await undo(idOf(put))
    dataOf(undone, 200)
    const after = (await admin.get(path('orders', order.order_number))).body.data
    expect(after).toEqual({ ...before, updated_at: after.updated_at })
    // And the undo itself.
    dataOf(await undo(idOf(undone)), 200)
    const again = (await admin.get(path('orders', order.order_number))).body.data
    expect(again).toEqual({ ...put.body.data, updated_at: again.updated_at })
  })

  it('is refused with 412 once the record has changed, and by itself', async () => {
    const product = await createProduct(admin)
    const put = await admin.put(path('products', product.sku), { quantity: 5 })
    dataOf(await admin.put(path('products', product.sku), { cost: '2' }), 200)
    const refused = await undo(idOf(put))
    expect([refused.status, refused.body.error.code]).toEqual([412, 'PRECONDITION_FAILED'])
    expect(refused.headers.get('ETag')).toMatch(/^"3\./)
    expect((await stored('products', product.id)).quantity).toBe(5)
    const other = await admin.put(path('products', product.sku), { quantity: 6 })
    dataOf(await undo(idOf(other)), 200)
    expect((await undo(idOf(other))).status).toBe(412)
  })

  it.each(['shipped', 'cancelled'])('is refused out of %s', async (status) => {
    const order = await createOrder(admin)
    const put = await admin.put(path('orders', order.order_number), { status, notes: 'x' })
    const refused = await undo(idOf(put))
    expect([refused.status, refused.body.error.code]).toEqual([400, 'SERVICE_ERROR'])
    expect(refused.body.error.message).toContain('final')
    expect(await stored('orders', order.id)).toMatchObject({ status, notes: 'x', version: 2 })
    const notes = await admin.put(path('orders', order.order_number), { notes: 'y', status })
    dataOf(await undo(idOf(notes)), 200)
    expect(await stored('orders', order.id)).toMatchObject({ status, notes: 'x', version: 4 })
  })

  it('is in the history of the record, and names it', async () => {
    const product = await createProduct(admin)
    const put = await admin.put(path('products', product.sku), { quantity: 5 })
    const undone = await undo(idOf(put))
    const row = await oneRow(
      'select record_id, record_name, status from audit_log where request_id = ?',
      idOf(undone),
    )
    expect(row).toEqual({ record_id: product.id, record_name: product.sku, status: 200 })
  })
})

describe('a PUT that changed nothing, and other requests', () => {
  it('have no changes and cannot be undone', async () => {
    const product = await createProduct(admin, { quantity: 5 })
    const created = await admin.post('/locations/', { code: `L ${product.sku}` })
    for (const answer of [
      await admin.put(path('products', product.sku), { quantity: 5 }),
      await admin.put(path('products', product.sku), {}),
      await admin.put(path('products', 'nobody'), { quantity: 5 }),
      await admin.get(path('products', product.sku)),
      created,
    ]) {
      expect(await changes(idOf(answer))).toEqual([])
      const refused = await undo(idOf(answer))
      expect([refused.status, refused.body.error.code]).toEqual([400, 'SERVICE_ERROR'])
      expect(refused.body.error.message).toContain('replaced nothing')
    }
  })

  it('are 404 if the log does not have them', async () => {
    for (const answer of [await admin.get(`${LOG}/nobody/changes/`), await undo('nobody')]) {
      expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND'])
    }
  })
})

function change(record_name: string, resource: string, field: string, from: unknown, to: unknown) {
  return { resource, record_name, location_code: null, sku_code: null, field, from, to }
}

function byField(one: Json, other: Json): number {
  const order = ['quantity', 'is_active', 'cost', 'custom_fields']
  return order.indexOf(one.field) - order.indexOf(other.field)
}

const holderOf = async (...scopes: string[]) => client((await createKey(scopes)).value)
const changesFor = (api: Api, id: string) => api.get(`${LOG}/${id}/changes/`)

/** The first id of each kind of request, by its resource. */
async function requests() {
  const product = await createProduct(admin)
  const order = await createOrder(admin)
  const shelf = await newShelf(db, 1)
  return {
    products: idOf(await admin.put(path('products', product.sku), { quantity: 5 })),
    orders: idOf(await admin.put(path('orders', order.order_number), { notes: 'x' })),
    inventory: await upload(admin, shelf, { 0: 3 }),
  }
}

describe('changes and undo', () => {
  it('ask for the scope of what the request changed', async () => {
    const ids = await requests()
    for (const [resource, id] of Object.entries(ids)) {
      const [read, write] = [`integrations.${resource}.read`, `integrations.${resource}.write`]
      const all = ['settings.audit.read', 'integrations.*']
      const others = ['orders', 'products', 'locations', 'inventory']
        .filter((name) => name !== resource)
        .map((name) => `integrations.${name}.*`)
      const without = await holderOf('settings.audit.read', ...others, write)
      const refused = await changesFor(without, id)
      expect([refused.status, refused.body.error.code]).toEqual([403, 'SCOPE_MISSING'])
      expect(refused.body.error.message).toContain(read)
      const reader = await holderOf('settings.audit.read', ...others, read)
      expect((await changesFor(reader, id)).body.data).toHaveLength(1)
      const unwritten = await undo(id, reader)
      expect([unwritten.status, unwritten.body.error.code]).toEqual([403, 'SCOPE_MISSING'])
      expect(unwritten.body.error.message).toContain(write)
      expect(dataOf(await undo(id, await holderOf(...all)), 200).restored).toBe(
        resource === 'inventory' ? 0 : 1,
      )
    }
  })

  it('are no way around own_orders_only', async () => {
    const other = await openPartner()
    const own = await openPartner({ own_orders_only: true })
    await execute(
      'update api_keys set scopes = ? where partner_id = ?',
      JSON.stringify(['integrations.*', 'settings.audit.read']),
      own.id,
    )
    for (const [api, isOwn] of [
      [other.api, false],
      [admin, false],
      [own.api, true],
    ] as const) {
      const items = [{ sku_code: (await createProduct(admin)).sku, quantity: 1 }]
      const order = await createOrder(api, { items })
      const id = idOf(await admin.put(path('orders', order.order_number), { notes: 'secret' }))
      const [seen, taken] = [await changesFor(own.api, id), await undo(id, own.api)]
      expect([seen.status, taken.status]).toEqual(isOwn ? [200, 200] : [404, 404])
      const { notes } = (await admin.get(path('orders', order.order_number))).body.data
      expect(notes).toBe(isOwn ? null : 'secret')
      if (!isOwn) expect(seen.text + taken.text).not.toContain('secret')
    }
  })

  it('work while the integration is off', async () => {
    const shelf = await newShelf(db, 1)
    const id = await upload(admin, shelf, { 0: 3 })
    const set = (integration_enabled: boolean) =>
      admin.put('/api/settings/v1/workspace/', { integration_enabled })
    await set(false)
    const answers = [await changesFor(admin, id), await undo(id, admin)]
    await set(true)
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await shelved(db, shelf)).toEqual([0])
  })
})

describe('/dashboard/audit-log/{id}/undo/', () => {
  it('shows what happens to a record, and does it', async () => {
    const product = await createProduct(admin, { quantity: 1234 })
    const id = idOf(await admin.put(path('products', product.sku), { quantity: 4321 }))
    const dashboard = await openDashboard(['settings.audit.read', 'integrations.products.*'])
    expect((await dashboard.get(`/dashboard/audit-log/${id}/`)).text).toContain(`${id}/undo/`)
    const asked = await dashboard.get(`/dashboard/audit-log/${id}/undo/`)
    for (const text of [product.sku, '4321', '1234']) expect(asked.text).toContain(text)
    const done = await dashboard.post(`/dashboard/audit-log/${id}/undo/`)
    expect(done.status).toBe(303)
    expect((await admin.get(path('products', product.sku))).body.data.quantity).toBe(1234)
    const again = await dashboard.post(`/dashboard/audit-log/${id}/undo/`)
    expect([again.status, again.text.includes('it has changed since')]).toEqual([412, true])
  })

  it('needs the scope of what the request changed', async () => {
    const { products } = await requests()
    const dashboard = await openDashboard(['settings.audit.read', 'integrations.products.read'])
    expect((await dashboard.get(`/dashboard/audit-log/${products}/`)).text).not.toContain(
      `${products}/undo/`,
    )
    for (const method of ['get', 'post'] as const) {
      const text = markupOf(await dashboard[method](`/dashboard/audit-log/${products}/undo/`), 403)
      expect(text).toContain('integrations.products.write')
    }
  })
})
