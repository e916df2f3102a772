import { beforeAll, describe, expect, it } from 'vitest'
import { openPartner, type PartnerOptions } from '../partner.ts'
import {
  createLocation,
  createOrder,
  createProduct,
  dataOf,
  path,
  stock,
} from '../resources/warehouse.ts'
import { expectInvalid, expectRefusal } from '../security/refusal.ts'
import { AUDIT, findKey, issueKey, KEYS } from '../settings/settings.ts'
import { type Answer, type Api, client, type Json, openTenant, unique } from '../tenant.ts'
import { type Callers, sideBySide } from './callers.ts'

// Spec 9, line by line: what a key pinned to 1.0 gets, beside what a current one gets for the same
// request.

interface Difference {
  title: string
  partner?: PartnerOptions
  /** Makes what the request is about, once for each of the two; gives the request. */
  request: (admin: Api) => Promise<[method: string, path: string, body?: Json]>
  current: unknown
  pinned: unknown
  /** What of the answer is compared. */
  told?: (answer: Answer) => unknown
}

const codeOf = ({ status, body }: Answer) => (body.success ? status : [status, body.error.code])
const fieldsOf = (answer: Answer) => Object.keys(answer.body.data[0] ?? {})
const warnedOf = ({ status, body }: Answer) => [
  status,
  (body.warnings ?? []).map(({ field }: Json) => field),
]
const listOf = ({ status, body }: Answer) => ({
  status,
  records: body.data?.length,
  members: Object.keys(body),
  warned: (body.warnings ?? []).map(({ field }: Json) => field),
})

const CURRENT_LIST = { status: 200, members: ['success', 'data', 'pagination'], warned: [] }
const LIST_1_0 = { status: 200, records: 100, members: ['success', 'data'], warned: [] }
const NEITHER = [400, 'SERVICE_ERROR']

const newOrderPath = async (admin: Api) => path('orders', (await createOrder(admin)).order_number)
const shippedOrderPath = async (admin: Api) => {
  const at = await newOrderPath(admin)
  dataOf(await admin.put(at, { status: 'shipped' }), 200)
  return at
}
const newProductPath = async (admin: Api) => path('products', (await createProduct(admin)).sku)
const newLocationPath = async (admin: Api) => path('locations', (await createLocation(admin)).code)
const stockedPath = async (admin: Api) =>
  path('inventory', (await stock(admin, { quantity: 3 })).location_code)
const stockedSkuPath = async (admin: Api) =>
  path('inventory', (await stock(admin, { quantity: 3 })).sku_code)

const MAPPED = {
  mappings: { orders: { inbound: { fields: { 'items[].sku_code': 'lines[].a.b' } } } },
}
const UNMAPPABLE = { order_number: 'x', lines: [{ a: 'no object' }] }
const BY_EXTERNAL_ID = { mappings: { orders: { identifier_field: 'external_order_id' } } }
const BY_DEFAULT = { default_identifier_field: 'external_order_id' }

const LISTS: Difference[] = ['products', 'locations', 'inventory'].flatMap((resource) => [
  {
    title: `GET /${resource}/`,
    request: async () => ['GET', `/${resource}/`],
    current: { ...CURRENT_LIST, records: 50 },
    pinned: LIST_1_0,
    told: listOf,
  },
  {
    title: `GET /${resource}/ with a limit and a cursor`,
    request: async () => ['GET', `/${resource}/?limit=7&cursor=nonsense&limit=9`],
    current: [400, 'VALIDATION_ERROR'],
    pinned: [200, ['limit', 'cursor']],
    told: (answer) => (answer.status === 200 ? warnedOf(answer) : codeOf(answer)),
  },
  {
    title: `HEAD /${resource}/ with a bad limit`,
    request: async () => ['HEAD', `/${resource}/?limit=0`],
    current: 400,
    pinned: 200,
    told: ({ status }) => status,
  },
])

