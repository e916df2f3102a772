import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { client, createKey, type Json, unique } from '../fixtures/tenant.ts'
import {
  createLocation,
  createOrder,
  createProduct,
  openApi,
  stock,
} from '../fixtures/warehouse.ts'
import { at, dataOf, makePartner } from './previews.ts'

// A preview looks up what is stored only for a key that may send the request itself.

const PARTNERS = 'settings.partners.write'

async function previewAs(scopes: string[], resource: string, payload: Json, method = 'POST') {
  const { value } = await createKey([PARTNERS, ...scopes])
  return await client(value).post(at(await makePartner(), resource), { payload, method })
}

const message = (resource: string) =>
  `Products, locations and existing records were not looked up: this API key lacks the scope integrations.${resource}.write. This is the answer if they all fit.`

/** A document of the resource that the database refuses. */
const REFUSED: Record<string, () => Promise<Json>> = {
  orders: async () => {
    const { order_number } = await createOrder(await openApi())
    return { order_number, items: [{ sku_code: unique('NONE'), quantity: 1 }] }
  },
  products: async () => ({ sku: (await createProduct(await openApi())).sku }),
  locations: async () => ({ code: (await createLocation(await openApi())).code }),
  inventory: async () => {
    const api = await openApi()
    const { location_code, sku_code } = await stock(api, { quantity: 7 })
    return { inventory: [{ location_code, sku_code, quantity: 1, if_quantity: null }] }
  },
}

describe.each(Object.keys(REFUSED))('POST …/mappings/%s/preview/', (resource) => {
  const document = async () => await REFUSED[resource]?.()

  it.each(
    sample(
      [
        ['no scope of records', []],
        ['the scopes of other records', otherWrites(resource)],
        ['the scope to read', [`integrations.${resource}.read`]],
      ],
      4,
    ),
  )('tells a key with %s nothing that is stored, and says so', async (_, scopes) => {
    const answer = await previewAs(scopes, resource, await document())
    const { errors, would_answer } = dataOf(answer)
    expect(errors).toEqual([])
    expect(would_answer).toEqual({ status: resource === 'inventory' ? 200 : 201, code: null })
    expect(answer.body.warnings).toEqual([{ field: 'would_answer', message: message(resource) }])
  })

  it('tells a key that may send the request what it would be refused for', async () => {
    const answer = await previewAs([`integrations.${resource}.write`], resource, await document())
    expect(dataOf(answer).errors).not.toEqual([])
    expect(answer.body.warnings).toBeUndefined()
  })

  it('warns of nothing if there is nothing to look up', async () => {
    const answer = await previewAs([], resource, [7])
    expect(dataOf(answer).would_answer.code).toBe('VALIDATION_ERROR')
    expect(answer.body.warnings).toBeUndefined()
  })
})

describe('a preview of a PUT', () => {
  it('looks nothing up, so it warns of nothing', async () => {
    const answer = await previewAs([], 'orders', { notes: 'late' }, 'PUT')
    expect(dataOf(answer).would_answer).toEqual({ status: 200, code: null })
    expect(answer.body.warnings).toBeUndefined()
  })
})

function otherWrites(resource: string): string[] {
  return Object.keys(REFUSED)
    .filter((other) => other !== resource)
    .map((other) => `integrations.${other}.write`)
}
