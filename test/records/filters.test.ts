import { beforeAll, describe, expect, it } from 'vitest'
import { digestOf, encodeCursor } from '../../src/engine/json/pagination.ts'
import { ORDER_STATUSES } from '../../src/engine/model/order.ts'
import { sample } from '../fixtures/depth.ts'
import { admin as api, db } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
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

async function list(where: string, by: Api = api): Promise<Json[]> {
  return dataOf(await by.get(where), 200)
}

const numbersOf = (rows: Json[]) => rows.map(({ order_number }) => order_number)

async function ordersCreated(...moments: string[]): Promise<string[]> {
  const numbers: string[] = []
  for (const moment of moments) {
    const { order_number } = await createOrder(api)
    await db
      .prepare('update orders set created_at = ? where order_number = ?')
      .bind(moment, order_number)
      .run()
    numbers.push(order_number)
  }
  return numbers
}

describe('GET /orders/ with status', () => {
  it('lists orders of one status, or of several, newest first, as without filters', async () => {
    const made: Json[] = []
    for (const status of ORDER_STATUSES) {
      const { order_number } = await createOrder(api)
      made.push(dataOf(await api.put(path('orders', order_number), { status }), 200))
    }
    for (const { order_number, status } of made) {
      const [newest] = await list(`/orders/?status=${status}`)
      const [same] = (await list('/orders/')).filter((one) => one.order_number === order_number)
      expect(newest).toStrictEqual(same)
    }
    const four = ['shipped', 'draft', 'verified', 'in_progress']
    const expected = made.filter(({ status }) => four.includes(status)).toReversed()
    const several = await list(`/orders/?status=${four.join()}&limit=4`)
    expect(numbersOf(several)).toEqual(numbersOf(expected))
    expect(await list(`/orders/?status=${four.slice(0, 2)},${four.slice(0, 2)}&limit=2`)).toEqual(
      several.filter(({ status }) => ['draft', 'shipped'].includes(status)),
    )
  })

  it.each([
    '',
    'lost',
    'Pending',
    'pending,',
    ',pending',
    'pending,,draft',
    'pending, draft',
    'pending;draft',
    'pending,lost',
    'draft,pending,in_progress,verified,shipped',
    ORDER_STATUSES.join(),
    '%00',
    'pending%0A',
  ])('is 400 VALIDATION_ERROR for status=%s', async (status) => {
    expectInvalid(await api.get(`/orders/?status=${status}`), 'status')
  })

  it('follows a change of status', async () => {
    const { order_number } = await createOrder(api)
    const [newest] = await list('/orders/?status=pending')
    expect(newest?.order_number).toBe(order_number)
    await api.delete(path('orders', order_number))
    expect(numbersOf(await list('/orders/?status=pending'))).not.toContain(order_number)
    expect((await list('/orders/?status=cancelled'))[0]?.order_number).toBe(order_number)
  })
})

describe('GET /orders/ with external_order_id', () => {
  it('lists all orders that have it, compared exactly', async () => {
    const external_order_id = `${unique('E')} é/&=+`
    const [one, two] = [
      await createOrder(api, { external_order_id }),
      await createOrder(api, { external_order_id }),
    ]
    await createOrder(api, { external_order_id: `${external_order_id}x` })
    const query = new URLSearchParams({ external_order_id })
    expect(numbersOf(await list(`/orders/?${query}`))).toEqual(numbersOf([two, one]))
    expect(await list(`/orders/?external_order_id=${unique('none')}`)).toEqual([])
  })
})

describe('GET /orders/ with order_number', () => {
  it('lists the order that has it, compared exactly, within a range of time', async () => {
    const order_number = `${unique('O')} é/&=+`
    const order = await createOrder(api, { order_number })
    const of = (query: object) =>
      list(`/orders/?${new URLSearchParams(query as Record<string, string>)}`)
    expect(numbersOf(await of({ order_number }))).toEqual([order.order_number])
    expect(await of({ order_number: order_number.toLowerCase() })).toEqual([])
    const { created_at } = order
    expect(await of({ order_number, created_from: created_at })).toHaveLength(1)
    expect(await of({ order_number, created_to: created_at })).toEqual([])
  })

  it('lists no order of others for a limited key', async () => {
    const partner = await openPartner()
    const fields = { partner_id: partner.id, own_orders_only: true }
    const limited = client((await issueKey(api, fields)).key)
    const { sku } = await createProduct(api)
    const items = [{ sku_code: sku, quantity: 1 }]
    const [own, other] = [
      await createOrder(partner.api, { items }),
      await createOrder(api, { items }),
    ]
    expect(await list(`/orders/?order_number=${own.order_number}`, limited)).toHaveLength(1)
    expect(await list(`/orders/?order_number=${other.order_number}`, limited)).toEqual([])
  })
})

