import { beforeAll, expect } from 'vitest'
import type { Answer, Json } from '../fixtures/tenant.ts'
import {
  type Api,
  createLocation,
  createProduct,
  dataOf,
  openApi,
  path,
  TEXT,
} from '../fixtures/warehouse.ts'

export let api: Api

beforeAll(async () => {
  api = await openApi()
})

export const MESSAGES = expect.arrayContaining([TEXT])

/** Codes of a new location and a new product. */
export async function newPair() {
  const { code: location_code } = await createLocation(api)
  const { sku: sku_code } = await createProduct(api)
  return { location_code, sku_code }
}

export async function upload(inventory: unknown[], more: object = {}): Promise<Answer> {
  return await api.post('/inventory/', { inventory, ...more })
}

export async function stockAt(location: string): Promise<Json> {
  return dataOf(await api.get(path('inventory', location)), 200)
}
