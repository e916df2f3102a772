import { beforeAll, describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import type { PartnerOptions } from '../fixtures/partner.ts'
import { type Answer, type Api, type Json, unique } from '../fixtures/tenant.ts'
import { createLocation, createOrder, createProduct, path, stock } from '../fixtures/warehouse.ts'
import { sideBySide } from './callers.ts'
import { newOrderPath, newProductPath, shippedOrderPath } from './differences.ts'
import { addManyRecords } from './many-records.ts'

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

const FILTERS: Difference[] = [
  ['orders', 'status', 'lost'],
  ['orders', 'external_order_id', ''],
  ['orders', 'partner_id', ''],
  ['orders', 'created_from', 'x'],
  ['orders', 'created_to', 'x'],
  ['products', 'is_active', 'x'],
  ['locations', 'is_active', 'x'],
  ['inventory', 'location_code', ''],
  ['inventory', 'sku_code', ''],
  ['inventory', 'quantity_below', 'x'],
].map(([resource, name, value]) => ({
  title: `GET /${resource}/ with a bad ${name}`,
  request: async () => ['GET', `/${resource}/?${name}=${value}`],
  current: [400, 'VALIDATION_ERROR'],
  pinned: [200, [name]],
  told: (answer) => (answer.status === 200 ? warnedOf(answer) : codeOf(answer)),
}))

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
    pinned: [0, ['location_code', 'by']],
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

beforeAll(addManyRecords)

describe.each(
  sample(
    [...LISTS, ...FILTERS, ...STOCK, ...IDENTIFIERS, ...STATUSES, ...LOCATIONS, ...AS_CURRENT],
    15,
  ),
)('$title', ({ partner, request, current, pinned, told = codeOf }) => {
  it('is answered to a current key and to one of 1.0 as each expects', async () => {
    const callers = await sideBySide(partner)
    const [now, then] = [
      await callers.current.call(...(await request(callers.admin))),
      await callers.pinned.call(...(await request(callers.admin))),
    ]
    expect({ current: told(now), pinned: told(then) }).toEqual({ current, pinned })
  })
})
