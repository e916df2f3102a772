import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { byDepth } from '../fixtures/depth.ts'
import { type Api, openAdmin, openTenant } from '../fixtures/tenant.ts'
import { changesOf, idOf, newShelf, previewOf, shelved, undo, upload } from '../fixtures/undo.ts'
import { dataOf } from '../fixtures/warehouse.ts'

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

let db: D1Database
let admin: Api

beforeAll(async () => {
  db = await openTenant()
  admin = await openAdmin()
})

/** What an undo makes of the shelf. */
function undone(replaced: Replaced, shelf: (number | null)[]) {
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
        const { own, told } = undone(target.replaced, shelf)
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
