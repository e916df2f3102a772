import { beforeAll, describe, expect, it } from 'vitest'
import { inDeepPass } from '../fixtures/depth.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { AUDIT, findKey, issueKey, KEYS } from '../fixtures/settings.ts'
import { type Api, client, type Json, openTenant, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct, path, stock } from '../fixtures/warehouse.ts'
import { type Callers, sideBySide } from './callers.ts'
import { newProductPath, shippedOrderPath } from './differences.ts'
import { addManyRecords } from './many-records.ts'

beforeAll(addManyRecords)

describe('a record that nobody can name in release 1.0', () => {
  it.each([
    ['this key has no partner', undefined],
    ["this partner's settings name none", {}],
  ])('is refused with the reason: %s', async (reason, partner) => {
    const { pinned } = await sideBySide(partner)
    expectRefusal(
      await pinned.get('/orders/x/'),
      400,
      'SERVICE_ERROR',
      `In release 1.0 a partner's settings must name the identifier field of orders, but ${reason}.`,
    )
  })
})

describe('a list of release 1.0', () => {
  let callers: Callers

  beforeAll(async () => {
    callers = await sideBySide()
  })

  it.each(['products', 'locations'])('of %s holds the newest active ones', async (resource) => {
    const { admin, pinned } = callers
    const create = resource === 'products' ? createProduct : createLocation
    const [old, inactive, newest] = [await create(admin), await create(admin), await create(admin)]
    const nameOf = ({ sku, code }: Json) => sku ?? code
    await admin.delete(path(resource, nameOf(inactive)))
    const { body } = await pinned.get(`/${resource}/`)
    expect(body.data.map(nameOf).slice(0, 2)).toEqual([newest, old].map(nameOf))
  })

  it('of stock leaves out what is of an inactive product or at an inactive location', async () => {
    const { admin, current, pinned } = callers
    const rows = [await stock(admin), await stock(admin), await stock(admin)]
    const [kept, withoutProduct, withoutLocation] = rows as [Json, Json, Json]
    await admin.delete(path('products', withoutProduct.sku_code))
    await admin.delete(path('locations', withoutLocation.location_code))
    expect((await current.get('/inventory/')).body.data.slice(0, 3)).toEqual(rows.toReversed())
    const { data } = (await pinned.get('/inventory/')).body
    expect(data[0]).toEqual(kept)
    expect(data).not.toContainEqual(withoutProduct)
    expect(data).not.toContainEqual(withoutLocation)
    expect(data).toHaveLength(100)
  })
})

describe('a filter of a list, in release 1.0', () => {
  it('has no effect, and a warning', async () => {
    const { pinned } = await sideBySide()
    for (const [resource, filters] of [
      ['orders', { status: 'cancelled', created_to: '2000-01-01', partner_id: 'x' }],
      ['products', { is_active: 'false' }],
      ['locations', { is_active: 'all' }],
      ['inventory', { sku_code: 'none', quantity_below: '1' }],
    ] as const) {
      const plain = (await pinned.get(`/${resource}/`)).body
      const { body } = await pinned.get(`/${resource}/?${new URLSearchParams(filters)}`)
      const told = Object.keys(filters).map((field) => ({
        field,
        message: 'Unknown in release 1.0: it had no effect.',
      }))
      const { warnings = [], ...shown } = plain
      expect(body).toEqual({ ...shown, warnings: expect.arrayContaining([...warnings, ...told]) })
    }
  })
})

describe('a condition, in release 1.0', () => {
  it('has no effect, and a warning; records have no ETag', async () => {
    const { admin, pinned } = await sideBySide({ default_identifier_field: 'sku' })
    const { sku } = await createProduct(admin)
    const at = path('products', sku)
    const conditions = { 'If-Match': 'nonsense', 'If-None-Match': '*' }
    const warnings = Object.keys(conditions).map((field) => ({
      field,
      message: 'Unknown in release 1.0: it had no effect.',
    }))
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { quantity: 7 }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await pinned.call(method, at, body, { headers: conditions })
      expect([answer.status, answer.body.warnings]).toEqual([200, warnings])
      expect(answer.headers.get('ETag')).toBeNull()
      expect(answer.body.data).not.toHaveProperty('version')
    }
    const made = await pinned.post('/products/', { sku: unique('S') }, { headers: conditions })
    expect([made.status, made.body.warnings, made.headers.get('ETag')]).toEqual([
      201,
      warnings,
      null,
    ])
  })
})

