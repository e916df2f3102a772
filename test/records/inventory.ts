import { expect } from 'vitest'
import { api } from '../fixtures/opened-api.ts'
import type { Answer, Json } from '../fixtures/tenant.ts'
import { createLocation, createProduct, dataOf, path, TEXT } from '../fixtures/warehouse.ts'

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
