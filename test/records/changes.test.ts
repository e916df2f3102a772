import { describe, expect, it } from 'vitest'
import { cursorText } from '../../src/engine/json/pagination.ts'
import { AT_START, after, follow, nameOf, namesSince, now } from '../fixtures/following.ts'
import { db } from '../fixtures/opened.ts'
import { api } from '../fixtures/opened-api.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { client, createKey, openAdmin, unique } from '../fixtures/tenant.ts'
import {
  createLocation,
  createOrder,
  createProduct,
  expectError,
  path,
  stock,
  TIME,
  warnedFields,
} from '../fixtures/warehouse.ts'
import { sideBySide } from '../releases/callers.ts'
import { VERSIONED } from './versioned.ts'

const READS = ['orders', 'products', 'locations', 'inventory'].map(
  (name) => `integrations.${name}.read`,
)

/** Sets the epoch as a restore or an import does. */
async function leap(): Promise<void> {
  await db
    .prepare('update workspace set settings_version = max(settings_version + 2, unixepoch())')
    .run()
}

describe('GET /changes/', () => {
  it('has each record as GET one shows it, with the request that changed it last', async () => {
    const since = await now(api)
    const order = await createOrder(api)
    const { code } = await createLocation(api, { metadata: { a: [1] }, name: 'Aisle' })
    const row = await stock(api, { location_code: code, quantity: 7 })
    const put = await api.put(path('orders', order.order_number), { metadata: { b: 1 } })
    const { changes } = await follow(api, since)

    expect(changes.map(({ resource }) => resource)).toEqual([
      'products',
      'locations',
      'products',
      'inventory',
      'orders',
    ])
    const [, location, product, inventory, changed] = changes
    expect(changed).toEqual({
      resource: 'orders',
      request_id: put.headers.get('X-Request-Id'),
      changed_at: put.body.data.updated_at,
      record: put.body.data,
    })
    expect(location.record).toEqual((await api.get(path('locations', code))).body.data)
    expect(product.record).toEqual((await api.get(path('products', row.sku_code))).body.data)
    expect(inventory).toEqual({
      resource: 'inventory',
      request_id: expect.any(String),
      changed_at: TIME,
      record: row,
    })
  })

  it.each(VERSIONED)(
    'has one of $resource once, at its last change, when it is changed, ended or neither',
    async ({ resource, pathOfNew, change }) => {
      const at = await pathOfNew(api)
      const name = `${resource} ${decodeURIComponent(at.split('/')[2] ?? '')}`
      let since = await now(api)
      await api.put(at, change('one'))
      await api.put(at, change('two'))
      expect(await namesSince(api, since)).toEqual([name])
      since = await now(api)
      await api.put(at, change('two'))
      await api.put(at, {})
      expect(await namesSince(api, since)).toEqual([])
      await api.delete(at)
      const [ended] = (await follow(api, since)).changes
      expect([nameOf(ended), ended.record.is_active ?? ended.record.status]).toEqual([
        name,
        resource === 'orders' ? 'cancelled' : false,
      ])
      since = await now(api)
      await api.delete(at)
      expect(await namesSince(api, since)).toEqual([])
    },
  )

  it('has an order again when its lines are verified, and stock when its quantity differs', async () => {
    const { order_number } = await createOrder(api)
    const row = await stock(api)
    let since = await now(api)
    await api.put(path('orders', order_number), { status: 'verified' })
    await stock(api, row)
    await stock(api, { ...row, quantity: 2 })
    const { changes } = await follow(api, since)
    expect(changes.map(nameOf)).toEqual([
      `orders ${order_number}`,
      `inventory ${row.location_code} ${row.sku_code}`,
    ])
    expect(changes[0].record.items[0].verification_status).toBe('verified')
    since = await now(api)
    await api.put(path('orders', order_number), { status: 'verified' })
    expect(await namesSince(api, since)).toEqual([])
  })

  it('has a refused or failed write not at all', async () => {
    const { sku } = await createProduct(api)
    const since = await now(api)
    await api.post('/products/', { sku })
    await api.put(path('products', sku), { quantity: 'x' })
    await api.put(
      path('products', sku),
      { quantity: 4 },
      { headers: { 'If-Match': '"9.00000000.x"' } },
    )
    expect(await namesSince(api, since)).toEqual([])
  })

  it('gives the same in pages of any size, in the middle of an upload and at its end', async () => {
    const { sku } = await createProduct(api)
    const codes = []
    for (let n = 0; n < 5; n += 1) codes.push((await createLocation(api)).code)
    const since = await now(api)
    const inventory = codes.map((code) => ({ location_code: code, sku_code: sku, quantity: 3 }))
    await api.post('/inventory/', { inventory })
    await createOrder(api)
    await api.post('/inventory/', {
      inventory: inventory.slice(0, 2).map((row) => ({ ...row, quantity: 4 })),
    })
    const whole = await follow(api, since)
    expect(whole.changes).toHaveLength(7)
    for (const limit of [1, 2, 3, 4, 6, 7]) {
      const paged = await follow(api, since, `limit=${limit}`)
      expect(paged.changes).toEqual(whole.changes)
      expect(paged.pages).toBe(Math.floor(7 / limit) + 1)
    }
  })

  it('begins with the records from before the feed, products, locations and orders, and then the stock', async () => {
    const order = await createOrder(api)
    const row = await stock(api)
    const quiet = ['orders', 'products', 'locations', 'inventory'].map((table) =>
      db.prepare(
        `update ${table} set changed_in = 0, changed_by = null${table === 'inventory' ? ', changed_at = null' : ''}`,
      ),
    )
    await silently(() => db.batch(quiet))
    const { changes } = await follow(api, AT_START, 'limit=3')
    const resources = changes.map(({ resource }) => resource)
    expect([...new Set(resources)]).toEqual(FIRST)
    expect(resources).toEqual(
      resources.toSorted((one, other) => FIRST.indexOf(one) - FIRST.indexOf(other)),
    )
    expect(new Set(changes.map(({ request_id }) => request_id))).toEqual(new Set([null]))
    const names = changes.map(nameOf)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toContain(`orders ${order.order_number}`)
    expect(
      changes.find((change) => nameOf(change) === `inventory ${row.location_code} ${row.sku_code}`)
        .changed_at,
    ).toBeNull()
  })

  it('never ends: next_cursor stays as it is while nothing changes', async () => {
    const { next } = await follow(api, AT_START)
    const { body } = await api.get(`/changes/?${next}`)
    expect(body).toEqual({
      success: true,
      data: [],
      pagination: { limit: 50, next_cursor: next.slice(7), has_more: false },
    })
  })
})