inDeepPass(() => {
  describe('GET /inventory/{location_code}/ of 10,001 records, in release 1.0', () => {
    it('shows each by its SKU and quantity', async () => {
      const { admin, pinned } = await sideBySide()
      const db = await openTenant()
      const { code } = await createLocation(admin)
      const many =
        'with recursive n (i) as (select 0 union all select i + 1 from n where i < 10000)'
      const sku = `'${unique('bulk')}-' || i`
      await db.batch([
        db.prepare(
          `${many} insert into products (id, sku, created_at, updated_at) select ${sku}, ${sku}, '', '' from n`,
        ),
        db
          .prepare(
            `${many} insert into inventory (location_code, sku_code, quantity) select ?, ${sku}, i from n`,
          )
          .bind(code),
      ])
      const { body } = await pinned.get(path('inventory', code))
      expect(body.data).toHaveLength(10_001)
      expect(new Set(body.data.map((record: Json) => Object.keys(record).join()))).toEqual(
        new Set(['sku_code,quantity']),
      )
    })
  })
})

describe('the scope segment inventorys', () => {
  let admin: Api

  beforeAll(async () => {
    admin = (await sideBySide()).admin
  })

  it('is taken for inventory of a key of release 1.0', async () => {
    const scopes = ['integrations.inventorys.read', 'integrations.orders.read']
    const { key, ...record } = await issueKey(admin, { release: '1.0', scopes })
    expect(record.scopes).toEqual(['integrations.inventory.read', 'integrations.orders.read'])
    expect((await client(key).get('/inventory/')).status).toBe(200)
    expectRefusal(await client(key).post('/inventory/', {}), 403, 'SCOPE_MISSING')
  })

  it('has its wildcard, and the same scope twice is one', async () => {
    const scopes = ['integrations.inventorys.*', 'integrations.inventory.*']
    expect((await issueKey(admin, { release: '1.0', scopes })).scopes).toEqual([
      'integrations.inventory.*',
    ])
  })

  it('is no scope of a current key', async () => {
    const scopes = ['integrations.shelves.read', 'integrations.inventorys.read']
    const answer = await admin.post(KEYS, { name: 'x', scopes })
    expectInvalid(answer, 'scopes[0]', 'scopes[1]')
    expect(answer.body.error.fields).toEqual({
      'scopes[0]': ['There is no scope "integrations.shelves.read".'],
      'scopes[1]': ['The scope "integrations.inventorys.read" exists only in release 1.0.'],
    })
    const { id } = await issueKey(admin)
    const change = { scopes: scopes.slice(1) }
    expectInvalid(await admin.put(`${KEYS}${id}/`, change), 'scopes[0]')
    expectInvalid(await admin.put(`${KEYS}${id}/`, { ...change, release: 'current' }), 'scopes[0]')
  })

  it.each([
    ['a pinned key', '1.0', {}],
    ['a key that becomes a pinned one', 'current', { release: '1.0' }],
  ])('may be given in a change of %s', async (_, release, change) => {
    const { id } = await issueKey(admin, { release })
    const scopes = ['integrations.inventorys.write']
    const { status, body } = await admin.put(`${KEYS}${id}/`, { scopes, ...change })
    expect([status, body.data.scopes]).toEqual([200, ['integrations.inventory.write']])
    await admin.put(`${KEYS}${id}/`, { release: 'current' })
    expect(await findKey(admin, id)).toMatchObject({
      release: 'current',
      scopes: ['integrations.inventory.write'],
    })
  })

  it('in a change of a key that is not there is 404', async () => {
    const change = { scopes: ['integrations.inventorys.write'] }
    expectRefusal(await admin.put(`${KEYS}none/`, change), 404, 'NOT_FOUND')
  })

  it.each(['integrations.inventorysx.read', 'integrations.inventorys', 'inventorys.read'])(
    'is not found in %s',
    async (scope) => {
      const body = { name: 'x', release: '1.0', scopes: [scope] }
      expectInvalid(await admin.post(KEYS, body), 'scopes[0]')
    },
  )
})

describe('the audit row of a release 1.0 answer', () => {
  it('holds the status that was answered', async () => {
    const { admin, pinned } = await sideBySide({ default_identifier_field: 'order_number' })
    const { headers, status } = await pinned.delete(await shippedOrderPath(admin))
    const { body } = await admin.get(`${AUDIT}?request_id=${headers.get('X-Request-Id')}`)
    expect(body.data).toMatchObject([{ status, error_code: 'SERVICE_ERROR' }])
    expect(status).toBe(500)
  })
})

describe('a change of release', () => {
  it('holds from the very next request on, both ways', async () => {
    const { key, admin, api } = await openPartner()
    const at = await newProductPath(admin)
    const statuses: number[] = []
    for (const release of ['current', '1.0', 'current', '1.0']) {
      await admin.put(`${KEYS}${key.id}/`, { release })
      statuses.push((await api.get(at)).status)
    }
    expect(statuses).toEqual([200, 400, 200, 400])
  })

  it('leaves the settings API as it is', async () => {
    const admin = (await sideBySide()).admin
    const { key } = await issueKey(admin, { release: '1.0', scopes: ['settings.*'] })
    const { status, body } = await client(key).get(`${KEYS}?limit=1`)
    expect([status, body.data.length, body.pagination.limit]).toEqual([200, 1, 1])
  })
})
