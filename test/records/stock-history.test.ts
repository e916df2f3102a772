import { beforeEach, describe, expect, it } from 'vitest'
import { PAIRS_COMPARED_MAX } from '../../src/records/inventory/history.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { admin, db } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import type { Api, Json } from '../fixtures/tenant.ts'
import { idOf, newShelf, type Shelf, undo, upload } from '../fixtures/undo.ts'

beforeEach(async () => {
  await db.exec('delete from replaced_values')
  await db
    .prepare('update workspace set undo_days = 7, remembered_since = null, created_at = ?')
    .bind(LONG_AGO)
    .run()
})

const LONG_AGO = '2020-01-01T00:00:00.000Z'
const DAY_MS = 24 * 60 * 60 * 1000

async function historyOf(api: Api, code: string, query = '') {
  const answer = await api.get(`/inventory/${code}/history/?${query}`)
  expect([answer.status, answer.body.error]).toEqual([200, undefined])
  return answer.body
}

/** All pages, and how many there were. */
async function walk(api: Api, code: string, query = '') {
  const seen: Json[] = []
  let [pages, cursor] = [0, '']
  while (pages < 100) {
    const { data, pagination } = await historyOf(api, code, query + cursor)
    pages += 1
    seen.push(...data)
    if (pagination.next_cursor === null) return { seen, pages }
    cursor = `&cursor=${pagination.next_cursor}`
  }
  throw new Error('the history has no end')
}

const allOf = (shelf: Shelf, quantity: number) =>
  Object.fromEntries(shelf.skus.map((_, index) => [index, quantity]))
const steps = (seen: Json[]) => seen.map(({ from, to }) => [from, to])

