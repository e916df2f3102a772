import type { Answer, Api } from './arena.ts'

/** Large requests of one tenant that may slow down another tenant in the same isolate. */
export interface Attack {
  name: string
  /** How many of its requests are sent at once. */
  times: number
  /** The status of those that are not put off, if they are refused for what they are. */
  refused?: number
  /** Others are answered while one of its requests is, more than once. */
  isLong?: boolean
  /** Prepares the tenant. Returns a function that sends one request of the attack. */
  prepare: (api: Api) => Promise<() => Promise<Answer>>
}

let orders = 0
/** As long as a target may be, below a field of an element. */
const DEEP = '.a.b.c.d.e.f.g.h.i.j.k'

/** Each has twice the strength that once crashed the isolate or made other tenants wait for seconds. */
export const ATTACKS: Attack[] = [
  {
    name: 'repeated_text',
    times: 20,
    async prepare({ call, openPartner }) {
      const key = await openPartner('orders', { inbound: orderWith('memo') })
      const lines = Array.from({ length: 1000 }, () => ({ s: 'S', q: 1 }))
      const memo = 'x'.repeat(10_000)
      return () =>
        call('POST', 'integrations/v1/orders/', { number: `O-${orders++}`, memo, lines }, key)
    },
  },
  {
    name: 'fixed_value',
    times: 2,
    async prepare({ call, openPartner, db }) {
      await fillStock(db, 20_000)
      const fields = { sku_code: 'sku_code', unit: { value: 'u'.repeat(20_480) } }
      const key = await openPartner('inventory', { outbound: { fields } })
      return () => call('GET', 'integrations/v1/inventory/L/', undefined, key)
    },
  },
  {
    name: 'large_pages',
    times: 40,
    async prepare({ call, make }) {
      const custom_fields = { text: 'x'.repeat(65_000) }
      for (let n = 0; n < 200; n++) {
        await make('POST', 'integrations/v1/products/', { sku: `LARGE-${n}`, custom_fields })
      }
      return () => call('GET', 'integrations/v1/products/?limit=200')
    },
  },
  {
    name: 'large_order',
    times: 80,
    async prepare({ call, make }) {
      const line = { sku_code: 'S', quantity: 1, notes: 'x'.repeat(10_000) }
      const order = { order_number: 'LARGE', items: Array.from({ length: 1000 }, () => line) }
      await make('POST', 'integrations/v1/orders/', order)
      return () => call('GET', 'integrations/v1/orders/LARGE/')
    },
  },
  {
    name: 'mapped_values',
    times: 40,
    refused: 400,
    async prepare({ call, openPartner }) {
      const key = await openPartner('orders', { inbound: rulesBelow('') })
      return () => call('POST', 'integrations/v1/orders/', elements(10_760), key)
    },
  },
  {
    name: 'mapped_objects',
    times: 40,
    refused: 400,
    async prepare({ call, openPartner }) {
      const key = await openPartner('orders', { inbound: rulesBelow(DEEP) })
      // With one more it would be 422: these are nearly as many objects as a mapping may make.
      return () => call('POST', 'integrations/v1/orders/', elements(302), key)
    },
  },
  {
    name: 'answered_objects',
    times: 20,
    async prepare({ call, make, openPartner }) {
      const targets = Array.from({ length: 200 }, (_, n) => `lines[].f${n}${DEEP}`)
      const fields = Object.fromEntries(targets.map((target) => [target, 'items[].quantity']))
      const key = await openPartner('orders', { outbound: { fields } })
      const items = Array.from({ length: 1000 }, () => ({ sku_code: 'S', quantity: 1 }))
      await make('POST', 'integrations/v1/orders/', { order_number: 'DEEP', items })
      return () => call('GET', 'integrations/v1/orders/DEEP/', undefined, key)
    },
  },
  {
    name: 'replays',
    times: 2,
    isLong: true,
    async prepare({ call, make, openPartner }) {
      const { id, key } = await keepsDocuments({ make, openPartner })
      await sendWideOrders(call, key)
      const path = `settings/v1/partners/${id}/mappings/orders/replay/`
      return () => call('POST', path, { last: 60 })
    },
  },
  {
    name: 'mapped_pages',
    times: 4,
    isLong: true,
    async prepare({ call, make, openPartner }) {
      const list = Array.from({ length: 3000 }, (_, n) => ({ n, t: 'x' }))
      for (let n = 0; n < 200; n++) {
        await make('POST', 'integrations/v1/products/', {
          sku: `MAPPED-${n}`,
          custom_fields: { list },
        })
      }
      const filtered = Array.from({ length: 100 }, (_, n) => [
        `f${n}`,
        `custom_fields.list[?@.t == 'y${n}'].n`,
      ])
      const fields = Object.fromEntries(filtered)
      const key = await openPartner('products', { outbound: { unmapped: 'drop', fields } })
      return () => call('GET', 'integrations/v1/products/?limit=200', undefined, key)
    },
  },
  {
    name: 'long_text',
    times: 20,
    async prepare({ call, openPartner }) {
      const fields = {
        'inventory[]': { each: 'w[].s[]' },
        'inventory[].location_code': { from: 'w[].code', as: 'string' },
      }
      const key = await openPartner('inventory', { inbound: { unmapped: 'drop', fields } })
      const s = Array.from({ length: 20_000 }, () => ({}))
      const body = { w: [{ code: '\u2003'.repeat(133_333), s }] }
      return () => call('POST', 'integrations/v1/inventory/', body, key)
    },
  },
  {
    name: 'waits',
    times: 100,
    async prepare({ call, make }) {
      const keys: string[] = []
      for (let n = 0; n < 10; n++) {
        const made = { name: `waits ${n}`, scopes: ['integrations.*'] }
        keys.push((await make('POST', 'settings/v1/api-keys/', made)).key)
      }
      let asked = 0
      const path = 'integrations/v1/changes/?from=now&wait=5'
      return () => call('GET', path, undefined, keys[asked++ % keys.length])
    },
  },
  {
    name: 'check_ups',
    times: 4,
    isLong: true,
    async prepare({ call, make, openPartner }) {
      const { id, key } = await keepsDocuments({ make, openPartner })
      await sendWideOrders(call, key)
      return () => call('GET', `settings/v1/partners/${id}/check-up/`)
    },
  },
  {
    name: 'uploads',
    times: 72,
    async prepare({ call }) {
      const row = '{"location_code":"L","sku_code":"S","quantity":1}'
      const rows = Array(Math.floor(10_000_000 / (row.length + 1))).fill(row)
      const body = Buffer.from(`{"inventory":[${rows.join()}]}`)
      return () => call('POST', 'integrations/v1/inventory/', body)
    },
  },
]

