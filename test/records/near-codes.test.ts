import { beforeAll, describe, expect, it } from 'vitest'
import { bound } from '../../src/engine/db/prepared.ts'
import { selectLocations, selectProducts } from '../../src/records/near-codes.ts'
import { faultyBindings } from '../fixtures/harness.ts'
import { api } from '../fixtures/opened-api.ts'
import { openPartner } from '../fixtures/partner.ts'
import { issueKey } from '../fixtures/settings.ts'
import {
  type Answer,
  client,
  createKey,
  type Json,
  openAdmin,
  openTenant,
  unique,
} from '../fixtures/tenant.ts'
import {
  type Api,
  createLocation,
  createProduct,
  dataOf,
  path,
  stock,
} from '../fixtures/warehouse.ts'

// An unknown code that differs from a known one only in how it is written.

let sku: string
let code: string

beforeAll(async () => {
  sku = unique('NEAR').toUpperCase()
  code = unique('AT').toUpperCase()
  await createProduct(api, { sku })
  await createLocation(api, { code })
})

const orderOf = (skus: string[]) => ({
  order_number: unique('O'),
  items: skus.map((sku_code) => ({ sku_code, quantity: 1 })),
})
const rowsOf = (skus: string[], location_code = code) => ({
  inventory: skus.map((sku_code) => ({ location_code, sku_code, quantity: 1 })),
})
const errorsOf = async (by: Api, body: object, query = '') =>
  dataOf(await by.post(`/inventory/${query}`, body), 200).errors.map(({ errors }: Json) => errors)

const roundTripsOf = ({ headers }: Answer) =>
  Number(/round trips (\d+)/.exec(headers.get('Server-Timing') ?? '')?.[1])

const unknownSku = (given: string) => `No product has the SKU "${given}".`
const near = (known: string, difference: string) => ` "${known}" differs only in ${difference}.`

describe('POST /orders/', () => {
  it.each(['', '?dry_run=true'])('names the known SKU%s', async (query) => {
    const given = sku.toLowerCase()
    const message = unknownSku(given) + near(sku, 'letter case')
    const { error } = (await api.post(`/orders/${query}`, orderOf([given]))).body
    expect(error.message).toBe(message)
    expect(error.fields).toEqual({ 'items[0].sku_code': [message] })
  })

  it('names it beside the line, if several SKUs are unknown', async () => {
    const [given, stranger] = [`${sku}\u200b`, unique('STRANGER')]
    const { error } = (await api.post('/orders/', orderOf([stranger, sku, given]))).body
    expect(error.message).toBe(
      `No product has these SKUs: "${stranger}", "${given}". 1 of them are written almost as a known SKU: see fields.`,
    )
    expect(error.fields).toEqual({
      'items[0].sku_code': [unknownSku(stranger)],
      'items[2].sku_code': [unknownSku(given) + near(sku, 'characters that are not visible')],
    })
  })

  it('looks for the first 20 unknown SKUs, in one round trip more', async () => {
    const strangers = Array.from({ length: 20 }, () => unique('X'))
    const given = sku.toLowerCase()
    const beyond = await api.post('/orders/', orderOf([...strangers, given]))
    expect(beyond.body.error.fields['items[20].sku_code']).toEqual([unknownSku(given)])
    const within = await api.post('/orders/', orderOf([...strangers.slice(1), given]))
    const [message] = within.body.error.fields['items[19].sku_code']
    expect(message).toBe(unknownSku(given) + near(sku, 'letter case'))
    // The write, what is unknown, and what is near.
    expect(roundTripsOf(within)).toBe(3)
  })
})