describe('GET /inventory/{code}/history/', () => {
  it('lists what uploads and undos have replaced, newest first', async () => {
    const shelf = await newShelf(db, 2)
    const ids = [await upload(admin, shelf, { 0: 1, 1: 1 }), await upload(admin, shelf, { 0: 2 })]
    const undone = await undo(admin, ids[1] ?? '')
    const { data, pagination } = await historyOf(admin, shelf.location)
    const rows = await Promise.all(
      [idOf(undone), ids[1], ids[0], ids[0]].map((id) =>
        db.prepare('select * from audit_log where request_id = ?').bind(id).first<Json>(),
      ),
    )
    const told = (index: number, product: number, from: number | null, to: number) => ({
      location_code: shelf.location,
      sku_code: shelf.skus[product],
      from,
      to,
      changed_at: rows[index].created_at,
      request_id: rows[index].request_id,
      source: index === 0 ? null : 'bulk_import',
      notes: null,
      api_key: { id: rows[index].api_key_id, name: 'test key' },
      partner: null,
    })
    expect(data).toEqual([
      told(0, 0, 2, 1),
      told(1, 0, 1, 2),
      told(2, 0, null, 1),
      told(3, 1, null, 1),
    ])
    expect(pagination).toEqual({
      limit: 50,
      next_cursor: null,
      complete_since: expect.stringMatching(/^20..-..-..T..:..:..\....Z$/),
    })
    const age = Date.now() - Date.parse(pagination.complete_since)
    expect(Math.round(age / DAY_MS)).toBe(7)
  })

  it('is of a SKU with by=sku, and narrowed by the other code', async () => {
    const [one, other] = [await newShelf(db, 2), await newShelf(db, 1)]
    const mixed = { location: other.location, skus: one.skus }
    await upload(admin, one, { 0: 1, 1: 2 })
    await upload(admin, mixed, { 0: 3 })
    const sku = one.skus[0] ?? ''
    expect(steps((await historyOf(admin, sku, 'by=sku')).data)).toEqual([
      [null, 3],
      [null, 1],
    ])
    const at = `by=sku&location_code=${one.location}`
    expect(steps((await historyOf(admin, sku, at)).data)).toEqual([[null, 1]])
    expect(steps((await historyOf(admin, one.location, `sku_code=${sku}`)).data)).toEqual([
      [null, 1],
    ])
    expect((await historyOf(admin, one.location, 'sku_code=nobody')).data).toEqual([])
    expect((await historyOf(admin, sku)).data).toEqual([])
    expect((await admin.get(`/inventory/${sku}/history/?by=zone`)).status).toBe(400)
  })

  it('gives each change once, in pages of any size', async () => {
    const shelf = await newShelf(db, 9)
    for (const quantity of [1, 2, 3]) await upload(admin, shelf, allOf(shelf, quantity))
    const whole = (await historyOf(admin, shelf.location, 'limit=200')).data
    expect(whole).toHaveLength(27)
    for (const limit of [1, 2, 7, 26, 27, 28]) {
      expect((await walk(admin, shelf.location, `limit=${limit}`)).seen).toEqual(whole)
    }
  })

  it('looks through a bounded number of bytes for a page, and goes on from there', async () => {
    const [shelf, other] = [await newShelf(db, 1), await newShelf(db, 1)]
    await upload(admin, shelf, { 0: 1 })
    const id = await upload(admin, other, { 0: 1 })
    const large = JSON.stringify({ changed: [[1_000_000_000, 1, 2]], more: 'x'.repeat(1_000_000) })
    expect(large.length).toBeGreaterThan(1_000_000)
    for (const position of [1, 2, 3, 4]) {
      await db
        .prepare(
          `insert into replaced_values select seq, ?2, 'inventory', ?3 from audit_log where request_id = ?1`,
        )
        .bind(id, position, large)
        .run()
    }
    await upload(admin, shelf, { 0: 2 })
    const { seen, pages } = await walk(admin, shelf.location)
    expect(steps(seen)).toEqual([
      [1, 2],
      [null, 1],
    ])
    expect(pages).toBeGreaterThanOrEqual(4)
  })

  inDeepPass(() => {
    it('compares a bounded number of pairs for a page, whatever is asked for, and goes on from there', async () => {
      const [shelf, other] = [await newShelf(db, 1), await newShelf(db, 1)]
      await upload(admin, shelf, { 0: 1 })
      const id = await upload(admin, other, { 0: 1 })
      const seqOf = (at: string) => `(select seq from inventory where location_code = '${at}')`
      const pairs = PAIRS_COMPARED_MAX * 3
      await db.exec(
        `insert into replaced_values select seq, 1, 'inventory', (
           with recursive n (i) as (select 0 union all select i + 1 from n where i < ${pairs - 1})
           select json_object('changed', json_group_array(json_array(${seqOf(other.location)}, i, i + 1))) from n)
         from audit_log where request_id = '${id}'`.replaceAll('\n', ' '),
      )
      const { headers } = await admin.get(`/inventory/${shelf.location}/history/?limit=200`)
      const [, read] = /rows read (\d+)/.exec(headers.get('Server-Timing') ?? '') ?? []
      expect(Number(read)).toBeLessThanOrEqual(5000)
      const { seen, pages } = await walk(admin, shelf.location)
      expect([steps(seen), pages]).toEqual([[[null, 1]], 4])
      const others = await walk(admin, other.location, 'limit=200')
      expect(steps(others.seen)).toEqual([
        [null, 1],
        ...Array.from({ length: pairs }, (_, at) => [at, at + 1]),
      ])
    })
  })

  it('passes over what other requests replaced, however much that is', async () => {
    const shelf = await newShelf(db, 1)
    await upload(admin, shelf, { 0: 1 })
    await db.exec(
      "insert into replaced_values select max(seq) + value, 0, 'products', '{}' from audit_log, json_each('[" +
        `${Array.from({ length: 2000 }, (_, index) => index + 1)}]')`,
    )
    const { seen, pages } = await walk(admin, shelf.location)
    expect([steps(seen), pages]).toEqual([[[null, 1]], 1])
  })

  it('goes back as far as undo_days', async () => {
    const shelf = await newShelf(db, 1)
    for (const days of [9, 3, 1]) {
      const id = await upload(admin, shelf, { 0: days })
      const at = new Date(Date.now() - days * DAY_MS).toISOString()
      await db
        .prepare('update audit_log set created_at = ? where request_id = ?')
        .bind(at, id)
        .run()
    }
    expect(steps((await historyOf(admin, shelf.location)).data)).toEqual([
      [3, 1],
      [9, 3],
    ])
    await admin.put('/api/settings/v1/workspace/', { undo_days: 2 })
    expect(steps((await historyOf(admin, shelf.location)).data)).toEqual([[3, 1]])
    await admin.put('/api/settings/v1/workspace/', { undo_days: 90 })
    const { data, pagination } = await historyOf(admin, shelf.location)
    expect(steps(data)).toEqual([[3, 1]])
    expect(Math.round((Date.now() - Date.parse(pagination.complete_since)) / DAY_MS)).toBe(2)
  })

  it('names to a key of a partner only itself and its own partner', async () => {
    const [first, second] = [await openPartner(), await openPartner()]
    const shelf = await newShelf(db, 1)
    for (const [index, api] of [admin, first.api, second.api].entries()) {
      await upload(api, shelf, { 0: index })
    }
    const named = async (api: Api) =>
      (await historyOf(api, shelf.location)).data.map(({ api_key, partner }: Json) => [
        api_key !== null,
        partner?.id ?? null,
      ])
    expect(await named(first.api)).toEqual([
      [false, null],
      [true, first.id],
      [false, null],
    ])
    expect(await named(admin)).toEqual([
      [true, second.id],
      [true, first.id],
      [true, null],
    ])
  })

  it('leaves the look-up of a location called history', async () => {
    const { body, status } = await admin.get('/inventory/history/')
    expect([status, body.data, body.pagination]).toEqual([200, [], undefined])
  })

  it.each(['x', 'MA', btoa('2.demo.inventory-history.5.0123456789abcdef.1.x')])(
    'refuses the cursor %s',
    async (cursor) => {
      const { status, body } = await admin.get(`/inventory/L/history/?cursor=${cursor}`)
      expect([status, Object.keys(body.error.fields)]).toEqual([400, ['cursor']])
    },
  )
})