/** Rules of an order whose lines have their notes from this path. */
function orderWith(notes: string) {
  const fields = {
    order_number: 'number',
    'items[].sku_code': 'lines[].s',
    'items[].quantity': 'lines[].q',
    'items[].notes': notes,
  }
  return { unmapped: 'drop', fields }
}

/** A partner whose refused documents are kept, and its key. */
async function keepsDocuments({ make, openPartner }: Pick<Api, 'make' | 'openPartner'>) {
  const key = await openPartner('orders', { inbound: orderWith('lines[].n') })
  const [{ id }] = await make('GET', 'settings/v1/partners/?limit=1')
  await make('PUT', `settings/v1/partners/${id}/`, { keep_documents: { of: 'errors', days: 1 } })
  return { id, key }
}

/** 60 documents of 866 KB, refused for their SKU. */
async function sendWideOrders(call: Api['call'], key: string): Promise<void> {
  const line = { s: 'UNKNOWN', q: 1, n: 'x'.repeat(830) }
  const lines = Array.from({ length: 1000 }, () => line)
  for (let n = 0; n < 60; n++) {
    await call('POST', 'integrations/v1/orders/', { number: `O-${orders++}`, lines }, key)
  }
}

/** 90 rules that write each element of an array into an object of its own, at this path below the element. */
function rulesBelow(path: string) {
  const targets = Array.from({ length: 90 }, (_, n) => `metadata.list[].f${n}${path}`)
  const fields = Object.fromEntries(targets.map((target) => [target, 'l[].a']))
  return { unmapped: 'drop', fields: { order_number: 'number', ...fields } }
}

function elements(count: number) {
  return { number: `O-${orders++}`, l: Array.from({ length: count }, () => ({ a: 1 })) }
}

async function fillStock(db: D1Database, records: number): Promise<void> {
  const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${records})`
  await db.batch([
    db.prepare(
      `${numbers} insert into products (id, sku, created_at, updated_at)
       select 'stocked-' || i, 'STOCKED-' || i, '', '' from n`,
    ),
    db.prepare(
      `${numbers} insert into inventory (location_code, sku_code, quantity)
       select 'L', 'STOCKED-' || i, 5 from n`,
    ),
  ])
}
