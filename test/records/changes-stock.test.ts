import { beforeEach, describe, expect, it } from 'vitest'
import { cursorText } from '../../src/engine/json/pagination.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { AT_START, follow, nameOf, now } from '../fixtures/following.ts'
import { db } from '../fixtures/opened.ts'
import { api } from '../fixtures/opened-api.ts'
import { openPartner } from '../fixtures/partner.ts'
import { type Json, openAdmin, unique } from '../fixtures/tenant.ts'
import { undo } from '../fixtures/undo.ts'
import { createOrder, createProduct, path } from '../fixtures/warehouse.ts'

// Stock in the feed of changes: it is found by what uploads leave in replaced_values, and without that by itself.

let location: string
let skus: string[]

const PAIRS = 12
const ofStock = (limit: number) => `limit=${limit}&resource=inventory`

/** A shelf of its own for each test. */
beforeEach(async () => {
  await undoFor(7)
  location = unique('L')
  skus = Array.from({ length: PAIRS }, () => unique('S'))
  expect((await api.post('/locations/', { code: location })).status).toBe(201)
  for (const sku of skus) expect((await api.post('/products/', { sku })).status).toBe(201)
})

const undoFor = (days: number) => db.prepare('update workspace set undo_days = ?').bind(days).run()

/** Quantities by the number of the pair. Returns the id of the request. */
async function upload(quantities: Record<number, number>): Promise<string> {
  const inventory = Object.entries(quantities).map(([at, quantity]) => ({
    location_code: location,
    sku_code: skus[Number(at)],
    quantity,
  }))
  const { body, headers } = await api.post('/inventory/', { inventory })
  expect(body.data.failed).toBe(0)
  return headers.get('X-Request-Id') ?? ''
}

const all = (quantity: number) => Object.fromEntries(skus.map((_, at) => [at, quantity + at]))

/** As the daily retention does, of all requests so far. */
const forgetUploads = () => db.exec("delete from replaced_values where resource = 'inventory'")

const told = (changes: Json[]) =>
  changes.map(({ request_id, record }) => [
    skus.indexOf(record.sku_code),
    record.quantity,
    request_id,
  ])

const expectOnce = (changes: Json[]) => {
  const names = changes.map((change) => `${nameOf(change)} ${change.request_id}`)
  expect(new Set(names).size).toBe(names.length)
}

async function expectCopied(changes: Json[], count = PAIRS): Promise<void> {
  const copy = new Map(changes.map((change) => [nameOf(change), change.record]))
  const { results } = await db
    .prepare('select location_code, sku_code, quantity from inventory where location_code = ?')
    .bind(location)
    .all<Json>()
  expect(results).toHaveLength(count)
  for (const row of results) {
    expect(copy.get(`inventory ${row.location_code} ${row.sku_code}`)).toEqual(row)
  }
}

