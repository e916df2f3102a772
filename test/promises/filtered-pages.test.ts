import { beforeAll, describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { openPartner } from '../fixtures/partner.ts'
import { issueKey } from '../fixtures/settings.ts'
import { type Api, client, type Json, unique } from '../fixtures/tenant.ts'
import {
  createLocation,
  createOrder,
  createProduct,
  dataOf,
  path,
  stock,
} from '../fixtures/warehouse.ts'

// P6 (docs/ARCHITECTURE.md) of lists with filters: a walk sees each row once that matched throughout, whatever
// others write meanwhile.

const LIMIT = 3
const EARLIER = 17

let api: Api
let admin: Api
let limited: Api
let partner: string
let items: Json[]

beforeAll(async () => {
  ;({ api, admin, id: partner } = await openPartner())
  const fields = { name: unique('limited'), partner_id: partner, own_orders_only: true }
  limited = client((await issueKey(admin, fields)).key)
  items = [{ sku_code: (await createProduct(api)).sku, quantity: 1 }]
})

interface Filtered {
  query: () => string
  /** Makes a record that matches, or one that does not; gives its name. */
  make: (matches: boolean) => Promise<string>
  /** Changes a record that matches so that it still matches. */
  keep: (name: string) => Promise<unknown>
  /** Changes a record that does not match so that it does, or the other way round. */
  turn: (name: string, matches: boolean) => Promise<unknown>
  nameOf: (row: Json) => string
  isOldestFirst?: boolean
  /** Who reads it. */
  reader?: () => Api
}

const EXTERNAL = unique('E')
const SHELF = unique('L')
const FLOOR = unique('L')
const RACK = unique('L')

const setStatus = (name: string, status: string) => api.put(path('orders', name), { status })
const order = async (fields: object, by: Api = api) =>
  (await createOrder(by, { items, ...fields })).order_number as string
const ofStatus = async (status: string) => {
  const name = await order({})
  dataOf(await setStatus(name, status), 200)
  return name
}
const note = (name: string) => api.put(path('orders', name), { notes: unique('note') })
const quantity = async (sku_code: string, value: number) =>
  await stock(api, { location_code: SHELF, sku_code, quantity: value })

const onRack = async (sku_code: string, value: number) => {
  await stock(api, { location_code: RACK, sku_code, quantity: value })
  return sku_code
}

const LISTS: [string, Filtered][] = [
  [
    'GET /orders/ with status',
    {
      query: () => '/orders/?status=in_progress,partially_verified',
      make: (matches) => ofStatus(matches ? 'in_progress' : 'draft'),
      keep: (name) => setStatus(name, 'partially_verified'),
      turn: (name, matches) => setStatus(name, matches ? 'in_progress' : 'shipped'),
      nameOf: ({ order_number }) => order_number,
    },
  ],
  [
    'GET /orders/ with external_order_id',
    {
      query: () => `/orders/?external_order_id=${EXTERNAL}&created_from=2020-01-01`,
      make: (matches) => order({ external_order_id: matches ? EXTERNAL : unique('E') }),
      keep: note,
      turn: note,
      nameOf: ({ order_number }) => order_number,
    },
  ],
  [
    'GET /orders/ with partner_id',
    {
      query: () => `/orders/?partner_id=${partner}`,
      make: (matches) => order({}, matches ? api : admin),
      keep: note,
      turn: note,
      nameOf: ({ order_number }) => order_number,
    },
  ],
  [
    'GET /orders/ of a limited key',
    {
      query: () => '/orders/?',
      make: (matches) => order({}, matches ? limited : admin),
      keep: note,
      turn: note,
      nameOf: ({ order_number }) => order_number,
      reader: () => limited,
    },
  ],
  [
    'GET /orders/ of a limited key with status',
    {
      query: () => '/orders/?status=in_progress,partially_verified',
      make: async (matches) => {
        const name = await order({}, limited)
        dataOf(await setStatus(name, matches ? 'in_progress' : 'draft'), 200)
        await order({}, admin)
        return name
      },
      keep: (name) => setStatus(name, 'partially_verified'),
      turn: (name, matches) => setStatus(name, matches ? 'in_progress' : 'shipped'),
      nameOf: ({ order_number }) => order_number,
      reader: () => limited,
    },
  ],
  [
    'GET /products/ with is_active',
    {
      query: () => '/products/?is_active=false',
      make: async (matches) => (await createProduct(api, { is_active: !matches })).sku,
      keep: (name) => api.put(path('products', name), { quantity: 5 }),
      turn: (name, matches) => api.put(path('products', name), { is_active: !matches }),
      nameOf: ({ sku }) => sku,
    },
  ],
  [
    'GET /products/ with without_stock',
    {
      query: () => '/products/?without_stock=true&is_active=all',
      make: async (matches) => {
        const { sku } = await createProduct(api)
        if (!matches) await stock(api, { sku_code: sku })
        return sku
      },
      keep: (name) => api.put(path('products', name), { quantity: 5 }),
      turn: (name) => stock(api, { sku_code: name }),
      nameOf: ({ sku }) => sku,
    },
  ],
  [
    'GET /locations/ with is_active',
    {
      query: () => '/locations/?is_active=all',
      make: async () => (await createLocation(api)).code,
      keep: (name) => api.delete(path('locations', name)),
      turn: (name) => api.delete(path('locations', name)),
      nameOf: ({ code }) => code,
    },
  ],
  [
    'GET /inventory/ with quantity_below',
    {
      query: () => `/inventory/?location_code=${SHELF}&quantity_below=10`,
      make: async (matches) => {
        const sku_code = (await createProduct(api)).sku as string
        const location_code = matches ? SHELF : FLOOR
        await stock(api, { location_code, sku_code, quantity: 5 })
        return sku_code
      },
      keep: (name) => quantity(name, 7),
      turn: (name, matches) => quantity(name, matches ? 1 : 100),
      nameOf: ({ sku_code }) => sku_code,
    },
  ],
  [
    'GET /inventory/ with quantity_below alone',
    {
      query: () => '/inventory/?quantity_below=10',
      make: async (matches) => onRack((await createProduct(api)).sku, matches ? 5 : 1000),
      keep: (name) => onRack(name, 5),
      turn: (name, matches) => onRack(name, matches ? 1 : 1000),
      nameOf: ({ location_code, sku_code }) =>
        location_code === RACK ? sku_code : `${location_code} ${sku_code}`,
      isOldestFirst: true,
    },
  ],
]

beforeAll(async () => {
  for (const code of [SHELF, FLOOR, RACK]) await createLocation(api, { code })
})

describe.each(sample(LISTS, 1))('%s, page by page while others write', (_, list) => {
  it('gives every row once that matches throughout, in the order of the list', async () => {
    const { make, keep, turn, nameOf, reader = () => api } = list
    const earlier: string[] = []
    const others: string[] = []
    for (let n = 0; n < EARLIER; n++) {
      earlier.push(await make(true))
      others.push(await make(false))
    }
    const leaving = await make(true)
    const seen: Json[] = []
    let cursor: string | null = null
    let page = 0
    do {
      const next: string = cursor ? `&cursor=${cursor}` : ''
      const { body } = await reader().get(`${list.query()}&limit=${LIMIT}${next}`)
      seen.push(...body.data)
      cursor = body.pagination.next_cursor
      const at = page++ % EARLIER
      await Promise.all([make(true), make(false)])
      await keep(earlier[at] as string)
      await turn(others[at] as string, true)
      await turn(leaving, false)
    } while (cursor)
    const names = seen.map(nameOf)
    expect(new Set(names).size).toBe(names.length)
    const inOrder = list.isOldestFirst ? earlier : earlier.toReversed()
    expect(names.filter((name) => earlier.includes(name))).toEqual(inOrder)
  })
})
