import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { byDepth, inDeepPass } from '../fixtures/depth.ts'
import { admin, db } from '../fixtures/opened.ts'
import { everyPage } from '../fixtures/pages-read.ts'
import { execute, oneRow } from '../fixtures/sql.ts'
import {
  changesOf,
  idOf,
  LOG,
  newShelf,
  previewOf,
  shelved,
  undo,
  upload,
} from '../fixtures/undo.ts'
import { dataOf } from '../fixtures/warehouse.ts'

beforeEach(async () => {
  await execute('update workspace set undo_days = 7, audit_retention_days = 365')
})

const undone = async (id: string) => {
  const { pairs, ...expected } = await previewOf(id)
  const answer = await undo(admin, id)
  const { restored, zeroed, changed_since, changed_since_total } = dataOf(answer, 200)
  expect(expected).toMatchObject({ restored, zeroed, changed_since, changed_since_total })
  expect(pairs).toHaveLength(restored + zeroed)
  return { id: idOf(answer), told: { restored, zeroed, changed_since, changed_since_total } }
}
const nothing = { changed_since: [], changed_since_total: 0 }

describe('an upload that is undone', () => {
  it('gives each pair what it had, and sets created ones to 0', async () => {
    const shelf = await newShelf(db, 4)
    await upload(admin, shelf, { 0: 1, 1: 2, 2: 3 })
    const id = await upload(admin, shelf, { 0: 10, 1: 2, 2: 30, 3: 40 })
    expect((await undone(id)).told).toEqual({ restored: 2, zeroed: 1, ...nothing })
    expect(await shelved(db, shelf)).toEqual([1, 2, 3, 0])
    const row = await oneRow(
      'select changed_in, changed_by, changed_at from inventory where sku_code = ?',
      shelf.skus[3],
    )
    const log = await oneRow('select * from audit_log order by seq desc')
    expect(row).toEqual({
      changed_in: log?.seq,
      changed_by: log?.request_id,
      changed_at: log?.created_at,
    })
  })

  it('leaves what has changed since, and names it with all quantities', async () => {
    const shelf = await newShelf(db, 4)
    await upload(admin, shelf, { 0: 1, 1: 2, 2: 3 })
    const id = await upload(admin, shelf, { 0: 10, 1: 20, 2: 30, 3: 40 })
    await upload(admin, shelf, { 0: 100, 3: 400 })
    const { told } = await undone(id)
    const pair = (index: number) => ({
      location_code: shelf.location,
      sku_code: shelf.skus[index],
    })
    expect(told).toEqual({
      restored: 2,
      zeroed: 0,
      changed_since: [
        { ...pair(0), from: 1, to: 10, quantity: 100 },
        { ...pair(3), from: null, to: 40, quantity: 400 },
      ],
      changed_since_total: 2,
    })
    expect(await shelved(db, shelf)).toEqual([100, 2, 3, 400])
  })

  it('undoes chains, last first', async () => {
    const shelf = await newShelf(db, 3)
    const ids = [
      await upload(admin, shelf, { 0: 1, 1: 1 }),
      await upload(admin, shelf, { 0: 2, 1: 2, 2: 2 }),
      await upload(admin, shelf, { 0: 3, 2: 3 }),
    ]
    const seen = []
    for (const id of ids.toReversed()) {
      await undone(id)
      seen.push(await shelved(db, shelf))
    }
    expect(seen).toEqual([
      [2, 2, 2],
      [1, 1, 0],
      [0, 0, 0],
    ])
  })

  inDeepPass(() => {
    it('is an upload that can be undone, again and again', async () => {
      const shelf = await newShelf(db, 3)
      await upload(admin, shelf, { 0: 1, 1: 2 })
      let { id } = { id: await upload(admin, shelf, { 0: 10, 1: 20, 2: 30 }) }
      for (let turn = 0; turn < 5; turn++) {
        const isBack = turn % 2 === 0
        const next = await undone(id)
        const all = turn === 0 ? { restored: 2, zeroed: 1 } : { restored: 3, zeroed: 0 }
        expect(next.told).toEqual({ ...all, ...nothing })
        expect(await shelved(db, shelf)).toEqual(isBack ? [1, 2, 0] : [10, 20, 30])
        expect((await changesOf(admin, next.id)).length).toBe(3)
        id = next.id
      }
    })
  })

  it('has nothing to restore a second time', async () => {
    const shelf = await newShelf(db, 2)
    const id = await upload(admin, shelf, { 0: 5, 1: 0 })
    expect((await undone(id)).told).toEqual({ restored: 0, zeroed: 1, ...nothing })
    const again = await undone(id)
    expect(again.told).toEqual({ restored: 0, zeroed: 0, ...nothing })
    const refused = await undo(admin, again.id)
    expect([refused.status, refused.body.error.code]).toEqual([400, 'SERVICE_ERROR'])
  })

  it('says how many pairs have changed since, of which it lists 1,000', async () => {
    const shelf = await newShelf(db, 1200)
    const all = (quantity: number) =>
      Object.fromEntries(shelf.skus.map((_, index) => [index, quantity]))
    const id = await upload(admin, shelf, all(1))
    await upload(admin, shelf, { ...all(2), 7: 1 })
    const answer = await undo(admin, id)
    const { changed_since, changed_since_total, zeroed } = dataOf(answer, 200)
    expect([changed_since.length, changed_since_total, zeroed]).toEqual([1000, 1199, 1])
    expect(answer.body.warnings).toEqual([
      {
        field: 'changed_since',
        message: '199 more pairs have changed since, which are not listed.',
      },
    ])
  })
})

