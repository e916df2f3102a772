import { describe, expect, it } from 'vitest'
import { Location } from '../../src/engine/model/location.ts'
import { Product } from '../../src/engine/model/product.ts'
import { OrderRecord } from '../../src/records/orders/schema.ts'
import { sample } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { api } from '../fixtures/opened-api.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import {
  type Api,
  aMoment,
  bodyWith,
  createLocation,
  createOrder,
  createProduct,
  dataOf,
  expectError,
  ID,
  NO_OBJECTS,
  ODD_NAMES,
  ODD_WHOLES,
  oneLine,
  path,
  TIME,
  warnedFields,
} from '../fixtures/warehouse.ts'

// What holds alike of orders, products and locations: names, bodies, paths.

interface Kind {
  resource: string
  /** The field that holds the name. */
  name: string
  /** Fields that a new record must have. */
  required: string[]
  /** What says no to a name that is taken. */
  taken: [status: number, code: string]
  create: (api: Api, fields?: object) => Promise<Json>
  /** Of a new record, but for its name. */
  rest: () => Promise<object>
  full: object
  /** One good field, and one that is bad. */
  change: object
  bad: [field: string, value: unknown]
  /** What an update changes beside its fields. */
  touched: object
  gone: object
}

const ORDERS: Kind = {
  resource: 'orders',
  name: 'order_number',
  required: ['order_number', 'items'],
  taken: [400, 'VALIDATION_ERROR'],
  create: createOrder,
  rest: async () => ({ items: await oneLine(api) }),
  full: { customer_name: 'Ada Lovelace', notes: 'Leave at the door.', metadata: { tags: ['a'] } },
  change: { notes: 'x' },
  bad: ['due_date', 'soon'],
  touched: { updated_at: TIME },
  gone: { status: 'cancelled' },
}

const PRODUCTS: Kind = {
  resource: 'products',
  name: 'sku',
  required: ['sku'],
  taken: [409, 'DUPLICATE'],
  create: createProduct,
  rest: async () => ({}),
  full: { quantity: 4, cost: 2.5, custom_fields: { a: 1 } },
  change: { quantity: 2 },
  bad: ['cost', 'dear'],
  touched: {},
  gone: { is_active: false },
}

const LOCATIONS: Kind = {
  resource: 'locations',
  name: 'code',
  required: ['code'],
  taken: [409, 'DUPLICATE'],
  create: createLocation,
  rest: async () => ({}),
  full: { name: 'Cold store', zone: 'Z1', aisle: 'A7', metadata: { a: 1 } },
  change: { zone: 'Z' },
  bad: ['aisle', 5],
  touched: {},
  gone: { is_active: false },
}

const KINDS = [ORDERS, PRODUCTS, LOCATIONS]

/** The sharpest of ODD_NAMES, in every pass. */
const SHARP = ['dots/../..', 'percent%', '日本語']