describe('stock in GET /changes/', () => {
  it('comes with the upload that changed it last, in pages of any size', async () => {
    const since = await now(api)
    const created = await upload(all(1))
    const changed = await upload({ 5: 50, 3: 30, 7: 70, 9: 90 })
    const again = await upload({ 3: 31, 9: 91 })
    const whole = await follow(api, since)
    expect(told(whole.changes)).toEqual([
      ...[0, 1, 2, 4, 6, 8, 10, 11].map((at) => [at, at + 1, created]),
      [5, 50, changed],
      [7, 70, changed],
      [3, 31, again],
      [9, 91, again],
    ])
    for (const limit of [1, 2, 3, 5, 8, 9, 12, 13]) {
      const paged = await follow(api, since, `limit=${limit}`)
      expect(paged.changes).toEqual(whole.changes)
      expect(paged.cursor).toBe(whole.cursor)
    }
  })

  inDeepPass(() => {
    it('comes from each slice of a large upload, also from a slice of which all has changed again', async () => {
      const since = await now(api)
      await upload(all(1))
      const changed = await upload(all(20))
      const seqOf = `(select seq from audit_log where request_id = '${changed}')`
      const [one] = (
        await db
          .prepare(`select replaced from replaced_values where changed_in = ${seqOf}`)
          .all<{ replaced: string }>()
      ).results
      const pairs: number[][] = JSON.parse(one?.replaced ?? '').changed
      expect(pairs).toHaveLength(PAIRS)
      const slices = [pairs.slice(0, 3), pairs.slice(3, 4), pairs.slice(4, 8), pairs.slice(8)]
      await db.batch(
        slices.map((slice, position) =>
          db
            .prepare(`insert or replace into replaced_values values (${seqOf}, ?, 'inventory', ?)`)
            .bind(position, JSON.stringify({ changed: slice })),
        ),
      )
      await upload({ 3: 99, 8: 88 })
      const whole = await follow(api, since)
      expect(whole.changes).toHaveLength(PAIRS)
      for (let limit = 1; limit <= PAIRS; limit += 1) {
        expect((await follow(api, since, `limit=${limit}`)).changes).toEqual(whole.changes)
      }
      await expectCopied(whole.changes)
    })
  })

  it('comes behind uploads of which all has changed again, or all has failed', async () => {
    const since = await now(api)
    for (const at of [0, 1, 2]) await upload({ [at]: 1 })
    const id = await upload({ 0: 5, 1: 5, 2: 5 })
    expect(told((await follow(api, since, 'limit=1')).changes)).toEqual([
      [0, 5, id],
      [1, 5, id],
      [2, 5, id],
    ])
    const later = await now(api)
    const unmet = { location_code: location, sku_code: skus[0], quantity: 8, if_quantity: 7 }
    for (let n = 0; n < 3; n += 1) {
      expect((await api.post('/inventory/', { inventory: [unmet] })).body.data.failed).toBe(1)
    }
    const last = await upload({ 0: 6 })
    expect(told((await follow(api, later, 'limit=1')).changes)).toEqual([[0, 6, last]])
  })

  it('comes after an undo, of what it restored and of what it set to 0', async () => {
    await upload({ 0: 1, 1: 1 })
    const id = await upload({ 1: 5, 2: 6 })
    const since = await now(api)
    const undone = await undo(await openAdmin(), id)
    expect(undone.status).toBe(200)
    const { changes } = await follow(api, since, 'limit=1')
    const by = undone.headers.get('X-Request-Id')
    expect(told(changes)).toEqual([
      [1, 1, by],
      [2, 0, by],
    ])
  })

  it('comes although nothing is remembered of what it was before', async () => {
    await upload({ 0: 11, 1: 12 })
    await undoFor(0)
    const since = await now(api)
    const id = await upload({ 0: 21, 1: 12, 2: 13, 3: 14 })
    const { changes } = await follow(api, since, 'limit=1')
    expect(told(changes)).toEqual([
      [0, 21, id],
      [2, 13, id],
      [3, 14, id],
    ])
    const { results } = await db
      .prepare(
        'select replaced from replaced_values join audit_log on seq = changed_in where request_id = ?',
      )
      .bind(id)
      .all<{ replaced: string }>()
    expect(results.map(({ replaced }) => JSON.parse(replaced))).toEqual([
      { changed: [[expect.any(Number), null, null]] },
      { created: { first: expect.any(Number), last: expect.any(Number) } },
    ])
  })
})

describe('a cursor of which the uploads are forgotten', () => {
  it('leads to each record that has changed since, once, and to no other', async () => {
    await upload(all(1))
    const since = await now(api)
    const order = await createOrder(api)
    const id = await upload({ 2: 50, 4: 60, 6: 70 })
    await forgetUploads()
    const { changes, next } = await follow(api, since, 'limit=2')
    expect(changes.map(({ resource }) => resource)).toEqual([
      'products',
      'orders',
      ...Array(3).fill('inventory'),
    ])
    expect(nameOf(changes[1] as Json)).toBe(`orders ${order.order_number}`)
    expect(told(changes.slice(2))).toEqual([
      [2, 50, id],
      [4, 60, id],
      [6, 70, id],
    ])
    const later = await upload({ 4: 61 })
    expect(told((await follow(api, next)).changes)).toEqual([[4, 61, later]])
  })

  inDeepPass(() => {
    it('leads there also while others write, and uploads are forgotten on the way', async () => {
      await upload(all(1))
      await forgetUploads()
      for (const forgets of [false, true]) {
        const changes: Json[] = []
        let next = AT_START
        for (let turn = 0; ; turn += 1) {
          const { body } = await api.get(`/changes/?${next}&${ofStock(5)}`)
          changes.push(...body.data)
          next = `cursor=${body.pagination.next_cursor}`
          if (turn < 4) await upload({ [turn]: 100 + turn, [PAIRS - 1 - turn]: 200 + turn })
          if (forgets && turn === 2) await forgetUploads()
          if (!body.pagination.has_more && turn > 4) break
        }
        expectOnce(changes)
        await expectCopied(changes)
      }
    })
  })

  it('leads to each record at least once if it stood within one of them', async () => {
    await upload(all(1))
    const since = await now(api)
    await upload(all(300))
    const first = await api.get(`/changes/?${since}&limit=5`)
    await forgetUploads()
    const within = `cursor=${first.body.pagination.next_cursor}`
    const { changes } = await follow(api, within, 'limit=4')
    await expectCopied([...first.body.data, ...changes])
  })

  it('leads to no other record twice that changes on the way', async () => {
    await upload(all(1))
    const since = await now(api)
    await upload(all(40))
    await forgetUploads()
    const first = await api.get(`/changes/?${since}&limit=5`)
    const { sku } = await createProduct(api)
    const { changes } = await follow(api, `cursor=${first.body.pagination.next_cursor}`, 'limit=5')
    expectOnce([...first.body.data, ...changes])
    await expectCopied([...first.body.data, ...changes])
    expect(changes.map(nameOf)).toContain(`products ${sku}`)
  })

  it('leads to nothing again if it stood behind the last of them', async () => {
    const since = await now(api)
    await upload(all(1))
    const { changes, next } = await follow(api, since, 'limit=5')
    await forgetUploads()
    expect([changes.length, (await follow(api, next)).changes]).toEqual([PAIRS, []])
  })

  it('moves once when a look finds nothing, and then stays as it is', async () => {
    await upload(all(1))
    const since = await now(api)
    await forgetUploads()
    const { changes, next } = await follow(api, since)
    expect(changes).toEqual([])
    expect((await follow(api, next)).next).toBe(next)
  })
})

