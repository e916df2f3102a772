import { describe, expect, it } from 'vitest'
import { api } from '../fixtures/opened.ts'
import { issueKey } from '../fixtures/settings.ts'
import { client, type Json, openAdmin, unique } from '../fixtures/tenant.ts'
import {
  type Api,
  createLocation,
  createProduct,
  dataOf,
  path,
  stock,
} from '../fixtures/warehouse.ts'

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