describe.each(KINDS)('POST /$resource/', (kind) => {
  const { resource, name, required, taken, create, full } = kind
  const post = (body?: unknown, more?: object) => api.post(`/${resource}/`, body, more)
  const named = async (called = unique('N')) => ({ [name]: called, ...(await kind.rest()) })

  it.each(required)('answers 400 VALIDATION_ERROR for missing %s', async (field) => {
    const { [field]: _, ...rest }: Json = await named()
    expectInvalid(await post(rest), field)
  })

  it('answers 400 VALIDATION_ERROR for no body', async () => {
    expectInvalid(await post(), ...required)
  })

  it.each(sample(NO_OBJECTS, 3))('answers 400 VALIDATION_ERROR for the body %s', async (body) => {
    expectError(await post(body), 400, 'VALIDATION_ERROR')
  })

  it.each(['text/html', 'application/x-www-form-urlencoded'])(
    'answers 415 for a body that is sent as %s',
    async (type) => {
      const answer = await post(await named(), { headers: { 'Content-Type': type } })
      expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
    },
  )

  it(`answers ${taken.join(' ')} for a name that exists, and leaves the record alone`, async () => {
    const { [name]: called } = await create(api, full)
    const before = dataOf(await api.get(path(resource, called)), 200)
    const answer = await post({ ...(await named(called)), ...kind.change })
    expectError(answer, ...taken, [name])
    expect(answer.body.detail).toMatch(/already exists/)
    expect(answer.body.detail).not.toContain('is_active')
    expect(dataOf(await api.get(path(resource, called)), 200)).toStrictEqual(before)
  })

  it('tells names apart by case, by leading zeros and by their very code points', async () => {
    const end = unique('x')
    const names = [`a${end}`, `A${end}`, `0a${end}`, `\u00e9${end}`, `e\u0301${end}`]
    for (const called of names) await create(api, { [name]: called })
    for (const called of names) {
      expect(dataOf(await api.get(path(resource, called)), 200)[name]).toBe(called)
    }
  })

  it('answers one 201 to twenty requests for one name at once, and refuses the others', async () => {
    const body = await named()
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(body)))
    const [winner, ...others] = answers.toSorted((a, b) => a.status - b.status)
    const record = dataOf(winner!, 201)
    for (const other of others) expectError(other, ...taken, [name])
    expect(dataOf(await api.get(path(resource, record[name])), 200)).toMatchObject(record)
  })

  it('names a field __proto__ in warnings', async () => {
    const proto = JSON.stringify(kind.change)
    const answer = await post(bodyWith(await named(), '__proto__', proto))
    expect(dataOf(answer, 201)).not.toMatchObject(kind.change)
    expect(warnedFields(answer)).toEqual(['__proto__'])
  })

  /** Every endpoint of one record addresses it by its percent-encoded name. */
  async function findAgain(called: string) {
    const { id } = await create(api, { [name]: called })
    const at = path(resource, called)
    const record = dataOf(await api.get(at), 200)
    expect(record).toMatchObject({ id: ID, [name]: called })
    const changed = { ...record, ...kind.change, ...kind.touched }
    expect(dataOf(await api.put(at, kind.change), 200)).toStrictEqual(changed)
    expect(dataOf(await api.delete(at), 200)).toMatchObject({ id, [name]: called, ...kind.gone })
  }

  it.each([...new Set([...SHARP, ...sample(ODD_NAMES, 3)])])(
    'creates a record named …%s and finds it again',
    async (odd) => await findAgain(unique('N') + odd),
  )

  it.each(sample(ODD_WHOLES, 3))('creates a record named %s and finds it again', findAgain)
})

describe.each(KINDS)('GET /$resource/{identifier}/', ({ resource, name, create }) => {
  it('answers 404 NOT_FOUND when nothing matches', async () => {
    expectError(await api.get(path(resource, unique('N'))), 404, 'NOT_FOUND')
  })

  it('does not find a record by its internal id', async () => {
    const { id } = await create(api)
    expectError(await api.get(path(resource, id)), 404, 'NOT_FOUND')
  })

  it('does not find a record by another case, or with something around', async () => {
    const called = unique('name')
    await create(api, { [name]: called })
    const others = [` ${called}`, `${called} `, `${called}\u0000`, `${called}%`]
    for (const other of [called.toUpperCase(), ...others]) {
      expectError(await api.get(path(resource, other)), 404, 'NOT_FOUND')
    }
  })

  it.each(['%', '%FF', '%E0%A4%A', '%00'])('answers 404 to a name ending in %s', async (end) => {
    expectError(await api.get(`/${resource}/${unique('N')}${end}/`), 404, 'NOT_FOUND')
  })

  it('takes a bare + in the path for a plus sign', async () => {
    const called = `a+b${unique('-')}`
    await create(api, { [name]: called })
    expect(dataOf(await api.get(`/${resource}/${called}/`), 200)[name]).toBe(called)
  })
})