const FIRST = ['products', 'locations', 'orders', 'inventory']

/** Without the triggers that note such a change. */
async function silently(change: () => Promise<unknown>): Promise<void> {
  const { results } = await db
    .prepare(
      "select name, sql from sqlite_schema where type = 'trigger' and name like '%_silently'",
    )
    .all<{ name: string; sql: string }>()
  await db.batch(results.map(({ name }) => db.prepare(`drop trigger ${name}`)))
  await change()
  await db.batch(results.map(({ sql }) => db.prepare(sql)))
}

describe('the parameters of GET /changes/', () => {
  it.each([
    ['', ['from', 'cursor']],
    ['from=start&cursor=MS4', ['cursor']],
    ['from=yesterday', ['from']],
    ['from=start&resource=', ['resource']],
    ['from=start&resource=orders,', ['resource']],
    ['from=start&resource=orders,orders', ['resource']],
    ['from=start&resource=orders,partners', ['resource']],
    ['from=start&limit=201', ['limit']],
    ['from=start&wait=31', ['wait']],
    ['from=start&wait=-1', ['wait']],
    ['from=start&wait=0.5', ['wait']],
    ['from=start&wait=', ['wait']],
  ])('are refused: %s', async (query, fields) => {
    expectInvalid(await api.get(`/changes/?${query}`), ...fields)
  })

  it('refuse from beside a cursor, and a cursor of another tenant, list or form', async () => {
    const since = await now(api)
    expectInvalid(await api.get(`/changes/?from=now&${since}`), 'from', 'cursor')
    const other = client((await createKey(undefined, { tenant: 'other' })).value)
    expectInvalid(await other.get(`/changes/?${since}`), 'cursor')
    await createProduct(api)
    await createProduct(api)
    const list = await api.get('/products/?limit=1')
    const wrong = [list.body.pagination.next_cursor, `${since.slice(7)}A`, 'x', '', 'a'.repeat(300)]
    for (const cursor of wrong) {
      expectInvalid(await api.get(`/changes/?${after(cursor)}`), 'cursor')
    }
    expectInvalid(await api.get(`/products/?${since}`), 'cursor')
  })

  it('refuse a cursor that is made up, and one of a key that sees other orders', async () => {
    const own = await openPartner({ own_orders_only: true })
    const made_up = [
      [1, 'demo', 'changes', 1, 15, '01', 1, '-'],
      [1, 'demo', 'changes', 1, 15, 1, 1, 1, '-'],
      [1, 'demo', 'changes', 1, 0, 1, 1, '-'],
      [2, 'demo', 'changes', 1, 'f', 4, 1, 0, 0, 0, 0, '00', '-'],
      [2, 'demo', 'changes', 1, 'f', 1, 1, 0, 0, 0, 0, 0, '-'],
      // These ask for products, and lead to orders, to stock, and to all stock.
      [1, 'demo', 'changes', 1, 17, 4 * 5 + 4, 0, '-'],
      [1, 'demo', 'changes', 1, 17, 4 * 5 + 3, 0, '-'],
      [2, 'demo', 'changes', 1, 'h', 'o', '2gosa7pa2gv', 0, 1, 0, '2gosa7pa2gv', 0, '-'],
      [2, 'demo', 'changes', 1, 'h', 'n', 1, 0, 0, 0, 0, 0, '-'],
      // All resources, within the stock of a request and with the rest of the stock.
      [2, 'demo', 'changes', 1, 'f', 'n', 1, 0, 1, 0, 1, 0, '-'],
      [3, 'demo', 'changes', 1, 15, 1, 1, '-'],
    ].map((parts) => [api, `cursor=${cursorText(parts)}`] as const)
    for (const [caller, cursor] of [
      ...made_up,
      [api, await now(own.api)] as const,
      [own.api, await now(api)] as const,
    ]) {
      expectInvalid(await caller.get(`/changes/?${cursor}`), 'cursor')
    }
  })

  it('resource narrows the feed, and its cursors are for these resources', async () => {
    const resource = 'resource=orders,inventory'
    const since = await now(api, resource)
    const { order_number } = await createOrder(api)
    const row = await stock(api)
    const names = [`orders ${order_number}`, `inventory ${row.location_code} ${row.sku_code}`]
    expect(await namesSince(api, since, 'limit=1')).toEqual(names)
    expect(await namesSince(api, since, 'resource=inventory,orders')).toEqual(names)
    for (const other of ['orders', 'products,orders', 'orders,inventory,products']) {
      expectInvalid(await api.get(`/changes/?${since}&resource=${other}`), 'cursor', 'resource')
    }
  })
})