describe('a cursor of a build from before migration 0023', () => {
  it('goes on within the upload where it stood, by the order of creation', async () => {
    await upload(all(1))
    const id = await upload(all(500))
    await forgetUploads()
    const request = await db
      .prepare('select seq from audit_log where request_id = ?')
      .bind(id)
      .first<number>('seq')
    const { results } = await db
      .prepare('select seq from inventory where location_code = ? order by seq')
      .bind(location)
      .all<{ seq: number }>()
    const epoch = await db
      .prepare('select changes_epoch from workspace')
      .first<number>('changes_epoch')
    const place = Number(request) * 4 + 2
    const cursor = cursorText([
      1,
      'demo',
      'changes',
      Number(epoch),
      4 + 16,
      place + 1,
      results[6]?.seq ?? 0,
      '-',
    ])
    const later = await upload({ 1: 7 })
    const from = `cursor=${cursor}`
    const { changes } = await follow(api, from, 'limit=2')
    expect(told(changes)).toEqual([
      ...[7, 8, 9, 10, 11].map((at) => [at, 500 + at, id]),
      [1, 7, later],
    ])
  })

  inDeepPass(() => {
    it('leads to the orders of the place where it stood', async () => {
      await upload(all(1))
      const { order_number } = await createOrder(api)
      await forgetUploads()
      // As if both were from before the feed.
      await db.batch([
        db.prepare('update inventory set changed_in = 0 where location_code = ?').bind(location),
        db.prepare('update orders set changed_in = 0 where order_number = ?').bind(order_number),
      ])
      const [first] = (
        await db
          .prepare('select seq from inventory where location_code = ? order by seq')
          .bind(location)
          .all<{ seq: number }>()
      ).results
      const epoch = await db
        .prepare('select changes_epoch from workspace')
        .first<number>('changes_epoch')
      const cursor = cursorText([1, 'demo', 'changes', Number(epoch), 15, 3, first?.seq ?? 0, '-'])
      const { changes } = await follow(api, `cursor=${cursor}`, 'limit=3')
      expectOnce(changes)
      expect(changes.map(nameOf)).toContain(`orders ${order_number}`)
      const here = changes.filter(({ record }) => record.location_code === location)
      expect(here).toHaveLength(PAIRS - 1)
    })
  })
})

describe('a feed of own orders', () => {
  it('has the stock, behind the orders of others too', async () => {
    const own = await openPartner({ own_orders_only: true })
    const since = await now(own.api)
    const order = await createOrder(own.api)
    await upload(all(1))
    await createOrder(api)
    const id = await upload({ 0: 9 })
    const { sku } = await createProduct(api)
    for (const forgets of [false, true]) {
      if (forgets) await forgetUploads()
      const { changes } = await follow(own.api, since, 'limit=3')
      expectOnce(changes)
      await expectCopied(changes)
      const orders = changes.filter(({ resource }) => resource === 'orders')
      expect(orders.map(({ record }) => record)).toEqual([
        (await own.api.get(path('orders', order.order_number))).body.data,
      ])
      expect(changes.map(nameOf)).toContain(`products ${sku}`)
      expect(told(changes)).toContainEqual([0, 9, id])
    }
  })
})
