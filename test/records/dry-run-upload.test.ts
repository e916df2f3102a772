import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { rehearseInventory, type StockChange } from '../../src/records/inventory/rehearsal.ts'
import type { UpsertInventory } from '../../src/records/inventory/schema.ts'
import { byDepth } from '../fixtures/depth.ts'
import { meteredDatabase } from '../fixtures/metered.ts'
import { admin, db } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { rehearse, seen } from '../fixtures/rehearsing.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct, stock } from '../fixtures/warehouse.ts'
import { upload } from './inventory.ts'

beforeAll(async () => {
  await admin.get('/orders/')
})

/** The dry run, whose counts, errors and warnings must be those of the upload, which follows. */
async function tryOut(inventory: unknown[], more: object = {}) {
  const dry = await rehearse(db, admin, ['POST', '/inventory/', { inventory, ...more }])
  const { changes, ...others } = dry.body.data
  const real = await admin.post('/inventory/', { inventory, ...more })
  expect(seen({ ...dry, body: { ...dry.body, data: others } })).toEqual(seen(real))
  return { changes, dry, real }
}

const pairOf = async () => {
  const { location_code, sku_code } = await stock(admin, { quantity: 5 })
  return { location_code, sku_code }
}
const newPair = async () => ({
  location_code: (await createLocation(admin)).code,
  sku_code: (await createProduct(admin)).sku,
})

describe('a dry run of POST /inventory/', () => {
  it('lists what each pair has and would have, in order of first appearance', async () => {
    const [known, fresh, same] = [await pairOf(), await newPair(), await pairOf()]
    const { changes } = await tryOut([
      { ...fresh, quantity: 3 },
      { ...known, quantity: 9 },
      { ...same, quantity: 5 },
      { ...fresh, quantity: 4 },
    ])
    expect(changes).toEqual([
      { ...fresh, from: null, to: 4 },
      { ...known, from: 5, to: 9 },
    ])
  })

  it('lists net changes: a pair that ends as it began is none', async () => {
    const pair = await pairOf()
    const rows = [7, 5].map((quantity) => ({ ...pair, quantity }))
    expect((await tryOut(rows)).changes).toEqual([])
  })

  it('has the errors of bad rows, and the warnings', async () => {
    const inactive = await createProduct(admin, { is_active: false })
    const { code } = await createLocation(admin)
    const { changes, dry } = await tryOut([
      { location_code: code, sku_code: unique('none'), quantity: 1 },
      { location_code: code, sku_code: inactive.sku, quantity: 1, colour: 'red' },
      'no row',
    ])
    expect(changes).toEqual([{ location_code: code, sku_code: inactive.sku, from: null, to: 1 }])
    expect([dry.body.data.failed, dry.body.warnings.length]).toEqual([2, 2])
  })

  it('judges conditions by what is stored, and by what the rows before leave', async () => {
    const [pair, fresh] = [await pairOf(), await newPair()]
    const { changes } = await tryOut([
      { ...pair, quantity: 6, if_quantity: 5 },
      { ...pair, quantity: 7, if_quantity: 6 },
      { ...pair, quantity: 8, if_quantity: 6 },
      { ...fresh, quantity: 1, if_quantity: 0 },
    ])
    expect(changes).toEqual([{ ...pair, from: 5, to: 7 }])
  })

  it('lists at most 1,000 changes, and says how many more there are', async () => {
    const { code: location_code } = await createLocation(admin)
    const skus = Array.from({ length: 1003 }, () => unique('S'))
    const insert = `insert into products (id, sku, created_at, updated_at)
      select value, value, '2026', '2026' from json_each(?)`
    await db.prepare(insert).bind(JSON.stringify(skus)).run()
    const inventory = skus.map((sku_code) => ({ location_code, sku_code, quantity: 1 }))
    const dry = await rehearse(db, admin, ['POST', '/inventory/', { inventory }])
    expect(dry.body.data.changes).toHaveLength(1000)
    expect(dry.body.warnings).toEqual([
      { field: 'changes', message: '3 more changes are not listed.' },
    ])
  })

  it('has the place of each in the document of a partner', async () => {
    const [one, other] = [await pairOf(), await pairOf()]
    const fields = {
      'inventory[].location_code': 'levels[].place',
      'inventory[].sku_code': 'levels[].item',
      'inventory[].quantity': 'levels[].on_hand',
    }
    const inventory = { inbound: { fields } }
    const { api } = await openPartner({ mappings: { inventory } })
    const levelOf = ({ location_code, sku_code }: Json, on_hand: number) => ({
      place: location_code,
      item: sku_code,
      on_hand,
    })
    const document = { levels: [levelOf(one, 5), levelOf(other, 8)] }
    const { body, status } = await api.post('/inventory/?dry_run=true', document)
    expect([status, body.data.changes]).toEqual([
      200,
      [{ ...other, from: 5, to: 8, source: 'levels[1]' }],
    ])
  })

  it('leaves the counts and the failed rows in the audit log, and no more', async () => {
    const pair = await pairOf()
    const inventory = [
      { ...pair, quantity: 6 },
      { ...pair, quantity: -1 },
    ]
    const { dry, real } = await tryOut(inventory, { source: 'erp_sync', notes: 'Hall 3' })
    const rowOf = async ({ headers }: { headers: Headers }) => {
      const { body } = await admin.get(`/api/settings/v1/audit-log/${headers.get('X-Request-Id')}/`)
      const { request_id, created_at, duration_ms, dry_run, ...row } = body.data
      return { dry_run, row }
    }
    const { dry_run, row } = await rowOf(dry)
    expect(dry_run).toBe(true)
    expect(row).toEqual((await rowOf(real)).row)
    expect(row).toMatchObject({ source: 'erp_sync', counts: { total: 2, updated: 1, failed: 1 } })
  })
})