describe('the scopes of a feed', () => {
  async function keyWith(scopes: string[]) {
    const { id, value } = await createKey(scopes)
    const admin = await openAdmin()
    const set = (next: string[]) => admin.put(`/api/settings/v1/api-keys/${id}/`, { scopes: next })
    return { api: client(value), set }
  }

  it('open what the key may read when the walk begins; a warning tells of one that comes later', async () => {
    const [orders = '', products = '', locations = ''] = READS
    const key = await keyWith([orders, products])
    await createOrder(api)
    await stock(api)
    const { changes, next } = await follow(key.api, AT_START)
    expect(new Set(changes.map(({ resource }) => resource))).toEqual(
      new Set(['products', 'orders']),
    )
    await key.set([orders, products, locations])
    await createLocation(api)
    const later = await key.api.get(`/changes/?${next}`)
    expect([later.body.data, warnedFields(later)]).toEqual([[], ['resource']])
    expect(later.body.warnings[0].message).toContain('locations')
    expect(warnedFields(await key.api.get('/changes/?from=now&resource=orders'))).toEqual([])
  })

  it('close it when one is lost, and where one is missing', async () => {
    const [orders = '', products = ''] = READS
    const key = await keyWith([orders, products])
    const since = await now(key.api)
    await key.set([products])
    expectError(await key.api.get(`/changes/?${since}`), 403, 'SCOPE_MISSING')
    const asked = await key.api.get('/changes/?from=start&resource=orders')
    expectError(asked, 403, 'SCOPE_MISSING')
    expect(asked.body.error.message).toContain(orders)
    await key.set(['integrations.products.write'])
    expectError(await key.api.get('/changes/'), 403, 'SCOPE_MISSING')
  })
})

