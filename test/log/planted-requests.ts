import { type Answer, type Api, type Json, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'
import { bodies, number } from './planted.ts'

/** A partner whose documents are kept. */
export interface World {
  admin: Api
  /** Sends the body in the partner's words. */
  sent: (
    method: string,
    path: string,
    body: Json,
    headers?: Record<string, string>,
  ) => Promise<Answer>
}

/** A request that is ready to be sent, as a dry run and then in earnest. */
interface Ready {
  body: Json
  /** The record that it is about. */
  of?: string
  headers?: Record<string, string>
  /** With a mapping it may be another one. */
  statuses: number[]
}

type Prepare = (world: World) => Promise<Ready>

const STALE = { headers: { 'If-Match': '"0.00000000.0"' }, statuses: [412] }

async function sku({ admin }: World): Promise<string> {
  return (await createProduct(admin)).sku
}

async function code({ admin }: World): Promise<string> {
  return (await createLocation(admin)).code
}

async function anOrder(world: World) {
  const body = bodies.order(await sku(world))
  await world.sent('POST', '/orders/', body)
  return { body, of: body.order_number }
}

async function aProduct(world: World) {
  const body = bodies.product()
  await world.sent('POST', '/products/', body)
  return { body, of: body.sku }
}

async function aLocation(world: World) {
  const body = bodies.location()
  await world.sent('POST', '/locations/', body)
  return { body, of: body.code }
}

async function aRow(world: World) {
  return { location_code: await code(world), sku_code: await sku(world), quantity: number() }
}

async function aStoredRow(world: World) {
  const row = await aRow(world)
  await world.sent('POST', '/inventory/', bodies.upload([row]))
  return row
}

function upload(...rows: object[]): Ready {
  return { body: bodies.upload(rows), statuses: [200] }
}

/** With texts for numbers, and numbers for texts. */
function wrong(value: Json): Json {
  if (typeof value === 'string') return number()
  if (typeof value === 'number') return unique('WRONG')
  if (Array.isArray(value)) return value.map(wrong)
  if (typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, wrong(member)]))
}

const wrongly = (body: Json): Ready => ({ body: wrong(body), statuses: [400, 422] })