describe('GET /orders/ with partner_id', () => {
  it('lists orders that keys of the partner have created, in our words for any key', async () => {
    const outbound = { fields: { no: 'order_number', state: 'status' } }
    const partner = await openPartner({ mappings: { orders: { outbound } } })
    const { sku } = await createProduct(api)
    const order_number = unique('O')
    const items = [{ sku_code: sku, quantity: 1 }]
    expect((await partner.api.post('/orders/', { order_number, items })).status).toBe(201)
    await createOrder(api)
    expect(numbersOf(await list(`/orders/?partner_id=${partner.id}`))).toEqual([order_number])
    const own = await list(`/orders/?partner_id=${partner.id}`, partner.api)
    expect(own).toEqual([{ no: order_number, state: 'pending' }])
    expect(await list('/orders/?partner_id=none')).toEqual([])
    const other = await openPartner()
    expect(await list(`/orders/?partner_id=${other.id}`)).toEqual([])
  })
})

describe('GET /orders/ with created_from and created_to', () => {
  it('includes the first moment and excludes the last, alone and beside another filter', async () => {
    const day = '2019-05-01T'
    const numbers = await ordersCreated(
      `${day}10:00:00.000Z`,
      `${day}11:00:00.000Z`,
      `${day}12:00:00.000Z`,
    )
    const [ten, eleven] = numbers
    const found = async (query: string) => numbersOf(await list(`/orders/?${query}`))
    expect(await found(`created_from=${day}10:00&created_to=${day}12:00:00Z`)).toEqual([
      eleven,
      ten,
    ])
    expect(await found(`created_from=${day}12:00%2B02:00&created_to=${day}11:00`)).toEqual([ten])
    expect(await found(`created_from=2019-05-01&created_to=2019-05-02&status=pending`)).toEqual(
      numbers.toReversed(),
    )
    expect(
      await found(`created_from=2019-05-01&created_to=2019-05-02&status=shipped,draft`),
    ).toEqual([])
    expect(await found(`created_to=${day}10:00`)).not.toContain(ten)
    expect((await found(`created_from=${day}12:00&limit=200`)).at(-1)).toBe(numbers[2])
    expect(await found(`created_from=${day}10:00&created_to=${day}10:00`)).toEqual([])
  })

  it('lists by created_at, and orders of one moment by their creation', async () => {
    const moments = ['2018-03-01', '2018-03-03', '2018-03-02', '2018-03-02', '2018-03-02']
    const numbers = await ordersCreated(...moments.map((day) => `${day}T00:00:00.000Z`))
    const expected = [1, 4, 3, 2, 0].map((at) => numbers[at])
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await api.get(
        `/orders/?created_from=2018-03-01&created_to=2018-03-04&limit=1${cursor}`,
      )
      seen.push(...numbersOf(body.data))
      if (body.pagination.next_cursor === null) break
      cursor = `&cursor=${body.pagination.next_cursor}`
    }
    expect(seen).toEqual(expected)
  })

  it.each(['', 'yesterday', '2026-02-30', '2026-03-01 02:00'])(
    'is 400 VALIDATION_ERROR for %j',
    async (moment) => {
      for (const name of ['created_from', 'created_to']) {
        expectInvalid(await api.get(`/orders/?${name}=${moment}`), name)
      }
    },
  )
})

