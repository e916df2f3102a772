import { expect } from 'vitest'
import type { Answer, Api, Json } from '../fixtures/tenant.ts'
import { createLocation, createOrder, createProduct, path } from '../fixtures/warehouse.ts'

/** The resources whose records have ETags, with a change of each. */
export const VERSIONED = [
  {
    resource: 'orders',
    pathOfNew: async (api: Api) => path('orders', (await createOrder(api)).order_number),
    change: (text: string) => ({ notes: text }),
    textOf: (data: Json): string => data.notes,
  },
  {
    resource: 'products',
    pathOfNew: async (api: Api) => path('products', (await createProduct(api)).sku),
    change: (text: string) => ({ custom_fields: { text } }),
    textOf: (data: Json): string => data.custom_fields.text,
  },
  {
    resource: 'locations',
    pathOfNew: async (api: Api) => path('locations', (await createLocation(api)).code),
    change: (text: string) => ({ name: text }),
    textOf: (data: Json): string => data.name,
  },
]

export function etagOf({ headers }: Answer): string {
  const etag = headers.get('ETag')
  expect(etag).toMatch(/^"[1-9]\d*\.[0-9a-f]{8}\.[0-9a-f]{12}"$/)
  return etag ?? ''
}

/** A tag of the same record at another version, in a shape that no answer has. */
export function tagAt(version: number, etag: string): string {
  return `"${version}.${etag.split('.')[1]}.a"`
}

export const versionOf = (answer: Answer) => Number.parseInt(etagOf(answer).slice(1), 10)
