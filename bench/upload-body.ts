import { LOCATIONS } from './warehouse.ts'

/** The number of products in an upload. Each is at about three locations. */
export const UPLOADED_PRODUCTS = 50_000

/** The largest body that the API accepts. */
const BODY_BYTES = 10 * 1024 * 1024

/** A row of stock in our schema, and in a partner's own. */
const SHAPES = {
  pass_through: {
    name: 'inventory',
    row: (n: number, quantity: number) =>
      `{"location_code":"${bin(n)}","sku_code":"${sku(n)}","quantity":${quantity}}`,
  },
  mapped: {
    name: 'stock',
    row: (n: number, quantity: number) =>
      `{"bin":"${bin(n)}","article":{"sku":"${sku(n)}"},"on_hand":${quantity}}`,
  },
  converted: {
    name: 'stock',
    row: (n: number, quantity: number) =>
      `{"bin":"${bin(n)}","article":{"sku":"${sku(n)}"},"on_hand":"${quantity}"}`,
  },
}
export type Shape = keyof typeof SHAPES

/** Maps the partner's rows to ours. */
export const MAPPING = {
  inbound: {
    unmapped: 'reject',
    fields: {
      'inventory[].location_code': 'stock[].bin',
      'inventory[].sku_code': 'stock[].article.sku',
      'inventory[].quantity': 'stock[].on_hand',
      source: { value: 'erp_sync' },
    },
  },
}

/** As MAPPING, for quantities as text. */
export const CONVERTING_MAPPING = {
  inbound: {
    ...MAPPING.inbound,
    fields: {
      ...MAPPING.inbound.fields,
      'inventory[].quantity': { from: 'stock[].on_hand', as: 'integer' },
    },
  },
}

export interface Body {
  text: string
  rows: number
}

/** A body with as many rows of distinct pairs as fit. Another `turn` gives other quantities. */
export function largestBody(shape: Shape, turn = 0): Body {
  const { name, row } = SHAPES[shape]
  let length = `{"${name}":[]}`.length
  let rows = 0
  for (; length <= BODY_BYTES; rows++) length += 1 + row(rows, (rows + turn) % 500).length
  return uploadBody(shape, rows - 1, turn)
}

/** The `turn` meets one row of so many. */
export function uploadBody(shape: Shape, rows: number, turn = 0, oneOf = 1): Body {
  const { name, row } = SHAPES[shape]
  const quantityOf = (n: number) => (n + (n % oneOf === 0 ? turn : 0)) % 500
  const texts = Array.from({ length: rows }, (_, n) => row(n, quantityOf(n)))
  return { text: `{"${name}":[${texts.join()}]}`, rows }
}

function bin(n: number): string {
  return `A-${String((n + Math.floor(n / UPLOADED_PRODUCTS)) % LOCATIONS).padStart(3, '0')}`
}

function sku(n: number): string {
  return `SKU-${String(n % UPLOADED_PRODUCTS).padStart(6, '0')}`
}