describe('filters that do not go together', () => {
  it.each(
    sample(
      [
        ['/orders/?status=pending&partner_id=p', ['status', 'partner_id']],
        ['/orders/?external_order_id=e&status=pending', ['status', 'external_order_id']],
        [
          '/orders/?partner_id=p&external_order_id=e&created_from=2026-01-01',
          ['external_order_id', 'partner_id'],
        ],
        [
          '/orders/?partner_id=p&external_order_id=e&status=draft',
          ['status', 'external_order_id', 'partner_id'],
        ],
        ['/orders/?created_from=2026-01-02&created_to=2026-01-01', ['created_from', 'created_to']],
        ['/orders/?order_number=O&status=draft', ['status', 'order_number']],
        ['/orders/?partner_id=p&order_number=O', ['order_number', 'partner_id']],
        ['/inventory/A/history/?location_code=B', ['location_code']],
        ['/inventory/A/history/?by=sku&sku_code=B', ['sku_code']],
        ['/inventory/?quantity_below=102', ['quantity_below', 'location_code', 'sku_code']],
      ],
      4,
    ),
  )('are 400 VALIDATION_ERROR that names them: %s', async (where, names) => {
    expectInvalid(await api.get(where), ...names)
  })
})

describe.each([
  ['products', createProduct, 'sku'],
  ['locations', createLocation, 'code'],
])('GET /%s/ with is_active', (resource, create, name) => {
  it('lists active records, inactive ones or both, newest first', async () => {
    const [first, second] = [(await create(api))[name], (await create(api))[name]]
    await api.delete(path(resource, first))
    const top = async (query: string) => {
      const rows = await list(`/${resource}/?limit=200&${query}`)
      return rows
        .filter((row) => [first, second].includes(row[name]))
        .map((row) => [row[name], row.is_active])
    }
    for (const query of ['', 'is_active=true']) expect(await top(query)).toEqual([[second, true]])
    expect(await top('is_active=false')).toEqual([[first, false]])
    expect(await top('is_active=all')).toEqual([
      [second, true],
      [first, false],
    ])
  })

  it.each(['', 'yes', '1', 'TRUE', 'none', 'true,false'])(
    'is 400 VALIDATION_ERROR for is_active=%s',
    async (value) => {
      expectInvalid(await api.get(`/${resource}/?is_active=${value}`), 'is_active')
    },
  )

  it(`lists the one of a ${name}, compared exactly, if it is as active as asked`, async () => {
    const value = `${unique('N')} é/&=+`
    await create(api, { [name]: value })
    const found = async (query: object) =>
      (await list(`/${resource}/?${new URLSearchParams({ [name]: value, ...query })}`)).map(
        (row) => row[name],
      )
    expect(await found({})).toEqual([value])
    expect(await found({ [name]: value.toLowerCase() })).toEqual([])
    await api.delete(path(resource, value))
    expect(await found({})).toEqual([])
    expect(await found({ is_active: 'false' })).toEqual([value])
    expect(await found({ is_active: 'all' })).toEqual([value])
    const csv = await api.get(
      `/${resource}/?${new URLSearchParams({ [name]: value, is_active: 'all' })}`,
      { headers: { Accept: 'text/csv' } },
    )
    expect(csv.text.trim().split('\r\n')).toHaveLength(2)
  })

  it('takes the cursor of a list without it for is_active=true, which is the same list', async () => {
    await create(api)
    await create(api)
    const { next_cursor } = (await api.get(`/${resource}/?limit=1`)).body.pagination
    const answers = await Promise.all(
      ['', '&is_active=true'].map((query) =>
        api.get(`/${resource}/?limit=1&cursor=${next_cursor}${query}`),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    for (const other of ['false', 'all']) {
      const answer = await api.get(`/${resource}/?cursor=${next_cursor}&is_active=${other}`)
      expectInvalid(answer, 'cursor')
    }
  })
})

describe('GET /products/ with without_stock', () => {
  it('lists products without a record of stock, the active ones unless asked', async () => {
    const [bare, sold, stocked, inactive] = await Promise.all(
      [true, true, true, false].map(
        async (is_active) => (await createProduct(api, { is_active })).sku,
      ),
    )
    await stock(api, { sku_code: sold, quantity: 0 })
    await stock(api, { sku_code: stocked, quantity: 5 })
    const of = async (query: string) =>
      (await list(`/products/?limit=200&without_stock=true${query}`))
        .map(({ sku }) => sku)
        .filter((sku) => [bare, sold, stocked, inactive].includes(sku))
    expect(await of('')).toEqual([bare])
    expect(await of('&is_active=false')).toEqual([inactive])
    expect((await of('&is_active=all')).toSorted()).toEqual([bare, inactive].toSorted())
    expect(await of(`&sku=${bare}`)).toEqual([bare])
    expect(await of(`&sku=${sold}`)).toEqual([])
    expect(await list(`/products/?sku=${sold}&without_stock=false`)).toHaveLength(1)
    const shown = await list(`/products/?sku=${bare}&without_stock=true`)
    expect(shown).toEqual(await list(`/products/?sku=${bare}`))
  })

  it.each(['no', '1', ''])('is 400 VALIDATION_ERROR for without_stock=%s', async (value) => {
    expectInvalid(await api.get(`/products/?without_stock=${value}`), 'without_stock')
  })
})

describe('GET /inventory/ with codes and quantity_below', () => {
  it('lists records of a location, of a SKU, or of both, that have less', async () => {
    const [here, there] = [(await createLocation(api)).code, (await createLocation(api)).code]
    const [tea, mug] = [(await createProduct(api)).sku, (await createProduct(api)).sku]
    const rows: Json[] = []
    for (const [location_code, sku_code, quantity] of [
      [here, tea, 5],
      [here, mug, 0],
      [there, tea, 9],
    ]) {
      rows.push(await stock(api, { location_code, sku_code, quantity }))
    }
    const [hereTea, hereMug, thereTea] = rows
    const of = (query: object) =>
      list(`/inventory/?${new URLSearchParams(query as Record<string, string>)}`)
    expect(await of({ location_code: here })).toEqual([hereMug, hereTea])
    expect(await of({ sku_code: tea })).toEqual([thereTea, hereTea])
    expect(await of({ sku_code: tea, location_code: here })).toEqual([hereTea])
    expect(await of({ sku_code: mug, location_code: there })).toEqual([])
    expect(await of({ location_code: here, quantity_below: '5' })).toEqual([hereMug])
    expect(await of({ location_code: here, quantity_below: '6' })).toEqual([hereMug, hereTea])
    expect(await of({ sku_code: tea, location_code: there, quantity_below: '10' })).toEqual([
      thereTea,
    ])
    expect(await of({ sku_code: tea, quantity_below: '5' })).toEqual([])
    expect(await of({ location_code: unique('none'), quantity_below: '5' })).toEqual([])
    expect(await of({ sku_code: unique('none') })).toEqual([])
    const { body } = await api.get(`/inventory/?location_code=${here}&quantity_below=6&limit=1`)
    expect(body.pagination).toEqual({ limit: 1, next_cursor: expect.any(String) })
    const next = `&cursor=${body.pagination.next_cursor}`
    const last = await api.get(`/inventory/?limit=1&quantity_below=6${next}&location_code=${here}`)
    expect(last.body).toStrictEqual({
      success: true,
      data: [hereTea],
      pagination: { limit: 1, next_cursor: null },
    })
  })

  it('lists low stock of all locations by quantity, then by age', async () => {
    const rows: Json[] = []
    for (const quantity of [7, 0, 100, 7, 101, 3]) rows.push(await stock(api, { quantity }))
    const [seven, none, hundred, otherSeven, , three] = rows
    const mine = (found: Json[]) =>
      found.filter((row) => rows.some(({ sku_code }) => sku_code === row.sku_code))
    expect(mine(await list('/inventory/?quantity_below=101&limit=200'))).toEqual([
      none,
      three,
      seven,
      otherSeven,
      hundred,
    ])
    expect(mine(await list('/inventory/?quantity_below=7&limit=200'))).toEqual([none, three])
    const answer = await api.get('/inventory/?quantity_below=102')
    expect(answer.body.error.message).toBe(
      'Send quantity_below beside location_code or sku_code; alone it is at most 101.',
    )
  })

  it.each([
    ['no quantity', undefined],
    ['a quantity beyond the filter', '5'],
    ['a time', '2026-01-01T00:00:00.000Z'],
    ['a negative quantity', '-1'],
  ])('refuses a cursor with %s', async (_, created_at) => {
    const filters = digestOf({ quantity_below: 5 })
    const cursor = encodeCursor('inventory', { tenant: 'demo', seq: 1, filters, created_at })
    expectInvalid(await api.get(`/inventory/?quantity_below=5&cursor=${cursor}`), 'cursor')
    const taken = { tenant: 'demo', seq: 1, filters, created_at: '4' }
    const other = await api.get(
      `/inventory/?quantity_below=5&cursor=${encodeCursor('inventory', taken)}`,
    )
    expect(other.status).toBe(200)
  })

  it.each(sample(['', '0', '-1', '1.5', 'x', '2000000001', '1e3', '99999999999'], 4))(
    'is 400 VALIDATION_ERROR for quantity_below=%s',
    async (below) => {
      const answer = await api.get(`/inventory/?location_code=L&quantity_below=${below}`)
      expectInvalid(answer, 'quantity_below')
    },
  )
})

describe('a parameter that is empty', () => {
  it.each(
    sample(
      [
        ['/orders/', 'order_number'],
        ['/orders/', 'external_order_id'],
        ['/orders/', 'partner_id'],
        ['/products/', 'sku'],
        ['/locations/', 'code'],
        ['/inventory/', 'location_code'],
        ['/inventory/', 'sku_code'],
      ],
      3,
    ),
  )('of %s is 400 VALIDATION_ERROR: %s', async (where, name) => {
    expectInvalid(await api.get(`${where}?${name}=`), name)
  })
})

describe('a filter of another list', () => {
  it.each(
    sample(
      [
        ['/orders/', 'is_active'],
        ['/products/', 'status'],
        ['/locations/', 'location_code'],
        ['/inventory/', 'created_from'],
      ],
      3,
    ),
  )('is 400 VALIDATION_ERROR on %s: %s', async (where, name) => {
    expectInvalid(await api.get(`${where}?${name}=pending`), name)
  })
})

describe('a cursor of a list with filters', () => {
  const QUERY = 'status=pending,draft&created_from=2020-01-01T00:00:00Z'
  let cursor: string

  beforeAll(async () => {
    await createOrder(api)
    await createOrder(api)
    cursor = (await api.get(`/orders/?${QUERY}&limit=1`)).body.pagination.next_cursor
  })

  it.each(
    sample(
      [
        'status=draft,pending&created_from=2020-01-01',
        'created_from=2020-01-01T01:00:00%2B01:00&status=pending,draft',
        'status=pending,draft,pending&created_from=2020-01-01Z&limit=7',
      ],
      3,
    ),
  )('is taken for the same filters, however they are written: %s', async (query) => {
    const asked = await api.get(`/orders/?${query}&cursor=${cursor}`)
    const { body } = await api.get(`/orders/?${QUERY}&cursor=${cursor}`)
    const shown = asked.body.data.length
    expect(numbersOf(asked.body.data)).toEqual(numbersOf(body.data).slice(0, shown))
    expect(shown).toBeGreaterThan(0)
  })

  it.each(
    sample(
      [
        '',
        'status=pending',
        'status=pending,draft',
        'status=pending,draft,shipped&created_from=2020-01-01',
        'status=pending,draft&created_from=2020-01-02',
        'status=pending,draft&created_from=2020-01-01&created_to=2030-01-01',
        'created_from=2020-01-01',
        'external_order_id=x',
      ],
      3,
    ),
  )('is 400 VALIDATION_ERROR for others: %s', async (query) => {
    expectInvalid(await api.get(`/orders/?${query}&cursor=${cursor}`), 'cursor')
  })

  it('is 400 VALIDATION_ERROR if it is of the list without filters', async () => {
    const { next_cursor } = (await api.get('/orders/?limit=1')).body.pagination
    expectInvalid(await api.get(`/orders/?${QUERY}&cursor=${next_cursor}`), 'cursor')
  })

  it('of the list without filters is as it always was', async () => {
    const { next_cursor } = (await api.get('/orders/?limit=1')).body.pagination
    const newest = await db.prepare('select max(seq) as seq from orders').first<number>('seq')
    expect(next_cursor).toBe(encodeCursor('orders', { tenant: 'demo', seq: newest ?? 0 }))
  })
})