const STOCK: Difference[] = [
  {
    title: 'GET /inventory/{location_code}/',
    request: async (admin) => ['GET', await stockedPath(admin)],
    current: ['location_code', 'sku_code', 'quantity'],
    pinned: ['sku_code', 'quantity'],
    told: fieldsOf,
  },
  {
    title: 'GET /inventory/{sku_code}/?by=sku',
    request: async (admin) => ['GET', `${await stockedSkuPath(admin)}?by=sku`],
    current: [1, undefined],
    pinned: [0, ['by']],
    told: ({ body }) => [body.data.length, body.warnings?.map(({ field }: Json) => field)],
  },
  {
    title: 'GET /inventory/{location_code}/ with a bad by',
    request: async (admin) => ['GET', `${await stockedPath(admin)}?by=shelf&by=x`],
    current: [400, 'VALIDATION_ERROR'],
    pinned: 200,
  },
  {
    title: 'GET /inventory/{location_code}/ with an outbound mapping',
    partner: {
      mappings: { inventory: { outbound: { fields: { bin: 'location_code', qty: 'quantity' } } } },
    },
    request: async (admin) => ['GET', await stockedPath(admin)],
    current: ['bin', 'qty'],
    pinned: ['qty'],
    told: fieldsOf,
  },
]

const byExternalId = async (admin: Api) =>
  path('orders', (await createOrder(admin, { external_order_id: unique('E') })).external_order_id)

const IDENTIFIERS: Difference[] = [
  ...(
    [
      ['orders', newOrderPath],
      ['products', newProductPath],
      ['locations', newLocationPath],
    ] as const
  ).flatMap(([resource, at]) =>
    ['GET', 'PUT', 'DELETE'].flatMap((method) => [
      {
        title: `${method} /${resource}/{identifier}/ of a pass-through key`,
        request: async (admin: Api) => [method, await at(admin)] as [string, string],
        current: 200,
        pinned: NEITHER,
      },
      {
        title: `${method} /${resource}/{identifier}/ of a partner without settings`,
        partner: {},
        request: async (admin: Api) => [method, await at(admin)] as [string, string],
        current: 200,
        pinned: NEITHER,
      },
    ]),
  ),
  {
    title: 'GET /orders/{identifier}/ by an override',
    partner: BY_EXTERNAL_ID,
    request: async (admin) => ['GET', await byExternalId(admin)],
    current: 200,
    pinned: 200,
  },
  {
    title: "GET /orders/{identifier}/ by the partner's default",
    partner: BY_DEFAULT,
    request: async (admin) => ['GET', await byExternalId(admin)],
    current: 200,
    pinned: 200,
  },
  {
    title: "GET /products/{identifier}/ where the partner's default is no field of products",
    partner: BY_DEFAULT,
    request: async (admin) => ['GET', await newProductPath(admin)],
    current: 200,
    pinned: NEITHER,
  },
  {
    title: 'GET /orders/{identifier}/ of an order that is not there, by an override',
    partner: BY_EXTERNAL_ID,
    request: async () => ['GET', path('orders', unique('none'))],
    current: [404, 'NOT_FOUND'],
    pinned: [404, 'NOT_FOUND'],
  },
]

const STATUSES: Difference[] = [
  {
    title: 'POST /orders/ that the mapping does not fit',
    partner: MAPPED,
    request: async () => ['POST', '/orders/', UNMAPPABLE],
    current: [422, 'MAPPING_ERROR'],
    pinned: [400, 'MAPPING_ERROR'],
  },
  {
    title: 'DELETE /orders/{identifier}/ of a shipped order',
    partner: { default_identifier_field: 'order_number' },
    request: async (admin) => ['DELETE', await shippedOrderPath(admin)],
    current: [400, 'SERVICE_ERROR'],
    pinned: [500, 'SERVICE_ERROR'],
  },
  {
    title: 'PUT /orders/{identifier}/ that cancels a shipped order',
    partner: { default_identifier_field: 'order_number' },
    request: async (admin) => ['PUT', await shippedOrderPath(admin), { status: 'cancelled' }],
    current: [400, 'SERVICE_ERROR'],
    pinned: [500, 'SERVICE_ERROR'],
  },
  {
    title: 'PUT /orders/{identifier}/ that reopens a shipped order',
    partner: { default_identifier_field: 'order_number' },
    request: async (admin) => ['PUT', await shippedOrderPath(admin), { status: 'pending' }],
    current: [400, 'SERVICE_ERROR'],
    pinned: [400, 'SERVICE_ERROR'],
  },
  {
    title: 'POST /orders/ with an unknown SKU',
    request: async () => [
      'POST',
      '/orders/',
      { order_number: unique('O'), items: [{ sku_code: unique('none'), quantity: 1 }] },
    ],
    current: [400, 'SERVICE_ERROR'],
    pinned: [400, 'SERVICE_ERROR'],
  },
]