describe('GET /audit-log/{id}/changes/', () => {
  it('lists the pairs in pages, each once', async () => {
    const shelf = await newShelf(db, 25)
    const all = (quantity: number) =>
      Object.fromEntries(shelf.skus.map((_, index) => [index, quantity]))
    await upload(admin, shelf, { 3: 1, 4: 1, 5: 5 })
    const id = await upload(admin, shelf, all(5))
    const seen = []
    for await (const { body } of everyPage(admin, `${LOG}/${id}/changes/?limit=7`)) {
      expect(body.data.length).toBeLessThanOrEqual(7)
      seen.push(...body.data)
    }
    expect(seen.length).toBe(24)
    expect(new Set(seen.map(({ sku_code }) => sku_code)).size).toBe(24)
    expect(seen[0]).toEqual({
      resource: 'inventory',
      record_name: null,
      location_code: shelf.location,
      sku_code: shelf.skus[3],
      field: 'quantity',
      from: 1,
      to: 5,
    })
    expect(seen[2]).toMatchObject({ from: null, to: 5, sku_code: shelf.skus[0] })
  })

  it('takes only cursors of the same request', async () => {
    const shelf = await newShelf(db, 3)
    const first = await upload(admin, shelf, { 0: 1, 1: 1 })
    const second = await upload(admin, shelf, { 0: 2, 1: 2 })
    const { next_cursor } = (await admin.get(`${LOG}/${first}/changes/?limit=1`)).body.pagination
    const { status } = await admin.get(`${LOG}/${second}/changes/?cursor=${next_cursor}`)
    expect(status).toBe(400)
  })
})

// Random uploads and undos, by a plain model: what each request replaced, and what is on the shelf.

const PRODUCTS = 4

type Step = { upload: Record<number, number> } | { undo: number }
type Replaced = Map<number, [from: number | null, to: number]>

const steps = fc.array(
  fc.oneof(
    fc
      .dictionary(fc.constantFrom('0', '1', '2', '3'), fc.integer({ min: 0, max: 2 }), {
        minKeys: 1,
      })
      .map((quantities) => ({ upload: quantities as Record<number, number> })),
    fc.nat({ max: 9 }).map((back) => ({ undo: back })),
  ),
  { minLength: 1, maxLength: 12 },
)

/** What an undo makes of the shelf. */
function undoneStock(replaced: Replaced, shelf: (number | null)[]) {
  const own: Replaced = new Map()
  const told = { restored: 0, zeroed: 0, changed_since_total: 0 }
  for (const [index, [from, to]] of replaced) {
    const [former, now] = [from ?? 0, shelf[index] ?? 0]
    if (now === former) continue
    if (now !== to) {
      told.changed_since_total += 1
      continue
    }
    own.set(index, [now, former])
    if (from === null) told.zeroed += 1
    else told.restored += 1
    shelf[index] = former
  }
  return { own, told }
}

it('random uploads and undos leave what a plain model says', async () => {
  const play = async (sequence: Step[]) => {
    const names = await newShelf(db, PRODUCTS)
    const shelf: (number | null)[] = Array(PRODUCTS).fill(null)
    const requests: { id: string; replaced: Replaced }[] = []
    for (const step of sequence) {
      if ('upload' in step) {
        const replaced: Replaced = new Map()
        for (const [index, to] of Object.entries(step.upload)) {
          const from = shelf[Number(index)] ?? null
          if (from !== to) replaced.set(Number(index), [from, to])
          shelf[Number(index)] = to
        }
        requests.push({ id: await upload(admin, names, step.upload), replaced })
      } else {
        const target = requests.at(-1 - step.undo)
        if (!target) continue
        if (target.replaced.size === 0) {
          expect((await undo(admin, target.id)).status).toBe(400)
          continue
        }
        const preview = await previewOf(target.id)
        const { own, told } = undoneStock(target.replaced, shelf)
        const answer = await undo(admin, target.id)
        expect(dataOf(answer, 200)).toMatchObject(told)
        expect(preview).toMatchObject(told)
        requests.push({ id: idOf(answer), replaced: own })
      }
      expect(await shelved(db, names)).toEqual(shelf)
    }
    for (const { id, replaced } of requests) {
      const changes = await changesOf(admin, id)
      const told = new Map(
        changes.map(({ sku_code, from, to }: { sku_code: string; from: number; to: number }) => [
          names.skus.indexOf(sku_code),
          [from, to],
        ]),
      )
      expect(told).toEqual(replaced)
    }
  }
  await fc.assert(fc.asyncProperty(steps, play), { numRuns: byDepth(8, 60) })
}, 120_000)
