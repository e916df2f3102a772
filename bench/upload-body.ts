import { LOCATIONS } from './warehouse.ts'

/** The largest body there may be. */
const BODY_BYTES = 10 * 1024 * 1024

/** How a partner writes a row of stock, in our words and in its own. */
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
}
export type Shape = keyof typeof SHAPES

/** What makes the one of the other. */
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

export interface Body {
  text: string
  rows: number
}

/** As many rows of distinct SKUs as `bytes` hold; `turn` makes other quantities of them. */
export function uploadBody(shape: Shape, turn = 0, bytes = BODY_BYTES): Body {
  const { name, row } = SHAPES[shape]
  const parts = [row(0, turn % 500)]
  let length = `{"${name}":[${parts[0]}]}`.length
  for (let n = 1; ; n++) {
    const text = row(n, (n + turn) % 500)
    length += 1 + text.length
    if (length > bytes) break
    parts.push(text)
  }
  return { text: `{"${name}":[${parts.join()}]}`, rows: parts.length }
}

function bin(n: number): string {
  return `A-${String(n % LOCATIONS).padStart(3, '0')}`
}

function sku(n: number): string {
  return `SKU-${String(n).padStart(6, '0')}`
}