const LOCATIONS: Difference[] = [
  {
    title: 'PUT /locations/{code}/ with is_active',
    partner: { default_identifier_field: 'code' },
    request: async (admin) => [
      'PUT',
      await newLocationPath(admin),
      { zone: 'Z', is_active: false },
    ],
    current: { is_active: false, zone: 'Z', warned: [200, []] },
    pinned: { is_active: true, zone: 'Z', warned: [200, ['is_active']] },
    told: (answer) => {
      const { is_active, zone } = answer.body.data
      return { is_active, zone, warned: warnedOf(answer) }
    },
  },
  {
    title: 'PUT /locations/{code}/ with an is_active that is no boolean',
    partner: { default_identifier_field: 'code' },
    request: async (admin) => ['PUT', await newLocationPath(admin), { is_active: 'yes' }],
    current: [400, 'VALIDATION_ERROR'],
    pinned: 200,
  },
  {
    title: "PUT /locations/{code}/ with an is_active in the partner's own words",
    partner: {
      default_identifier_field: 'code',
      mappings: { locations: { inbound: { fields: { is_active: 'usable' } } } },
    },
    request: async (admin) => ['PUT', await newLocationPath(admin), { usable: false }],
    current: [false, undefined],
    pinned: [
      true,
      [
        {
          field: 'is_active',
          message: 'Unknown in release 1.0: it had no effect.',
          source: 'usable',
        },
      ],
    ],
    told: ({ body }) => [body.data.is_active, body.warnings],
  },
]

const AS_CURRENT: Difference[] = [
  {
    title: 'GET /orders/?limit=2',
    request: async () => ['GET', '/orders/?limit=2'],
    current: { ...CURRENT_LIST, records: 2 },
    pinned: { ...CURRENT_LIST, records: 2 },
    told: listOf,
  },
  {
    title: 'PUT /products/{sku}/ with is_active',
    partner: { default_identifier_field: 'sku' },
    request: async (admin) => ['PUT', await newProductPath(admin), { is_active: false }],
    current: [false, undefined],
    pinned: [false, undefined],
    told: ({ body }) => [body.data.is_active, body.warnings],
  },
  {
    title: 'POST /products/ of a SKU that exists',
    request: async (admin) => ['POST', '/products/', { sku: (await createProduct(admin)).sku }],
    current: [409, 'DUPLICATE'],
    pinned: [409, 'DUPLICATE'],
  },
]

beforeAll(async () => {
  const db = await openTenant()
  const [name, times] = [unique('many'), "'2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'"]
  const fill = (table: string, columns: string, values: string) =>
    db.prepare(
      `with recursive n (i) as (select 0 union all select i + 1 from n where i < 119)
       insert into ${table} (${columns}) select ${values} from n`,
    )
  const at = `'${name}-' || i`
  await db.batch([
    fill('products', 'id, sku, created_at, updated_at', `${at}, ${at}, ${times}`),
    fill('locations', 'id, code, created_at, updated_at', `${at}, ${at}, ${times}`),
    fill('inventory', 'location_code, sku_code, quantity', `${at}, ${at}, 1`),
    fill('orders', 'id, order_number, created_at, updated_at', `${at}, ${at}, ${times}`),
  ])
})

describe.each([...LISTS, ...STOCK, ...IDENTIFIERS, ...STATUSES, ...LOCATIONS, ...AS_CURRENT])(
  '$title',
  ({ partner, request, current, pinned, told = codeOf }) => {
    it('is answered to a current key and to one of 1.0 as each expects', async () => {
      const callers = await sideBySide(partner)
      const [now, then] = [
        await callers.current.call(...(await request(callers.admin))),
        await callers.pinned.call(...(await request(callers.admin))),
      ]
      expect({ current: told(now), pinned: told(then) }).toEqual({ current, pinned })
    })
  },
)

describe('a record that nobody can name in release 1.0', () => {
  it.each([
    ['this key has no partner', undefined],
    ["this partner's name none", {}],
  ])('is refused with the reason: %s', async (reason, partner) => {
    const { pinned } = await sideBySide(partner)
    expectRefusal(
      await pinned.get('/orders/x/'),
      400,
      'SERVICE_ERROR',
      `In release 1.0 orders have no identifier but the one that a partner's settings name, and ${reason}.`,
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

describe('GET /inventory/{location_code}/ of 10,001 records, in release 1.0', () => {
  it('shows each by its SKU and quantity', async () => {
    const { admin, pinned } = await sideBySide()
    const db = await openTenant()
    const { code } = await createLocation(admin)
    const many = 'with recursive n (i) as (select 0 union all select i + 1 from n where i < 10000)'
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
      'scopes[1]': ['There is no scope "integrations.inventorys.read" but in release 1.0.'],
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