describe.each(KINDS)('PUT /$resource/{identifier}/', ({ resource, name, create, ...kind }) => {
  const at = async (fields?: object) => path(resource, (await create(api, fields))[name])

  it('changes nothing for an empty object, nor for no body', async () => {
    const place = await at(kind.full)
    const record = dataOf(await api.get(place), 200)
    await aMoment()
    for (const body of [{}, undefined, '']) {
      expect(dataOf(await api.put(place, body), 200)).toStrictEqual(record)
    }
  })

  it('changes nothing when one field is bad', async () => {
    const place = await at(kind.full)
    const record = dataOf(await api.get(place), 200)
    const [field, value] = kind.bad
    expectInvalid(await api.put(place, { ...kind.change, [field]: value }), field)
    expect(dataOf(await api.get(place), 200)).toStrictEqual(record)
  })

  it('answers the same when it is repeated', async () => {
    const place = await at()
    const first = dataOf(await api.put(place, kind.full), 200)
    const second = dataOf(await api.put(place, kind.full), 200)
    expect(second).toStrictEqual({ ...first, ...kind.touched })
  })

  it('answers 404 NOT_FOUND when nothing matches, and creates nothing', async () => {
    const nowhere = path(resource, unique('N'))
    for (const body of [kind.change, kind.gone, {}]) {
      expectError(await api.put(nowhere, body), 404, 'NOT_FOUND')
    }
    expectError(await api.get(nowhere), 404, 'NOT_FOUND')
  })

  it.each(sample(NO_OBJECTS, 3))('answers 400 VALIDATION_ERROR for the body %s', async (body) => {
    expectError(await api.put(await at(), body), 400, 'VALIDATION_ERROR')
  })
})

describe.each(KINDS)('DELETE /$resource/{identifier}/', ({ resource }) => {
  it('answers 404 NOT_FOUND when nothing matches', async () => {
    const at = path(resource, unique('N'))
    expectError(await api.delete(at), 404, 'NOT_FOUND')
    expectError(await api.delete(at, { reason: 'x' }), 404, 'NOT_FOUND')
  })
})

const PATHS: [resource: string, ofOne: string[]][] = [
  ...KINDS.map(({ resource }): [string, string[]] => [resource, ['DELETE', 'GET', 'PUT']]),
  ['inventory', ['GET']],
]

describe.each(PATHS)('/%s/ paths', (resource, ofOne) => {
  it.each([
    ['PUT', '', ['GET', 'POST']],
    ['DELETE', '', ['GET', 'POST']],
    ...['POST', 'PATCH', 'PUT', 'DELETE']
      .filter((method) => !ofOne.includes(method))
      .map((method): [string, string, string[]] => [method, 'X/', ofOne]),
  ])(`answers 405 METHOD_NOT_ALLOWED to %s /${resource}/%s`, async (method, one, allowed) => {
    const answer = await api.call(method, `/${resource}/${one}`, {})
    expectError(answer, 405, 'METHOD_NOT_ALLOWED')
    const allow = answer.headers.get('Allow')?.split(', ') ?? []
    expect(allow).toEqual(expect.arrayContaining(allowed))
    expect(allow).not.toContain(method)
  })

  it.each([
    ['GET', '/a%2Fb?limit=5', '/a%2Fb/?limit=5'],
    ['PUT', '/a%20b', '/a%20b/'],
    ['POST', '', '/'],
  ])('redirects %s of a path without its trailing slash with 308: %s', async (method, at, to) => {
    const answer = await api.call(method, `/${resource}${at}`, method === 'GET' ? undefined : {})
    expect(answer.status).toBe(308)
    expect(answer.headers.get('Location')?.endsWith(`/${resource}${to}`)).toBe(true)
  })
})

// What the schemas of records say is what the API shows: outbound mappings are checked by them.

const whole = {
  products: async (api: Api) => {
    const sku = unique('S')
    const custom_fields = { colour: 'red' }
    return (await api.post('/products/', { sku, cost: '1.50', custom_fields })).body.data
  },
  locations: async (api: Api) => {
    const code = unique('L')
    await api.post('/locations/', { code, name: 'n', zone: 'z', metadata: { a: 1 } })
    return (await api.get(`/locations/${code}/`)).body.data
  },
  orders: async (api: Api) => {
    const { sku } = await whole.products(api)
    const order = {
      order_number: unique('O'),
      customer_info: { city: 'Oslo' },
      items: [{ sku_code: sku, quantity: 1 }],
    }
    return (await api.post('/orders/', order)).body.data
  },
}

describe.each([
  ['orders', OrderRecord, whole.orders],
  ['products', Product.Shown, whole.products],
  ['locations', Location.Shown, whole.locations],
] as const)('a record of %s', (_, Record, make) => {
  it('has the fields that its schema names and no others', async () => {
    const record = await make(admin)
    expect(Record.parse(record)).toEqual(record)
    expect(Object.keys(record).toSorted()).toEqual(Object.keys(Record.shape).toSorted())
  })
})