describe('POST /inventory/', () => {
  it.each(['', '?dry_run=true'])('names the known codes in the errors of rows%s', async (query) => {
    const [givenSku, givenCode] = [`${sku} `, `\u00a0${code}`]
    expect(await errorsOf(api, rowsOf([givenSku], givenCode), query)).toEqual([
      {
        location_code: [
          `No location has the code "${givenCode}".${near(code, 'white space at the beginning')}`,
        ],
        sku_code: [unknownSku(givenSku) + near(sku, 'white space at the end')],
      },
    ])
  })

  it('takes no code of the other kind for near', async () => {
    const lower = code.toLowerCase()
    expect(await errorsOf(api, rowsOf([lower]))).toEqual([{ sku_code: [unknownSku(lower)] }])
  })

  it.each(['', '?dry_run=true'])('makes one round trip if all codes are known%s', async (query) => {
    const asked = async (body: object) => roundTripsOf(await api.post(`/inventory/${query}`, body))
    expect(await asked(rowsOf([sku]))).toBe(1)
    expect(await asked(rowsOf([`${sku} `]))).toBe(2)
  })

  it('stores the good rows and answers, if the database fails at the look-up', async () => {
    const message = 'D1_ERROR: Network connection lost.'
    const { bindings, hits } = faultyBindings([
      { on: 'd1', how: 'before', nth: 1, times: 9, message },
    ])
    const answer = await api.post('/inventory/', rowsOf([sku, `${sku} `]), { bindings })
    expect(hits.length).toBeGreaterThan(0)
    const { failed, errors } = dataOf(answer, 200)
    expect([failed, errors[0].errors]).toEqual([1, { sku_code: [unknownSku(`${sku} `)] }])
    expect(dataOf(await api.get(`${path('inventory', sku)}?by=sku`), 200)).toHaveLength(1)
  })
})

describe('a key that may not read what has the code', () => {
  const writes = ['integrations.orders.write', 'integrations.inventory.write']
  const open = async (...scopes: string[]) =>
    client((await createKey([...writes, ...scopes])).value)

  it('is told of no known SKU and of no known code', async () => {
    const blind = await open()
    const { error } = (await blind.post('/orders/', orderOf([sku.toLowerCase()]))).body
    expect(error.message).toBe(unknownSku(sku.toLowerCase()))
    const [errors] = await errorsOf(blind, rowsOf([`${sku} `], `${code} `))
    expect(JSON.stringify(errors)).not.toContain('differs')
  })

  it('is told of the kind that it may read', async () => {
    const [products, locations] = [
      await open('integrations.products.read'),
      await open('integrations.locations.read'),
    ]
    const body = rowsOf([`${sku} `], `${code} `)
    const told = async (by: Api) =>
      Object.entries<string[]>((await errorsOf(by, body))[0])
        .filter(([, [message]]) => message?.includes('differs'))
        .map(([field]) => field)
    expect(await told(products)).toEqual(['sku_code'])
    expect(await told(locations)).toEqual(['location_code'])
  })
})

describe('a preview of a mapping', () => {
  it('names the known SKU as the request would', async () => {
    const fields = { 'items[].sku_code': 'lines[].sku', 'items[].quantity': 'lines[].qty' }
    const mappings = { orders: { inbound: { unmapped: 'keep', fields } } }
    const { admin, id } = await openPartner({ mappings })
    const at = `/api/settings/v1/partners/${id}/mappings/orders/preview/`
    const lines = [{ sku: sku.toLowerCase(), qty: 1 }]
    const answer = await admin.post(at, { payload: { order_number: unique('O'), lines } })
    expect(JSON.stringify(answer.body)).toContain(sku)
  })
})

describe('the look-up', () => {
  it.each([
    ['locations', selectLocations],
    ['products', selectProducts],
  ])('searches the index of %s once for each form', async (table, select) => {
    const { sql, params } = bound(select, { forms: '["A","B"]' })
    const plan = (await openTenant()).prepare(`explain query plan ${sql}`).bind(...params)
    const steps = (await plan.all<{ detail: string }>()).results.map(({ detail }) => detail)
    const index = `SEARCH ${table} USING COVERING INDEX sqlite_autoindex_${table}_`
    expect(steps.filter((step) => step.includes(table))).toEqual([expect.stringContaining(index)])
  })
})

/** What the answer has: its number of records, and the codes of its warnings. */
async function found(where: string, caller: Api = api) {
  const answer = await caller.get(where)
  const warnings: Json[] = answer.body.warnings ?? []
  const told = warnings.map(({ code, field, message }) => [code, field, message])
  return { rows: dataOf(answer, 200).length, told }
}

