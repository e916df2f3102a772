import type * as z from 'zod'
import { isObject } from '../../src/engine/json/json-object.ts'
import type { SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import type { Location } from '../../src/engine/model/location.ts'
import type { Product } from '../../src/engine/model/product.ts'
import type { UploadRow, UpsertInventory } from '../../src/records/inventory/schema.ts'
import type { CancelOrder, CreateOrder, UpdateOrder } from '../../src/records/orders/schema.ts'
import { type Json, unique } from '../fixtures/tenant.ts'

// Bodies whose texts and numbers occur nowhere else.

type Whole<Schema extends z.ZodType> = Required<z.output<Schema>>

let last = 1_234_500_000

/** A quantity that nothing else has. */
export function number(): number {
  last += 1
  return last
}

/** All fields of each body: a new field does not compile until it is planted here too. */
export const bodies = {
  order: (sku_code: string): Required<CreateOrder> => ({
    order_number: unique('NUMBER'),
    external_order_id: unique('EXTERNAL'),
    customer_name: unique('CUSTOMER'),
    customer_info: { email: unique('EMAIL'), age: number() },
    notes: unique('NOTE'),
    order_date: '2031-01-02T03:04:05.678Z',
    due_date: '2032-02-03T04:05:06.789Z',
    metadata: { deep: { list: [unique('DEEP')] } },
    items: [{ sku_code, quantity: number(), notes: unique('LINE') }],
  }),
  orderChange: (): Required<UpdateOrder> => ({
    customer_name: unique('CUSTOMER'),
    customer_info: { email: unique('EMAIL'), age: number() },
    notes: unique('NOTE'),
    due_date: '2033-03-04T05:06:07.891Z',
    metadata: { deep: { list: [unique('DEEP')] } },
    status: 'verified',
  }),
  cancellation: (): Required<CancelOrder> => ({ reason: unique('REASON') }),
  product: (): Whole<typeof Product.Create> => ({
    sku: unique('SKU'),
    quantity: number(),
    is_active: true,
    cost: `${number()}.25`,
    custom_fields: { colour: unique('COLOUR') },
  }),
  productChange: (): Whole<typeof Product.Update> => ({
    quantity: number(),
    is_active: false,
    cost: `${number()}.75`,
    custom_fields: { colour: unique('COLOUR') },
  }),
  location: (): Whole<typeof Location.Create> => ({
    code: unique('CODE'),
    name: unique('NAME'),
    zone: unique('ZONE'),
    aisle: unique('AISLE'),
    metadata: { door: unique('DOOR') },
  }),
  locationChange: (): Whole<typeof Location.Update> => ({
    name: unique('NAME'),
    zone: unique('ZONE'),
    aisle: unique('AISLE'),
    metadata: { door: unique('DOOR') },
    is_active: false,
  }),
  upload: (rows: object[]): Required<UpsertInventory> => ({
    source: 'erp_sync',
    notes: unique('NOTE'),
    inventory: rows,
  }),
}

const ROW: Required<UploadRow> = { location_code: 'x', sku_code: 'x', quantity: 1, if_quantity: 1 }

/** The places of everything that bodies of a resource may have. */
export const PLACES = {
  orders: placesOf(bodies.order('x'), bodies.orderChange(), bodies.cancellation()),
  products: placesOf(bodies.product(), bodies.productChange()),
  locations: placesOf(bodies.location(), bodies.locationChange()),
  inventory: placesOf(bodies.upload([ROW])),
}
export type Planted = keyof typeof PLACES

function placesOf(...planted: object[]): string[] {
  return [...new Set(planted.flatMap((body) => leaves(body).map(([place]) => place)))]
}

/** The texts and numbers of a body, each with its place. */
export function leaves(value: unknown, place = ''): [place: string, value: string][] {
  if (Array.isArray(value)) return value.flatMap((element) => leaves(element, `${place}[]`))
  if (typeof value === 'string' || typeof value === 'number') return [[place, String(value)]]
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) =>
    leaves(member, place === '' ? name : `${place}.${name}`),
  )
}

/** How a partner writes documents and reads records. */
export interface Shape {
  place: (place: string) => string
  inWords: (method: string, body: Json) => Json
  /** By resource, as it is saved. */
  mappings: Partial<Record<Planted, { inbound: SavedRules; outbound: SavedRules }>>
}

export const PLAIN: Shape = {
  place: (place) => place,
  inWords: (_, body) => body,
  mappings: {},
}

const RECORDS = {
  orders: ['id', 'status', 'items', 'cancel_reason', ...Object.keys(bodies.order('x'))],
  products: ['id', ...Object.keys(bodies.product())],
  locations: ['id', 'is_active', ...Object.keys(bodies.location())],
  inventory: Object.keys(ROW).slice(0, 3),
}

/** Every name has another one, there and back. */
export const MAPPED: Shape = {
  place: theirPlace,
  inWords: (method, body) => (method === 'DELETE' ? body : theirs(body)),
  mappings: Object.fromEntries(
    Object.entries(PLACES).map(([resource, places]) => [
      resource,
      {
        inbound: { unmapped: 'drop', fields: Object.fromEntries(places.flatMap(inboundRule)) },
        outbound: {
          unmapped: 'drop',
          fields: Object.fromEntries(
            RECORDS[resource as Planted].map((name) => [`shown.${name}_there`, name]),
          ),
        },
      },
    ]),
  ),
}

function inboundRule(place: string): [string, SavedRules['fields'][string]][] {
  if (place === 'reason') return []
  const from = theirPlace(place)
  return [[place, /quantity$/.test(place) ? { from, as: 'integer' } : from]]
}

function theirs(value: Json): Json {
  if (Array.isArray(value)) return value.map(theirs)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [`their_${name}`, theirs(member)]),
  )
}

/** The body of a cancellation is not mapped. */
function theirPlace(place: string): string {
  if (place === 'reason') return place
  return place.replace(/[^.[\]]+/g, (name) => `their_${name}`)
}