describe('a feed of a partner', () => {
  it('maps each resource as GET one does', async () => {
    const outbound = { fields: { article: 'sku', 'stock.on_hand': 'quantity' } }
    const { api: own } = await openPartner({ mappings: { products: { outbound } } })
    const since = await now(own)
    const { sku } = await createProduct(api, { quantity: 5 })
    const { code } = await createLocation(api)
    const { changes } = await follow(own, since)
    expect(changes.map(({ record }) => record)).toEqual([
      (await own.get(path('products', sku))).body.data,
      (await api.get(path('locations', code))).body.data,
    ])
    expect(changes[0].record).toEqual({ article: sku, stock: { on_hand: 5 } })
  })

  it('holds the mapping of now', async () => {
    const { api: own, admin, id } = await openPartner()
    const since = await now(own)
    const { sku } = await createProduct(api)
    expect((await follow(own, since)).changes[0].record.sku).toBe(sku)
    await saveMapping(admin, id, 'products', { outbound: { fields: { item: 'sku' } } })
    expect((await follow(own, since)).changes[0].record).toEqual({ item: sku })
  })
})

describe('a cursor from before a restore or an import', () => {
  it('is 410, and so is none from after it', async () => {
    const since = await now(api)
    await leap()
    const answer = await api.get(`/changes/?${since}`)
    expectError(answer, 410, 'CURSOR_EXPIRED')
    expect(answer.body.error.message).toContain('from=start')
    const again = await now(api)
    const { sku } = await createProduct(api)
    expect(await namesSince(api, again)).toEqual([`products ${sku}`])
    await openAdmin()
    expect((await api.get(`/changes/?${again}`)).status).toBe(200)
  })
})

describe('release 1.0', () => {
  it('has no feed', async () => {
    const { current, pinned } = await sideBySide()
    expect((await current.get('/changes/?from=now')).status).toBe(200)
    expectError(await pinned.get('/changes/?from=now'), 404, 'NOT_FOUND')
    expect((await pinned.call('HEAD', '/changes/?from=now')).status).toBe(404)
  })
})

describe('a statement that says nothing of its request', () => {
  it.each(VERSIONED)(
    'is in the feed, and counts the version: $resource',
    async ({ resource, pathOfNew }) => {
      const at = await pathOfNew(api)
      const name = decodeURIComponent(at.split('/')[2] ?? '')
      const since = await now(api)
      await api.get(at)
      const column = { orders: 'order_number', products: 'sku', locations: 'code' }[resource]
      await db
        .prepare(
          `update ${resource} set updated_at = '2026-01-01T00:00:00.000Z' where ${column} = ?`,
        )
        .bind(name)
        .run()
      const { changes } = await follow(api, since)
      expect(changes.map((change) => [nameOf(change), change.request_id])).toEqual([
        [`${resource} ${name}`, null],
      ])
      expect((await api.get(at)).headers.get('ETag')).toMatch(/^"2\./)
    },
  )

  it('is in the feed with its request if the newest audit row names the record', async () => {
    const since = await now(api)
    const [id, sku, request_id] = [crypto.randomUUID(), unique('S'), crypto.randomUUID()]
    await db.batch([
      db
        .prepare(`insert into audit_log (request_id, created_at, settings_version, record_id, api_key_id, api_key_name, method, path, status, duration_ms)
        values (?, '2026-01-01T00:00:00.000Z', 1, ?, 'k', 'k', 'POST', '/', 201, 1)`)
        .bind(request_id, id),
      db
        .prepare("insert into products (id, sku, created_at, updated_at) values (?, ?, '', '')")
        .bind(id, sku),
    ])
    expect((await follow(api, since)).changes).toEqual([
      expect.objectContaining({ resource: 'products', request_id }),
    ])
  })
})