const codes = Array.from({ length: 3 }, () => ({ l: unique('L"'), s: unique('S') }))
// A key that may read no code is told of no near one, which would take another round trip.
const OPTIONS = { takesConditions: true, scopes: [] }
const NOW = '2026-01-01T00:00:00.000Z'

beforeAll(async () => {
  const insert = (table: string, name: string) =>
    db.prepare(
      `insert into ${table} (id, ${name}, is_active, created_at, updated_at) values (?1, ?1, ?2, '${NOW}', '${NOW}')`,
    )
  await db.batch(
    codes.flatMap(({ l, s }, at) => [
      insert('locations', 'code').bind(l, at === 2 ? 0 : 1),
      insert('products', 'sku').bind(s, at === 1 ? 0 : 1),
    ]),
  )
})

const location = fc.constantFrom(...codes.map(({ l }) => l), codes[0]?.l, 'lost', 'A\u0000')
const sku = fc.constantFrom(...codes.map(({ s }) => s), codes[0]?.s, 'lost')
const quantity = fc.integer({ min: 0, max: 3 })
const condition = fc.constantFrom(0, 1, 2, 3, null)
const plainRow = fc.record({ location_code: location, sku_code: sku, quantity })
const row = fc.oneof(
  { weight: 6, arbitrary: plainRow },
  {
    weight: 6,
    arbitrary: fc.record({
      location_code: location,
      sku_code: sku,
      quantity,
      if_quantity: condition,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      location_code: fc.oneof(location, fc.constant(7)),
      sku_code: fc.oneof(sku, fc.constant('')),
      quantity: fc.constantFrom(-1, 'x', 2_000_000_000),
      if_quantity: fc.constantFrom('x', 1, undefined),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, 7, []) },
)
const rows = fc.oneof(
  fc.array(row as fc.Arbitrary<unknown>, { minLength: 1, maxLength: 40, size: 'max' }),
  fc.array(plainRow as fc.Arbitrary<unknown>, { minLength: 1, maxLength: 12, size: 'max' }),
)
const stored = fc.array(fc.option(quantity), { minLength: 9, maxLength: 9 })

/** Nothing, or these quantities, of each pair. */
async function begin(quantities: (number | null)[]) {
  const pairs = codes.flatMap(({ l }) => codes.map(({ s }) => [l, s]))
  await db.batch([
    db.prepare('delete from inventory'),
    db.prepare('delete from replaced_values'),
    ...pairs.flatMap(([l, s], at) => {
      const quantity = quantities[at] ?? null
      if (quantity === null) return []
      const insert = 'insert into inventory (location_code, sku_code, quantity) values (?, ?, ?)'
      return [db.prepare(insert).bind(l, s, quantity)]
    }),
  ])
}

const stockNow = async () =>
  (await db.prepare('select * from inventory order by seq').all<Json>()).results

/** What each pair has become, of those that differ, in order of first appearance. */
function difference(before: Json[], after: Json[], sent: unknown[]): StockChange[] {
  const of = (stock: Json[], { location_code, sku_code }: Json) =>
    stock.find((row) => row.location_code === location_code && row.sku_code === sku_code)
  const known = after
    .map((now) => {
      const { location_code, sku_code, quantity: to } = now
      const isOfPair = (row: Json) =>
        row?.location_code === location_code && row?.sku_code === sku_code
      const from = (of(before, now)?.quantity ?? null) as number | null
      // The first well-formed one: a malformed row has no pair.
      const row = sent.findIndex((row) => isOfPair(row) && isWellFormed(row as Json))
      return { location_code, sku_code, from, to, row }
    })
    .filter(({ from, to }) => from !== to)
  return known.sort((one, other) => one.row - other.row)
}

const isWellFormed = ({ quantity, if_quantity = null }: Json) =>
  Number.isInteger(quantity) &&
  quantity >= 0 &&
  (if_quantity === null || Number.isInteger(if_quantity))

/** What the rows make of the stock, row by row. */
function expected(before: Json[], sent: unknown[]) {
  const stock = new Map(before.map((row) => [`${row.location_code} ${row.sku_code}`, row.quantity]))
  const failed: number[] = []
  const isKnown = (row: Json) =>
    codes.some(({ l }) => l === row?.location_code) && codes.some(({ s }) => s === row?.sku_code)
  for (const [at, row] of (sent as Json[]).entries()) {
    const pair = `${row?.location_code} ${row?.sku_code}`
    const isMet = row?.if_quantity === undefined || row.if_quantity === (stock.get(pair) ?? null)
    if (!isKnown(row) || !isWellFormed(row) || !isMet) failed.push(at)
    else stock.set(pair, row.quantity)
  }
  return { stock, failed }
}

/** What it remembers, by the pairs of the records. */
async function replacedNow(requestId: string, stock: Json[]): Promise<Json[]> {
  const select = `select replaced from replaced_values
    where changed_in = (select seq from audit_log where request_id = ?)`
  const { results } = await db.prepare(select).bind(requestId).all<{ replaced: string }>()
  const records = results.flatMap(({ replaced }) => {
    const { changed = [], created = { first: 0, quantities: [] } } = JSON.parse(replaced) as Json
    const { first, quantities } = created
    return [...changed, ...quantities.map((to: number, at: number) => [first + at, null, to])]
  })
  return records.map(([seq, from, to]) => {
    const { location_code, sku_code } = stock.find((row) => row.seq === seq) as Json
    return { location_code, sku_code, from, to }
  })
}

const sorted = (changes: Json[]) => changes.map((change) => JSON.stringify(change)).toSorted()

describe('a rehearsed upload', () => {
  it('has the answer and the changes of the upload, which are remembered and marked', async () => {
    await fc.assert(
      fc.asyncProperty(stored, rows, async (quantities, inventory) => {
        await begin(quantities)
        const before = await stockNow()
        const { db: rehearsing, meter } = await meteredDatabase()
        const input: UpsertInventory = { inventory, source: 'bulk_import' }
        const rehearsed = await rehearseInventory(rehearsing, input, OPTIONS)
        expect(meter.round_trips).toBe(1)
        expect(await stockNow()).toEqual(before)

        const { status, headers, body } = await upload(inventory)
        expect(status).toBe(200)
        expect(rehearsed.result).toEqual(body.data)
        expect(rehearsed.warnings).toEqual(body.warnings ?? [])
        const after = await stockNow()
        const changes = difference(before, after, inventory)
        expect(rehearsed.changes).toEqual(changes)
        expect(rehearsed.changed).toBe(changes.length)

        const { stock, failed } = expected(before, inventory)
        expect(
          new Map(after.map((row) => [`${row.location_code} ${row.sku_code}`, row.quantity])),
        ).toEqual(stock)
        expect(body.data.errors.map(({ row }: Json) => row)).toEqual(failed)
        expect(body.data).toMatchObject({
          failed: failed.length,
          created: after.length - before.length,
          updated: inventory.length - failed.length - (after.length - before.length),
        })
        await expectMarked(headers.get('X-Request-Id') ?? '', after, changes)
      }),
      { numRuns: byDepth(15, 1000) },
    )
  }, 600_000)

  it('lists the first 1,000 changes and counts all', async () => {
    await begin([])
    const skus = await newProducts(1200)
    const inventory = skus.map((sku_code, at) => ({
      location_code: codes[at % 2]?.l,
      sku_code,
      quantity: at,
    }))
    const { db: rehearsing } = await meteredDatabase()
    const input: UpsertInventory = { inventory, source: 'bulk_import' }
    const { changed, changes } = await rehearseInventory(rehearsing, input, {
      ...OPTIONS,
    })
    expect(changed).toBe(1200)
    const first = inventory.slice(0, 1000).map(({ quantity, ...pair }, row) => ({
      ...pair,
      from: null,
      to: quantity,
      row,
    }))
    expect(changes).toEqual(first)
  })

  it('lists the first 1,000 rows that fail, whichever pairs they are of', async () => {
    await begin([])
    const pairs = (await newProducts(1200)).map((sku_code) => ({
      location_code: codes[0]?.l,
      sku_code,
    }))
    const rows = [
      ...pairs.map((pair) => ({ ...pair, quantity: 1, if_quantity: null })),
      ...pairs.toReversed().map((pair) => ({ ...pair, quantity: 2, if_quantity: 5 })),
    ]
    const input: UpsertInventory = { inventory: rows, source: 'bulk_import' }
    const { db: rehearsing } = await meteredDatabase()
    const rehearsed = await rehearseInventory(rehearsing, input, OPTIONS)
    const { body } = await upload(rows)
    expect(body.data).toMatchObject({ created: 1200, updated: 0, failed: 1200 })
    const listed = body.data.errors.map(({ row }: Json) => row)
    expect(listed).toEqual(Array.from({ length: 1000 }, (_, at) => 1200 + at))
    expect(rehearsed.result).toEqual(body.data)
  })
})

async function newProducts(count: number): Promise<string[]> {
  const prefix = unique('P')
  const skus = Array.from({ length: count }, (_, at) => `${prefix}-${at}`)
  const insert = `insert into products (id, sku, created_at, updated_at)
    select value, value, '${NOW}', '${NOW}' from json_each(?)`
  await db.prepare(insert).bind(JSON.stringify(skus)).run()
  return skus
}

async function expectMarked(requestId: string, after: Json[], changes: StockChange[]) {
  const audit = await db
    .prepare('select seq, created_at from audit_log where request_id = ?')
    .bind(requestId)
    .first<Json>()
  const marked = after.filter((row) => row.changed_by === requestId)
  const pairOf = ({ location_code, sku_code }: Json) => `${location_code} ${sku_code}`
  expect(marked.map(pairOf).toSorted()).toEqual(changes.map(pairOf).toSorted())
  for (const { changed_in, changed_at } of marked) {
    expect([changed_in, changed_at]).toEqual([audit?.seq, audit?.created_at])
  }
  const net = changes.map(({ row, ...change }) => change)
  expect(sorted(await replacedNow(requestId, after))).toEqual(sorted(net))
}

describe('what an upload replaced', () => {
  it('is forgotten at once if undo_days is 0', async () => {
    await begin([1])
    await db.prepare('update workspace set undo_days = 0').run()
    try {
      const [{ l, s }, other] = codes as [(typeof codes)[0], (typeof codes)[0]]
      const { body } = await upload([
        { location_code: l, sku_code: s, quantity: 2 },
        { location_code: l, sku_code: other.s, quantity: 2 },
      ])
      expect(body.data).toMatchObject({ created: 1, updated: 1 })
      const { results } = await db.prepare('select replaced from replaced_values').all<Json>()
      expect(results.map(({ replaced }) => JSON.parse(replaced))).toEqual([
        { changed: [[expect.any(Number), null, null]] },
        { created: { first: expect.any(Number), last: expect.any(Number) } },
      ])
    } finally {
      await db.prepare('update workspace set undo_days = 7').run()
    }
  })
})