/** By endpoint: requests whose answers differ. */
export const PREPARED: Record<string, Record<string, Prepare>> = {
  'POST /orders/': {
    'creates an order': async (world) => ({
      body: bodies.order(await sku(world)),
      statuses: [201],
    }),
    'creates an order of an inactive product': async (world) => {
      const code = await sku(world)
      await world.admin.delete(`/products/${code}/`)
      return { body: bodies.order(code), statuses: [201] }
    },
    'refuses a number that exists': async (world) => ({
      ...(await anOrder(world)),
      statuses: [400],
    }),
    'refuses an unknown product': async () => ({
      body: bodies.order(unique('SKU')),
      statuses: [400],
    }),
    'refuses wrong values': async () => wrongly(bodies.order(unique('SKU'))),
  },
  'PUT /orders/:identifier/': {
    'changes and verifies an order': async (world) => {
      const { of } = await anOrder(world)
      return { of, body: bodies.orderChange(), statuses: [200] }
    },
    'verifies an order without further fields': async (world) => {
      const { of } = await anOrder(world)
      return { of, body: { status: 'verified' }, statuses: [200] }
    },
    'shows an order that was verified before': async (world) => {
      const { of } = await anOrder(world)
      await world.sent('PUT', `/orders/${of}/`, { status: 'verified' })
      return { of, body: { notes: unique('NOTE') }, statuses: [200] }
    },
    'shows an order that was cancelled': async (world) => {
      const { of } = await anOrder(world)
      await world.sent('DELETE', `/orders/${of}/`, bodies.cancellation())
      return { of, body: { notes: unique('NOTE') }, statuses: [200] }
    },
    'refuses a status after a cancellation': async (world) => {
      const { of } = await anOrder(world)
      await world.sent('DELETE', `/orders/${of}/`, bodies.cancellation())
      return { of, body: bodies.orderChange(), statuses: [400] }
    },
    'refuses another version': async (world) => {
      const { of } = await anOrder(world)
      return { of, body: bodies.orderChange(), ...STALE }
    },
    'refuses wrong values': async (world) => {
      const { of } = await anOrder(world)
      return { of, ...wrongly(bodies.orderChange()) }
    },
  },
  'DELETE /orders/:identifier/': {
    'cancels an order': async (world) => {
      const { of } = await anOrder(world)
      await world.sent('PUT', `/orders/${of}/`, { status: 'verified' })
      return { of, body: bodies.cancellation(), statuses: [200] }
    },
    'ignores another reason': async (world) => {
      const { of } = await anOrder(world)
      await world.sent('DELETE', `/orders/${of}/`, bodies.cancellation())
      return { of, body: bodies.cancellation(), statuses: [200] }
    },
    'refuses another version': async (world) => {
      const { of } = await anOrder(world)
      return { of, body: bodies.cancellation(), ...STALE }
    },
    'refuses wrong values': async (world) => {
      const { of } = await anOrder(world)
      return { of, ...wrongly(bodies.cancellation()) }
    },
  },
  'POST /products/': {
    'creates a product': async () => ({ body: bodies.product(), statuses: [201] }),
    'refuses an SKU that exists': async (world) => ({
      ...(await aProduct(world)),
      statuses: [409],
    }),
    'refuses wrong values': async () => wrongly(bodies.product()),
  },
  'PUT /products/:identifier/': {
    'changes a product': async (world) => {
      const { of } = await aProduct(world)
      return { of, body: bodies.productChange(), statuses: [200] }
    },
    'refuses another version': async (world) => {
      const { of } = await aProduct(world)
      return { of, body: bodies.productChange(), ...STALE }
    },
    'refuses wrong values': async (world) => {
      const { of } = await aProduct(world)
      return { of, ...wrongly(bodies.productChange()) }
    },
  },
  'POST /locations/': {
    'creates a location': async () => ({ body: bodies.location(), statuses: [201] }),
    'refuses a code that exists': async (world) => ({
      ...(await aLocation(world)),
      statuses: [409],
    }),
    'refuses wrong values': async () => wrongly(bodies.location()),
  },
  'PUT /locations/:identifier/': {
    'changes a location': async (world) => {
      const { of } = await aLocation(world)
      return { of, body: bodies.locationChange(), statuses: [200] }
    },
    'refuses another version': async (world) => {
      const { of } = await aLocation(world)
      return { of, body: bodies.locationChange(), ...STALE }
    },
    'refuses wrong values': async (world) => {
      const { of } = await aLocation(world)
      return { of, ...wrongly(bodies.locationChange()) }
    },
  },
  'POST /inventory/': {
    'creates stock': async (world) => upload(await aRow(world)),
    'changes stock': async (world) => {
      const row = await aStoredRow(world)
      return upload({ ...row, quantity: number(), if_quantity: row.quantity })
    },
    'lists rows whose condition does not hold': async (world) => {
      const [row, other] = [await aStoredRow(world), await aRow(world)]
      const unmet = { quantity: number(), if_quantity: number() }
      return upload({ ...row, ...unmet }, { ...other, if_quantity: number() })
    },
    'lists a row that asks for what is stored': async (world) =>
      upload({ ...(await aStoredRow(world)), if_quantity: number() }),
    'lists unknown codes': async (world) => {
      const row = await aRow(world)
      return upload({ ...row, location_code: unique('CODE') }, { ...row, sku_code: unique('SKU') })
    },
    'names inactive codes': async (world) => {
      const row = await aRow(world)
      await world.admin.delete(`/locations/${row.location_code}/`)
      await world.admin.delete(`/products/${row.sku_code}/`)
      return upload(row)
    },
    'lists wrong rows': async (world) =>
      upload(wrong({ ...(await aRow(world)), if_quantity: number() }), await aRow(world)),
    'refuses another source': async (world) => {
      const body = { ...bodies.upload([await aRow(world)]), source: unique('SOURCE') }
      return { body, statuses: [400] }
    },
  },
}
