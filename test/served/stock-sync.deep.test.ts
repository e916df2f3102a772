import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isUpload, openSync, type Row } from './syncing.ts'

// The example that keeps stock in step, as a partner with a large warehouse runs it.

const codes = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n}`)
const [LOCATIONS, SKUS] = [codes('L', 200), codes('S', 250)]

let client: Awaited<ReturnType<typeof openSync>>
let rows = LOCATIONS.flatMap((location_code, at) =>
  SKUS.map((sku_code, n): Row => ({ location_code, sku_code, quantity: at + n })),
)

beforeAll(async () => {
  client = await openSync(LOCATIONS, SKUS)
}, 300_000)
afterAll(() => client.close())

const sorted = (list: Row[]) =>
  list.map((row) => `${row.location_code} ${row.sku_code} ${row.quantity}`).toSorted()

describe('examples/client/stock-sync.ts, with 50,000 pairs', () => {
  it('rehearses, uploads, and finds nothing more to do', async () => {
    const rehearsed = await client.sync(rows, ['--rehearse'])
    expect(rehearsed.stdout).toBe(
      '50000 of 50000 pairs differ.\nWould be { created: 50000, updated: 0, failed: 0 }\n',
    )
    expect(await client.stored()).toEqual([])
    const done = await client.sync(rows)
    expect(done.stdout).toContain('Are { created: 50000, updated: 0, failed: 0 }\n0 of 50000')
    expect(sorted(await client.stored())).toEqual(sorted(rows))
    const again = await client.sync(rows)
    expect(again).toMatchObject({ code: 0, stdout: '0 of 50000 pairs differ.\n' })
  })

  it('overwrites no change that it has not seen', async () => {
    const [first, second] = rows as [Row, Row]
    rows = rows.map((row, at) => (at < 500 ? { ...row, quantity: row.quantity + 7 } : row))
    await client.set(second, 1234)
    let isFirst = true
    const front = await client.inFront(async (request) => {
      if (isUpload(request) && isFirst) await client.set(first, 4321)
      isFirst &&= !isUpload(request)
      return undefined
    })
    const { code, stdout, stderr } = await client.sync(rows, [], front.origin)
    front.close()
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('500 of 50000 pairs differ.\n')
    expect(stdout).toContain('Are { created: 0, updated: 499, failed: 1 }\n')
    expect(stdout).toContain('1 of 50000 pairs differ.\n')
    expect(sorted(await client.stored())).toEqual(sorted(rows))
  })
})