const UNKNOWN_LOCATION = ['LOCATION_UNKNOWN', 'location_code', 'No location has this code.']
const UNKNOWN_SKU = ['SKU_UNKNOWN', 'sku_code', 'No product has this SKU.']
const INACTIVE = 'is inactive. Its stock stays and counts until an upload sets it to 0.'
const INACTIVE_LOCATION = ['LOCATION_INACTIVE', 'location_code', `The location ${INACTIVE}`]
const INACTIVE_SKU = ['SKU_INACTIVE', 'sku_code', `The product ${INACTIVE}`]

describe('GET /inventory/{code}/', () => {
  it('says nothing of a location and a product without stock', async () => {
    const { code } = await createLocation(api)
    const { sku } = await createProduct(api)
    expect(await found(path('inventory', code))).toEqual({ rows: 0, told: [] })
    expect(await found(`${path('inventory', sku)}?by=sku`)).toEqual({ rows: 0, told: [] })
  })

  it('says that no record has the code', async () => {
    const at = path('inventory', unique('none'))
    expect(await found(at)).toEqual({ rows: 0, told: [UNKNOWN_LOCATION] })
    expect(await found(`${at}?by=sku`)).toEqual({ rows: 0, told: [UNKNOWN_SKU] })
  })

  it('says that the code is one of the other kind', async () => {
    const { location_code, sku_code } = await stock(api)
    const ofSku = 'No location has this code. It is a SKU: its stock is listed with by=sku.'
    expect((await found(path('inventory', sku_code))).told).toEqual([
      ['LOCATION_UNKNOWN', 'location_code', ofSku],
    ])
    const ofLocation = 'No product has this SKU. It is the code of a location: leave by=sku out.'
    expect((await found(`${path('inventory', location_code)}?by=sku`)).told).toEqual([
      ['SKU_UNKNOWN', 'sku_code', ofLocation],
    ])
  })

  it('says that the record is inactive, beside its stock', async () => {
    const { location_code, sku_code } = await stock(api)
    await api.delete(path('locations', location_code))
    expect(await found(path('inventory', location_code))).toEqual({
      rows: 1,
      told: [INACTIVE_LOCATION],
    })
    await api.delete(path('products', sku_code))
    const ofSku = await found(`${path('inventory', sku_code)}?by=sku`)
    expect(ofSku).toEqual({ rows: 1, told: [INACTIVE_SKU] })
  })

  it('advises no parameter that release 1.0 does not have', async () => {
    const { sku_code } = await stock(api)
    const { key } = await issueKey(await openAdmin(), { release: '1.0' })
    const old = client(key)
    expect((await found(path('inventory', sku_code), old)).told).toEqual([UNKNOWN_LOCATION])
  })
})

describe('lists of stock that find nothing', () => {
  const at = (where: string, code: string) => `${where}${encodeURIComponent(code)}`

  it.each([
    [
      'GET /inventory/',
      (code: string) => `${at('/inventory/?location_code=', code)}&sku_code=${code}`,
    ],
    [
      'with quantity_below',
      (code: string) =>
        `${at('/inventory/?quantity_below=5&location_code=', code)}&sku_code=${code}`,
    ],
    ['history', (code: string) => `${path('inventory', code)}history/?sku_code=${code}`],
  ])('say that no record has the code: %s', async (_, where) => {
    const { told, rows } = await found(where(unique('none')))
    expect({ rows, told }).toEqual({ rows: 0, told: [UNKNOWN_LOCATION, UNKNOWN_SKU] })
  })

  it('say nothing without a code, and nothing of known ones', async () => {
    const { code } = await createLocation(api)
    const { sku } = await createProduct(api)
    const both = `location_code=${encodeURIComponent(code)}&sku_code=${encodeURIComponent(sku)}`
    for (const where of ['/inventory/?limit=1', `/inventory/?${both}`]) {
      expect((await found(where)).told).toEqual([])
    }
    expect((await found(`${path('inventory', code)}history/`)).told).toEqual([])
  })
})
