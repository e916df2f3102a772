import { expect } from 'vitest'
import { EXAMPLES, type Example } from '../fixtures/mapping-examples.ts'
import { admin } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { dataOf } from '../fixtures/warehouse.ts'

/** The example of this number; of several, the one whose payload can or cannot be mapped. */
export function exampleOf(number: number, outcome: 'value' | 'problem' = 'value'): Example {
  const found = EXAMPLES.find((one) => one.number === number && outcome in one.expected)
  if (!found) throw new Error(`there is no example ${number} with a ${outcome}`)
  return found
}

/** The document that the mapping makes of the example's payload. */
export const mappedOf = ({ expected }: Example): Json =>
  'value' in expected ? expected.value : undefined

/** The lines of an order that is read, as they are sent. */
export const linesOf = ({ items }: Json): Json[] =>
  items.map(({ sku, quantity, notes }: Json) => ({
    sku_code: sku.sku,
    quantity,
    ...(notes !== null && { notes }),
  }))

/** A partner's client with the example's rules, and rules for what the example leaves out. */
export async function openExample({ resource, rules }: Example, more: object = {}) {
  const inbound = { ...rules, fields: { ...rules.fields, ...more } }
  return await openPartner({ mappings: { [resource]: { inbound } } })
}

/** Makes sure that there is a product; the examples name the same ones again and again. */
export async function haveProducts(...skus: string[]): Promise<void> {
  for (const sku of skus)
    expect([201, 409]).toContain((await admin.post('/products/', { sku })).status)
}

export async function haveLocation(code: string): Promise<void> {
  expect([201, 409]).toContain((await admin.post('/locations/', { code })).status)
}

export async function makeLines() {
  const sku = unique('S')
  await haveProducts(sku)
  return [{ sku_code: sku, quantity: 3 }]
}

export async function makeOrder(fields: object = {}): Promise<Json> {
  const order = { order_number: unique('O'), items: await makeLines(), ...fields }
  return dataOf(await admin.post('/orders/', order), 201)
}

/** The stored record, as a key without a mapping reads it. */
export async function stored(path: string): Promise<Json> {
  return dataOf(await admin.get(path), 200)
}
